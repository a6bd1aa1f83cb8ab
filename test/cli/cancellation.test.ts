import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type ScriptedCall, startEndpoint } from '../support/endpoint.js';
import { Machine } from '../support/frost.js';

const machines: Machine[] = [];

afterEach(async () => {
  await closeEndpoints();
  for (const machine of machines.splice(0)) machine.remove();
});

const delegate = (...tasks: string[]): ScriptedCall[] =>
  tasks.map((content, n) => ({ name: 'use_subagent', id: `call_${n}`, arguments: { subagent_name: 'Coder', content } }));

interface Line {
  agent?: string;
  type: string;
  message?: { role: string; toolCalls?: { id: string }[]; callId?: string };
}

/** The ids of calls in the main agent's records that no result answers. */
function dangling(file: string): string[] {
  const lines = fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const messages = lines.filter(({ type, agent }) => type === 'message' && agent === undefined).map(({ message }) => message);
  const answered = new Set(messages.map((message) => message?.callId));
  return messages
    .flatMap((message) => message?.toolCalls ?? [])
    .map(({ id }) => id)
    .filter((id) => !answered.has(id));
}

describe('a run that is stopped', () => {
  it('at 100 random moments leaves no request behind and no call unanswered', { timeout: 120_000 }, async () => {
    const isFirst = (body: { messages: { role: string }[] } | undefined) => body?.messages.at(-1)?.role === 'user';
    const main = await startEndpoint(({ body }) =>
      isFirst(body) ? { calls: delegate('one', 'two'), paceMs: 20 } : { text: ['a', 'b', 'c'], paceMs: 40 },
    );
    const coder = await startEndpoint(() => ({ text: Array.from({ length: 10 }, (_, n) => `word ${n} `), paceMs: 20 }));
    const outlived: number[] = [];
    const unanswered: string[] = [];
    const statuses = new Set<number>();

    const once = async (): Promise<void> => {
      const machine = new Machine(main, coder);
      machines.push(machine);
      const { child, ended } = machine.start(['ask', 'go']);
      setTimeout(() => child.kill('SIGINT'), 60 + Math.random() * 700);
      statuses.add((await ended).status);
      const endedAt = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 30));
      for (const name of machine.sessionFiles) unanswered.push(...dangling(path.join(machine.sessionsDir, name)));
      outlived.push(Date.now() - endedAt);
    };
    const worker = async () => {
      for (let n = 0; n < 20; n++) await once();
    };
    await Promise.all(Array.from({ length: 5 }, worker));

    expect(unanswered).toEqual([]);
    // A start that had not set up its handlers yet dies by the signal itself; one that was through has its answer.
    expect([...statuses].every((status) => [130, 0].includes(status))).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const before = main.requests.length + coder.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(main.requests.length + coder.requests.length).toBe(before);
    const isOpen = [...main.requests, ...coder.requests].filter(
      ({ abortedAt, finishedAt }) => abortedAt === undefined && finishedAt === undefined,
    );
    expect(isOpen).toEqual([]);
  });

  it('stops every child within 200 ms of the parent, sockets closed', async () => {
    const main = await startEndpoint([{ calls: delegate('one', 'two', 'three') }]);
    const coder = await startEndpoint(() => ({ text: 'working', end: 'hang' }));
    const machine = new Machine(main, coder);
    machines.push(machine);
    const { child, ended } = machine.start(['ask', 'go']);
    await coder.waitForChats(3);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const at = Date.now();
    child.kill('SIGINT');
    expect((await ended).status).toBe(130);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(coder.chats.map(({ abortedAt }) => (abortedAt ?? Number.POSITIVE_INFINITY) - at < 500)).toEqual([true, true, true]);
  });
});

describe('the events of a run that is stopped while specialists work', () => {
  it.each([
    ['by a signal', [], 'SIGINT', 130],
    ['by --timeout', ['--timeout', '1'], undefined, 124],
  ] as const)('%s end with run_end, after the end of every child and its partial text', async (_, flags, signal, status) => {
    const main = await startEndpoint([{ calls: delegate('one', 'two') }]);
    const coder = await startEndpoint(() => ({ text: 'half', end: 'hang' }));
    const machine = new Machine(main, coder);
    machines.push(machine);
    const { child, ended } = machine.start(['ask', '--output', 'stream-json', ...flags, 'go']);
    await coder.waitForChats(2);
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (signal) child.kill(signal);
    const run = await ended;
    expect(run.status).toBe(status);
    const events = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; status?: string; text?: string });
    expect(events.at(-1)?.type).toBe('run_end');
    expect(events.filter(({ type }) => type === 'run_end')).toHaveLength(1);
    const ends = events.filter(({ type }) => type === 'agent_end');
    expect(ends.map((end) => [end.status, end.text])).toEqual([
      ['aborted', 'half'],
      ['aborted', 'half'],
    ]);
    const order = events.map(({ type }) => type);
    expect(order.indexOf('tool_end')).toBeGreaterThan(order.indexOf('agent_end'));
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('delegations side by side', () => {
  it('has eight children in flight at the endpoint together', async () => {
    let [now, most] = [0, 0];
    const main = await startEndpoint([{ calls: delegate(...'12345678') }, { text: 'all' }]);
    const coder = await startEndpoint(() => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now -= 1;
      }, 400);
      return { text: 'X', delayMs: 400 };
    });
    const machine = new Machine(main, coder);
    machines.push(machine);
    expect(await machine.ask('go')).toMatchObject({ stdout: 'all\n', status: 0 });
    expect(most).toBe(8);
  });
});
