import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type Endpoint, type Reply, startEndpoint } from '../support/endpoint.js';
import { Machine } from '../support/frost.js';

const machines: Machine[] = [];

afterEach(async () => {
  await closeEndpoints();
  for (const machine of machines.splice(0)) machine.remove();
});

async function scene(main: Reply[], coder: Reply[] = []): Promise<{ machine: Machine; main: Endpoint }> {
  const endpoints = await Promise.all([startEndpoint(main), startEndpoint(coder)]);
  const machine = new Machine(...endpoints);
  machines.push(machine);
  return { machine, main: endpoints[0] };
}

const calls = (name: string, args: object): Reply => ({ calls: [{ name, arguments: args }] });
const delegation = [calls('use_subagent', { subagent_name: 'Coder', content: 'CHILD-TASK' }), { text: 'FINAL-ANSWER' }];
const idsOf = (machine: Machine) => machine.sessionFiles.map((name) => name.slice(0, -'.jsonl'.length));

describe('frost sessions', () => {
  it('lists and shows what was said', async () => {
    const { machine } = await scene([{ text: 'FIRST-ANSWER' }, { text: 'SECOND-ANSWER' }]);
    await machine.ask('FIRST-PROMPT');
    await machine.ask('-c', 'SECOND-PROMPT');
    const [id = ''] = idsOf(machine);
    expect((await machine.run(['sessions'])).stdout).toMatch(new RegExp(`^${id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  FIRST-PROMPT\\n$`));
    const shown = await machine.run(['sessions', 'show']);
    expect(shown).toMatchObject({ stderr: '', status: 0 });
    expect(shown.stdout.match(/(FIRST|SECOND)-(PROMPT|ANSWER)/g)).toEqual([
      'FIRST-PROMPT',
      'FIRST-ANSWER',
      'SECOND-PROMPT',
      'SECOND-ANSWER',
    ]);
    const json = JSON.parse((await machine.run(['sessions', 'show', id.slice(-6), '--json'])).stdout);
    expect(json).toMatchObject({ id, version: 1, cwd: machine.home.cwd, agents: [] });
    expect(json.records.filter(({ type }: { type: string }) => type === 'message')).toHaveLength(4);
  });

  it("L6, L12: shows the transcript of a child from its parent's session; a child has no session of its own", async () => {
    const { machine } = await scene(delegation, [{ text: 'CHILD-ANSWER' }]);
    await machine.ask('PARENT-PROMPT');
    const [id = '', ...others] = idsOf(machine);
    expect(others).toEqual([]);
    const whole = (await machine.run(['sessions', 'show'])).stdout;
    const run = /--agent (\S+?)`/.exec(whole)?.[1] ?? '';
    expect(whole).toContain('Coder was called: mock at 127.0.0.1');
    const child = await machine.run(['sessions', 'show', id, '--agent', run]);
    expect(child.stdout).toMatch(/CHILD-TASK[\s\S]*CHILD-ANSWER/);
    expect(child.stdout).not.toMatch(/PARENT-PROMPT|FINAL-ANSWER/);
    expect((await machine.run(['sessions', 'show', id, '--agent', 'coder'])).stdout).toBe(child.stdout);
    expect(await machine.ask('-s', run, 'hi')).toMatchObject({ status: 66, stdout: '' });
    expect(await machine.run(['sessions', 'show', run])).toMatchObject({ status: 66, stdout: '' });
    expect(await machine.run(['sessions', 'show', id, '--agent', 'nobody'])).toMatchObject({
      status: 66,
      stdout: '',
      stderr: expect.stringContaining(`Coder ${run}`),
    });
  });

  it('exports everything, the child included, as Markdown and as JSON', async () => {
    const { machine } = await scene(delegation, [{ text: 'CHILD-ANSWER' }]);
    await machine.ask('PARENT-PROMPT');
    const [id = ''] = idsOf(machine);
    await machine.run(['sessions', 'rename', id, 'The name']);
    await machine.run(['sessions', 'export', id, '-o', 'out.md']);
    const markdown = fs.readFileSync(path.join(machine.home.cwd, 'out.md'), 'utf8');
    expect(markdown).toMatch(/^# The name\n[\s\S]*PARENT-PROMPT[\s\S]*> CHILD-ANSWER[\s\S]*FINAL-ANSWER\n$/);
    const json = JSON.parse((await machine.run(['sessions', 'export', id, '--format', 'json'])).stdout);
    expect(json).toMatchObject({ id, title: 'The name', agents: [{ name: 'Coder', status: 'done' }] });
    expect(json.records.filter(({ agent }: { agent?: string }) => agent !== undefined).length).toBeGreaterThanOrEqual(3);
    expect(await machine.run(['sessions', 'export', id, '--format', 'pdf'])).toMatchObject({ status: 2, stdout: '' });
  });

  it('deletes a session, with the changes it could have taken back', async () => {
    const { machine } = await scene([calls('write_file', { path: 'a.txt', content: 'a' }), { text: 'done' }, { text: 'other' }]);
    await machine.ask('--permission', 'edit', 'x');
    const [id = ''] = idsOf(machine);
    await machine.ask('y');
    expect(fs.readdirSync(machine.sessionsDir)).toContain(`${id}.undo`);
    expect(await machine.run(['sessions', 'rm', id])).toMatchObject({ status: 0, stdout: '' });
    expect(fs.readdirSync(machine.sessionsDir).filter((name) => name.includes(id))).toEqual([]);
    expect(machine.sessionFiles).toHaveLength(1);
    expect(await machine.run(['sessions', 'rm', id])).toMatchObject({ status: 66 });
  });

  it('takes back what a turn did to files, and leaves alone what somebody changed since', async () => {
    const { machine } = await scene([
      {
        calls: [calls('write_file', { path: 'new.txt', content: 'new' }), calls('write_file', { path: 'mine.txt', content: 'frost' })]
          .flatMap((reply) => reply.calls ?? [])
          .map((call, i) => ({ ...call, id: `call_${i}` })),
      },
      { text: 'done' },
    ]);
    await machine.ask('--permission', 'edit', 'x');
    machine.home.write('mine.txt', 'by hand');
    const undone = await machine.run(['sessions', 'undo']);
    expect(undone).toMatchObject({ stdout: `${path.join(machine.home.cwd, 'new.txt')}\n`, status: 1 });
    expect(undone.stderr).toMatch(/mine\.txt is left as it is: it was changed since/);
    expect(fs.existsSync(path.join(machine.home.cwd, 'new.txt'))).toBe(false);
    expect(fs.readFileSync(path.join(machine.home.cwd, 'mine.txt'), 'utf8')).toBe('by hand');
    expect(await machine.run(['sessions', 'undo'])).toMatchObject({ stdout: '', status: 1, stderr: expect.stringContaining('no change') });
  });

  it('says what is damaged, with its line, and shows the rest', async () => {
    const { machine } = await scene([{ text: 'FIRST-ANSWER' }]);
    await machine.ask('FIRST-PROMPT');
    const file = path.join(machine.sessionsDir, machine.sessionFiles[0] ?? '');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/.*FIRST-PROMPT.*/, 'garbage'));
    const shown = await machine.run(['sessions', 'show']);
    expect(shown.stdout).toContain('FIRST-ANSWER');
    expect(shown.stderr).toMatch(/^frost: \w+: line \d of the session is damaged and was skipped\n$/);
    expect(shown.status).toBe(0);
  });

  it('refuses a session of a newer version by name, and goes on with others', async () => {
    const { machine } = await scene([{ text: 'ok' }, { text: 'ok' }]);
    await machine.ask('one');
    const [id = ''] = idsOf(machine);
    const future = path.join(machine.sessionsDir, 'future.jsonl');
    const content = `{"type":"session","version":7,"id":"future","cwd":"/elsewhere"}\n`;
    fs.writeFileSync(future, content);
    expect(await machine.ask('-s', 'future', 'hi')).toMatchObject({
      status: 78,
      stdout: '',
      stderr: expect.stringMatching(/future.*newer frost/),
    });
    expect(fs.readFileSync(future, 'utf8')).toBe(content);
    expect(await machine.ask('-s', id, 'hi')).toMatchObject({ status: 0, stdout: 'ok\n' });
    expect((await machine.run(['sessions', 'list', '--all'])).stdout).toContain('newer frost');
  });

  it('a reader that goes away ends it without a stack trace', async () => {
    const { machine } = await scene([{ text: 'x'.repeat(200_000) }]);
    await machine.ask('long');
    const ended = await machine.run([], { script: '$FROST sessions show | head -c 10; echo "${PIPESTATUS[0]}" >&2' });
    expect(ended.stderr).toMatch(/^(141|0)\n$/);
  });
});
