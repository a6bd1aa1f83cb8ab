import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactHistory, contextThreshold, estimateTokens } from '../../src/agent/compaction.js';
import { repairHistory } from '../../src/agent/repair.js';
import { type Message, textOf } from '../../src/llm/messages.js';
import type { Model, ModelEnd, ModelRequest } from '../../src/llm/port.js';
import { pairingProblem } from '../support/pairing.js';

/** A model that gives these replies in order, keeps what it was asked, and fails when it is asked too often. */
function replies(...script: (string | Partial<ModelEnd>)[]): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    name: 'mock',
    host: 'localhost:1',
    requests,
    async *stream(request) {
      const reply = script[requests.length];
      requests.push(request);
      if (reply === undefined) throw new Error('asked more often than scripted');
      const message = { role: 'assistant' as const, content: typeof reply === 'string' ? reply : '' };
      const end: ModelEnd = { type: 'end', reason: 'stop', message, textPassedOn: false, usage: { inputTokens: 100, outputTokens: 10 } };
      yield typeof reply === 'string' ? end : { ...end, ...reply };
    },
  };
}

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content });
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'look', arguments: '{}' })),
});
const result = (callId: string, content: string): Message => ({ role: 'tool', callId, name: 'look', content });
const signal = new AbortController().signal;

/** A hundred exchanges of about 200 tokens. */
const long = Array.from({ length: 100 }, (_, i) => [
  user(`question ${i}: ${'word '.repeat(60)}`),
  says(`answer ${i}: ${'word '.repeat(60)}`),
]).flat();

describe('estimating tokens', () => {
  it('counts four characters of English and one of Chinese as about a token', () => {
    expect(estimateTokens([user('The quick brown fox jumps over the lazy dog.')])).toBeGreaterThanOrEqual(11);
    expect(estimateTokens([user('The quick brown fox jumps over the lazy dog.')])).toBeLessThan(20);
    expect(estimateTokens([user('敏捷的棕色狐狸跳过了懒狗')])).toBeGreaterThanOrEqual(12);
  });

  it('counts calls, reasoning and pictures', () => {
    const bare = estimateTokens([says('x')]);
    expect(estimateTokens([{ ...says('x'), reasoning: { field: 'reasoning', text: 'word '.repeat(100) } } as Message])).toBeGreaterThan(
      bare + 100,
    );
    expect(estimateTokens([calls('a')])).toBeGreaterThan(bare);
    expect(estimateTokens([{ role: 'user', content: [{ type: 'image', url: `data:image/png;base64,${'A'.repeat(1e6)}` }] }])).toBeLessThan(
      2000,
    );
  });

  it('leaves room for the answer, also in a small window', () => {
    expect(contextThreshold(128_000, undefined)).toBe(128_000 - 16_384);
    expect(contextThreshold(4096, undefined)).toBe(3072);
    expect(contextThreshold(128_000, { reserveTokens: 1000 })).toBe(127_000);
  });
});

describe('compacting a history', () => {
  it('replaces the older messages by a summary and keeps the newest as they are', async () => {
    const model = replies('They talked.');
    const done = await compactHistory({ messages: long, model, settings: { contextWindow: 16_000 }, signal });
    if (!done || !('messages' in done)) throw new Error('not compacted');
    expect(textOf(done.messages[0] as Message)).toContain('They talked.');
    expect(done.messages.slice(1)).toEqual(long.slice(-done.kept));
    expect(done.kept).toBeGreaterThan(2);
    expect(done.tokensAfter).toBeLessThan(done.tokensBefore / 2);
    expect(done.usage).toEqual({ inputTokens: 100, outputTokens: 10 });
    expect(model.requests[0]?.tools).toEqual([]);
    expect(textOf(model.requests[0]?.messages[1] as Message)).toContain('question 0');
  });

  it('keeps the system prompt', async () => {
    const done = await compactHistory({
      messages: [{ role: 'system', content: 'be brief' }, ...long],
      model: replies('S'),
      settings: {},
      signal,
      force: true,
    });
    expect(done && 'messages' in done && done.messages[0]).toEqual({ role: 'system', content: 'be brief' });
  });

  it('A04: leaves a history a strict server takes, wherever the cut falls', async () => {
    const step = fc.oneof(
      fc.nat({ max: 400 }).map((n) => [user('u'.repeat(n + 1))]),
      fc.nat({ max: 400 }).map((n) => [says('s'.repeat(n + 1))]),
      fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 900 })).map(([n, size]) => {
        const ids = Array.from({ length: n + 1 }, (_, i) => `c${i}`);
        return [calls(...ids), ...ids.map((id) => result(id, 'r'.repeat(size)))];
      }),
    );
    const histories = fc.array(step, { minLength: 1, maxLength: 20 }).map((steps) => repairHistory(steps.flat()));
    const settings = fc.record(
      { contextWindow: fc.integer({ min: 200, max: 4000 }), keepRecentTokens: fc.nat({ max: 800 }) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(histories, settings, fc.boolean(), async (messages, given, force) => {
        const done = await compactHistory({ messages, model: replies('S'), settings: given, signal, force });
        if (!done || !('messages' in done)) return;
        expect(pairingProblem(done.messages)).toBeUndefined();
        expect(done.messages.slice(1)).toEqual(done.kept === 0 ? [] : messages.slice(-done.kept));
        if (messages.at(-1)?.role === 'user') expect(done.messages.at(-1)).toBe(messages.at(-1));
      }),
      { numRuns: 300 },
    );
  });

  it('makes room in the middle of a long turn, and keeps the request word for word', async () => {
    const turn = [
      user('Sort the files by date, newest first.'),
      ...Array.from({ length: 30 }, (_, i) => [calls(`c${i}`), result(`c${i}`, 'word '.repeat(300))]).flat(),
    ];
    const done = await compactHistory({ messages: turn, model: replies('Half done.'), settings: { contextWindow: 8000 }, signal });
    if (!done || !('messages' in done)) throw new Error('not compacted');
    expect(done.summary).toContain('Sort the files by date, newest first.');
    expect(pairingProblem(done.messages)).toBeUndefined();
    expect(done.kept).toBeGreaterThan(0);
  });

  it('carries an earlier summary into the next one', async () => {
    const first = await compactHistory({ messages: long, model: replies('FIRST-SUMMARY'), settings: { contextWindow: 16_000 }, signal });
    if (!first || !('messages' in first)) throw new Error('not compacted');
    const model = replies('SECOND');
    const second = await compactHistory({ messages: [...first.messages, ...long], model, settings: { contextWindow: 16_000 }, signal });
    expect(textOf(model.requests[0]?.messages[1] as Message)).toContain('FIRST-SUMMARY');
    expect(second && 'messages' in second && second.messages.map(textOf).join()).not.toContain('FIRST-SUMMARY');
  });

  it('tries with less text where the summary itself is too long for the model', async () => {
    const tooLong = { reason: 'error' as const, error: { kind: 'context_length' as const, message: 'too long' } };
    const model = replies(tooLong, 'S');
    const done = await compactHistory({ messages: long, model, settings: {}, signal, force: true });
    expect(done && 'messages' in done).toBe(true);
    const [one = 0, two = 0] = model.requests.map(({ messages }) => estimateTokens(messages));
    expect(two).toBeLessThan(one * 0.7);
    expect(done?.usage).toEqual({ inputTokens: 200, outputTokens: 20 });
  });

  it('says why there is no summary, and changes nothing', async () => {
    const failure = { kind: 'unavailable' as const, message: 'localhost:1 does not answer' };
    const done = await compactHistory({
      messages: long,
      model: replies({ reason: 'error', error: failure }),
      settings: {},
      signal,
      force: true,
    });
    expect(done).toMatchObject({ failure });
    expect(await compactHistory({ messages: long, model: replies('  '), settings: {}, signal, force: true })).toMatchObject({
      failure: { kind: 'empty' },
    });
  });

  it('is never asked for once the run was stopped', async () => {
    const model = replies();
    expect(await compactHistory({ messages: long, model, settings: {}, signal: AbortSignal.abort(), force: true })).toBeUndefined();
    expect(model.requests).toEqual([]);
  });

  it('leaves a conversation alone that has nothing to summarise', async () => {
    expect(await compactHistory({ messages: [user('hi')], model: replies(), settings: {}, signal, force: true })).toBeUndefined();
    expect(await compactHistory({ messages: [], model: replies(), settings: {}, signal, force: true })).toBeUndefined();
  });
});
