import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadSession } from '../../src/sessions/load.js';
import { closeEndpoints, type Reply, startEndpoint } from '../support/endpoint.js';
import { Machine } from '../support/frost.js';

const machines: Machine[] = [];

afterEach(async () => {
  await closeEndpoints();
  for (const machine of machines.splice(0)) machine.remove();
});

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Ten turns of one quick call each: many messages complete while the process is killed. */
const busy = (index: number): Reply =>
  index % 11 === 10 ? { text: 'done' } : { calls: [{ id: `call_${index}`, name: 'send_message', arguments: { text: `step ${index}` } }] };

async function busyMachine() {
  let count = 0;
  const main = await startEndpoint(() => busy(count++));
  const machine = new Machine(main);
  machines.push(machine);
  return { machine, main };
}

/** The messages that the endpoint was sent were complete; every one of them must be in the session. */
function lost(sent: readonly { role: string }[], kept: readonly unknown[]): number {
  return sent.filter(({ role }) => role !== 'system').length - kept.length;
}

describe('kill -9 in the middle of a turn', () => {
  it('A04, D04: at 50 random moments, the session loads and no completed message is missing', { timeout: 120_000 }, async () => {
    for (let i = 0; i < 50; i++) {
      const { machine, main } = await busyMachine();
      const { child, ended } = machine.start(['ask', 'PROMPT']);
      await Promise.race([main.waitForChats(1), ended]);
      await sleep(Math.random() * 80);
      child.kill('SIGKILL');
      await ended;
      const sent = main.chats.at(-1)?.body?.messages ?? [];
      const [name = ''] = machine.sessionFiles;
      const session = loadSession(machine.sessionsDir, name.slice(0, -'.jsonl'.length));
      expect(lost(sent, session.messagesAt())).toBeLessThanOrEqual(0);
      expect(session.messagesAt()[0]).toEqual({ role: 'user', content: 'PROMPT' });
      expect(session.warnings.filter((text) => !text.includes('cut off'))).toEqual([]);
      await closeEndpoints();
      machine.remove();
    }
  });

  it('A04: the session goes on at once with a history that is whole, and nothing is left behind', async () => {
    const main = await startEndpoint([
      { calls: [{ id: 'call_1', name: 'use_subagent', arguments: { subagent_name: 'Coder', content: 'slow' } }] },
      { text: 'hello' },
    ]);
    const coder = await startEndpoint([{ text: 'working', end: 'hang' }]);
    const machine = new Machine(main, coder);
    machines.push(machine);
    const { child, ended } = machine.start(['ask', 'GO-ON']);
    await coder.waitForChats(1);
    child.kill('SIGKILL');
    await ended;
    expect(await machine.ask('-c', 'hi')).toMatchObject({ stdout: 'hello\n', stderr: '', status: 0 });
    const messages = main.chats[1]?.body?.messages.slice(1) ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(messages[2]?.content).toMatch(/cancelled/);
    expect(fs.readdirSync(machine.sessionsDir)).toEqual(machine.sessionFiles);
  });
});

describe('signals', () => {
  it.each(['SIGHUP', 'SIGTERM', 'SIGINT'] as const)(
    'D04: %s keeps the prompt and what had arrived, marked as interrupted',
    async (signal) => {
      const main = await startEndpoint([{ text: 'partial text', end: 'hang' }, { text: 'resumed' }]);
      const machine = new Machine(main);
      machines.push(machine);
      const { child, ended } = machine.start(['ask', '--no-tools', 'SECOND-PROMPT']);
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      child.kill(signal);
      expect((await ended).status).toBeGreaterThan(128);
      const [name = ''] = machine.sessionFiles;
      expect(loadSession(machine.sessionsDir, name.slice(0, -'.jsonl'.length)).messagesAt()).toEqual([
        { role: 'user', content: 'SECOND-PROMPT' },
        { role: 'assistant', content: 'partial text', incomplete: 'aborted' },
      ]);
      expect(await machine.ask('-c', 'go on')).toMatchObject({ stdout: 'resumed\n', status: 0 });
      expect(JSON.stringify(main.chats[1]?.body)).toMatch(/SECOND-PROMPT.*partial text.*go on/);
    },
  );
});

describe('processes beside each other', () => {
  it('D02: ten at once have ten sessions, each whole', async () => {
    const main = await startEndpoint(() => ({ text: 'done', delayMs: 100 }));
    const machine = new Machine(main);
    machines.push(machine);
    const ended = await Promise.all(Array.from({ length: 10 }, (_, i) => machine.ask(`job ${i}`)));
    expect(ended.every(({ stdout, status }) => stdout === 'done\n' && status === 0)).toBe(true);
    expect(machine.sessionFiles).toHaveLength(10);
    for (const name of machine.sessionFiles)
      for (const line of fs.readFileSync(path.join(machine.sessionsDir, name), 'utf8').trim().split('\n')) JSON.parse(line);
  });

  it('D02: the second writer of a session is told which process has it, and a reader sees whole records', async () => {
    const main = await startEndpoint([{ text: 'one' }, { text: 'two', delayMs: 1500 }]);
    const machine = new Machine(main);
    machines.push(machine);
    await machine.ask('first');
    const { child, ended } = machine.start(['ask', '-c', 'LEFT']);
    await main.waitForChats(2);
    const second = await machine.ask('-c', 'RIGHT');
    expect(second).toMatchObject({ stdout: '', status: 1 });
    expect(second.stderr).toContain(`in use by process ${child.pid}`);
    expect(await machine.run(['sessions', 'show'])).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('LEFT') });
    expect(await ended).toMatchObject({ stdout: 'two\n', status: 0 });
  });
});

describe('a disk that is full', () => {
  it.runIf(fs.existsSync('/dev/full'))('D03: the answer comes, the warning once, and nothing is promised that was not saved', async () => {
    const main = await startEndpoint([{ text: 'one' }, { text: 'two' }]);
    const machine = new Machine(main);
    machines.push(machine);
    await machine.ask('first');
    const file = path.join(machine.sessionsDir, machine.sessionFiles[0] ?? '');
    const before = fs.readFileSync(file);
    const limited = await machine.run([], {
      script: `ulimit -f $(( ($(stat -c %s '${file}') + 1023) / 1024 )); trap '' XFSZ; $FROST ask -c --output json "$(printf 'x%.0s' $(seq 5000))"`,
    });
    expect(JSON.parse(limited.stdout)).toMatchObject({ is_error: false, result: 'two' });
    expect(JSON.parse(limited.stdout)).not.toHaveProperty('session_id');
    expect(limited.stderr.match(/not saved/g)).toHaveLength(1);
    expect(fs.readFileSync(file).subarray(0, before.length)).toEqual(before);
    expect(loadSession(machine.sessionsDir, path.basename(file, '.jsonl')).messagesAt()).toHaveLength(2);
  });
});
