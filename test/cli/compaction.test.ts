import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { loadSession } from '../../src/sessions/load.js';
import { closeEndpoints, type Endpoint, type RecordedRequest, type Reply, startEndpoint } from '../support/endpoint.js';
import { Machine } from '../support/frost.js';

const machines: Machine[] = [];

afterEach(async () => {
  await closeEndpoints();
  for (const machine of machines.splice(0)) machine.remove();
});

async function scene(script: Reply[] | ((request: RecordedRequest) => Reply)): Promise<{ machine: Machine; main: Endpoint }> {
  const main = await startEndpoint(script);
  const machine = new Machine(main);
  machines.push(machine);
  return { machine, main };
}

const long = (mark: string) => `${mark} ${'some words of an answer '.repeat(120)}`;
const textsOf = (main: Endpoint, index: number) => (main.chats[index]?.body?.messages ?? []).map(({ content }) => String(content ?? ''));
const isSummaryRequest = ({ body }: RecordedRequest) => JSON.stringify(body?.messages).includes('Write the summary.');

/** A strict server: every call answered once and at once. */
function unpaired(request: RecordedRequest): boolean {
  let open = 0;
  for (const { role, tool_calls } of request.body?.messages ?? []) {
    if (role === 'tool') open -= 1;
    else if (open !== 0) return true;
    else open = tool_calls?.length ?? 0;
    if (open < 0) return true;
  }
  return open !== 0;
}

describe('a conversation that outgrows the context', () => {
  it('goes on from a summary, tells so in events, and keeps every message in the session', async () => {
    const { machine, main } = await scene([
      { text: long('ONE') },
      { text: long('TWO') },
      { text: long('THREE') },
      { text: 'THE-SUMMARY' },
      { text: 'FOUR' },
      { text: 'FIVE' },
    ]);
    const env = { CONTEXT_WINDOW: '3000' };
    await machine.run(['ask', '--no-tools', 'first question'], { env });
    await machine.run(['ask', '--no-tools', '-c', 'second question'], { env });
    await machine.run(['ask', '--no-tools', '-c', 'third question'], { env });
    const ended = await machine.run(['ask', '--no-tools', '-c', '--output', 'stream-json', 'fourth question'], { env });
    const events = ended.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.filter(({ type }) => type === 'compaction')).toMatchObject([
      { state: 'start', trigger: 'auto' },
      { state: 'end', trigger: 'auto', summary: expect.stringContaining('THE-SUMMARY') },
    ]);
    expect(main.chats.map(isSummaryRequest)).toEqual([false, false, false, true, false]);
    expect(main.chats[3]?.body?.tools).toBeUndefined();
    expect(textsOf(main, 4).join()).toMatch(/THE-SUMMARY.*fourth question/s);
    expect(textsOf(main, 4).join()).not.toContain('first question');
    await machine.run(['ask', '--no-tools', '-c', 'fifth question'], { env });
    expect(textsOf(main, 5).join()).toMatch(/THE-SUMMARY.*FOUR.*fifth question/s);
    expect(textsOf(main, 5).join()).not.toContain('first question');
    const session = loadSession(machine.sessionsDir, machine.sessionFiles[0]?.replace('.jsonl', '') ?? '');
    expect([...session.records()].filter(({ type }) => type === 'message')).toHaveLength(10);
  });

  it('A04: makes room when the endpoint refuses, in the middle of a turn of many calls, and never parts a call from its result', async () => {
    let answered = 0;
    const { machine, main } = await scene((request) => {
      if (unpaired(request)) return { status: 400, body: { error: { message: 'a call without its result' } } };
      if (isSummaryRequest(request)) return { text: 'THE-SUMMARY' };
      const size = JSON.stringify(request.body?.messages).length;
      const error = { message: 'This model has a maximum context length of 4096 tokens.', code: 'context_length_exceeded' };
      if (size > 16_000) return { status: 400, body: { error } };
      answered += 1;
      if (answered > 12) return { text: 'DONE' };
      return {
        calls: [0, 1].map((i) => ({
          id: `call_${answered}_${i}`,
          name: 'send_message',
          arguments: { text: randomBytes(400).toString('hex') },
        })),
      };
    });
    const ended = await machine.run(['ask', '--max-turns', '40', 'THE-REQUEST']);
    expect(ended).toMatchObject({ stdout: 'DONE\n', status: 0 });
    expect(main.chats.some(isSummaryRequest)).toBe(true);
    expect(textsOf(main, main.chats.length - 1).join()).toMatch(/THE-SUMMARY.*THE-REQUEST/s);
  });
});
