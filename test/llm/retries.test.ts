import { afterEach, describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../src/llm/port.js';
import { backoffMs, durationText, retryAfterMs } from '../../src/llm/retry-policy.js';
import { closeEndpoints, type Reply, startEndpoint } from '../support/endpoint.js';
import { ask } from './support/asking.js';
import { answer, DONE, data, delta, finish } from './support/frames.js';

afterEach(closeEndpoints);

/** Text that is read before the connection is reset. */
const cut = (...blocks: string[]): Reply => ({ sse: [...blocks, ': the end\n\n'], paceMs: 20, end: 'reset' });

const SOON = { 'retry-after-ms': '1' };
const OK: Reply = { text: 'ok' };
const retries = (events: ModelEvent[]) => events.filter((event) => event.type === 'retry');

describe('a retry', () => {
  it.each([408, 409, 429, 500, 502, 503, 504, 529])('follows %i, visibly, and the answer comes once', async (status) => {
    const endpoint = await startEndpoint([{ status, headers: SOON, body: { error: { message: 'overloaded' } } }, OK]);
    const { events, text, end } = await ask(endpoint.url);
    expect(text).toBe('ok');
    expect(end.reason).toBe('stop');
    expect(retries(events)).toEqual([
      { type: 'retry', attempt: 1, maxAttempts: 3, delayMs: 1, status, reason: `HTTP ${status} (overloaded)` },
    ]);
  });

  it.each([400, 401, 402, 403, 404, 413, 422, 501])('does not follow %i', async (status) => {
    const endpoint = await startEndpoint(() => ({ status, headers: SOON, body: { error: { message: 'no' } } }));
    const { end } = await ask(endpoint.url);
    expect(end.reason).toBe('error');
    expect(endpoint.chats.length).toBe(1);
  });

  it('is not made without credit', async () => {
    const endpoint = await startEndpoint(() => ({
      status: 429,
      headers: SOON,
      body: { error: { code: 'insufficient_quota', message: 'no credit' } },
    }));
    expect((await ask(endpoint.url)).end.error?.message).toContain('no credit');
    expect(endpoint.chats.length).toBe(1);
  });

  it('ends after three attempts in all', async () => {
    const endpoint = await startEndpoint(() => ({ status: 500, headers: SOON, body: { error: { message: 'boom' } } }));
    const { end, events } = await ask(endpoint.url);
    expect(end.error).toMatchObject({ kind: 'unavailable', facts: { status: 500 } });
    expect(endpoint.chats.length).toBe(3);
    expect(retries(events).length).toBe(2);
  });

  it('waits as long as Retry-After says, in seconds', async () => {
    const endpoint = await startEndpoint([{ status: 429, headers: { 'retry-after': '1' } }, OK]);
    expect((await ask(endpoint.url)).text).toBe('ok');
    const [first, second] = endpoint.chats;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('is not made where the server asks for more than a minute, and the time is named', async () => {
    const endpoint = await startEndpoint([{ status: 429, headers: { 'retry-after': '3600' }, body: { error: { message: 'slow down' } } }]);
    const { end } = await ask(endpoint.url);
    expect(end.error).toMatchObject({ kind: 'rate_limited', message: expect.stringContaining('60 min') });
    expect(endpoint.chats.length).toBe(1);
  });

  it('follows a connection that was reset before any text', async () => {
    const endpoint = await startEndpoint([cut(': hello\n\n'), OK]);
    const { text, events } = await ask(endpoint.url);
    expect(text).toBe('ok');
    expect(retries(events)).toMatchObject([{ reason: 'ECONNRESET' }]);
  });

  it('follows half a tool call, which is given once and whole', async () => {
    const half = delta({ tool_calls: [{ index: 0, id: 'A', function: { name: 'greet', arguments: '{"te' } }] });
    const endpoint = await startEndpoint([{ sse: [half] }, { calls: [{ name: 'greet', arguments: { text: 'hi' } }] }]);
    const { end } = await ask(endpoint.url);
    expect(end.message.toolCalls).toMatchObject([{ name: 'greet', arguments: '{"text":"hi"}' }]);
  });

  it('follows an overload that is reported inside the stream, before any text', async () => {
    const endpoint = await startEndpoint([{ sse: [data({ error: { code: 503, message: 'overloaded' } }), DONE] }, OK]);
    expect((await ask(endpoint.url)).text).toBe('ok');
  });

  it('is never made after text was passed on', async () => {
    const endpoint = await startEndpoint([cut(delta({ content: 'alpha ' }), delta({ content: 'beta ' })), { text: 'alpha beta gamma' }]);
    const { end, text } = await ask(endpoint.url);
    expect(text).toBe('alpha beta ');
    expect(end).toMatchObject({
      reason: 'error',
      error: { kind: 'incomplete', message: expect.stringContaining('ECONNRESET') },
      message: { content: 'alpha beta ' },
    });
    expect(endpoint.chats.length).toBe(1);
  });
});

describe('an answer that goes on after a cut, where that is asked for', () => {
  const start = 'The quick brown fox jumps over the lazy dog, and then it ';
  const resumed = async (rest: string) => {
    const endpoint = await startEndpoint([cut(delta({ content: start })), { sse: answer([{ content: rest }]) }]);
    return { endpoint, ...(await ask(endpoint.url, {}, { resumeStream: true })) };
  };

  it.each([
    ['exactly there', 'sleeps.'],
    ['with the last words again', 'and then it sleeps.'],
    ['from the beginning', `${start}sleeps.`],
  ])('%s', async (_, rest) => {
    const { text, end, endpoint } = await resumed(rest);
    expect(text).toBe(`${start}sleeps.`);
    expect(end).toMatchObject({ reason: 'stop', message: { content: `${start}sleeps.` } });
    expect(endpoint.chats[1]?.body?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('fails with all the text where it is cut again and again', async () => {
    const endpoint = await startEndpoint(() => cut(delta({ content: 'more and more ' })));
    const { end, text } = await ask(endpoint.url, {}, { resumeStream: true });
    expect(end).toMatchObject({ reason: 'error', error: { kind: 'incomplete' } });
    expect(end.message.content).toBe(text);
    expect(endpoint.chats.length).toBe(3);
  });
});

describe('usage', () => {
  it('is the sum over the attempts', async () => {
    const usage = data({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } });
    const endpoint = await startEndpoint([
      { sse: [usage, delta({ role: 'assistant' })] },
      { sse: [usage, delta({ content: 'ok' }), finish('stop'), DONE] },
    ]);
    expect((await ask(endpoint.url)).end.usage).toEqual({ inputTokens: 10, outputTokens: 2 });
  });
});

describe('times', () => {
  const headers = (fields: Record<string, string>) => ({ get: (name: string) => fields[name] ?? null });
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:04 GMT' }, 4000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads %j', (fields, expected) => {
    expect(retryAfterMs(headers(fields as Record<string, string>), now)).toBe(expected);
  });

  it('backs off twice as long each time, up to 8 s', () => {
    expect([1, 2, 3, 10].map((attempt) => backoffMs(attempt, () => 0))).toEqual([500, 1000, 2000, 8000]);
    expect(backoffMs(1, () => 1)).toBe(375);
  });

  it.each([
    [900, '1 s'],
    [45_000, '45 s'],
    [3_600_000, '60 min'],
    [7_500_000, '2 h 5 min'],
    [7_200_000, '2 h'],
  ])('says %i ms as %s', (ms, text) => expect(durationText(ms)).toBe(text));
});
