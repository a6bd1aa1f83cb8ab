import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CANCELLED_RESULT, repairHistory } from '../../src/agent/repair.js';
import { charsOf, trimHistory } from '../../src/agent/trim.js';
import { type Message, type ToolCall, textOf } from '../../src/llm/messages.js';
import { pairingProblem } from '../support/pairing.js';

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content });
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id): ToolCall => ({ id, name: 'look', arguments: '{}' })),
});
const result = (callId: string, content = `result of ${callId}`): Message => ({ role: 'tool', callId, name: 'look', content });

const id = fc.constantFrom('', 'a', 'b', 'c', 'call_1', 'call_again_1');
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.string({ maxLength: 12 }).map(user),
  fc.string({ maxLength: 12 }).map(says),
  fc.array(id, { maxLength: 4 }).map((ids) => calls(...ids)),
  fc.tuple(id, fc.string({ maxLength: 12 })).map(([callId, content]) => result(callId, content)),
);
const anyHistory = fc.array(anyMessage, { maxLength: 30 }).map((rest): Message[] => [{ role: 'system', content: 'be brief' }, ...rest]);

describe('repairing a history', () => {
  it('A04: whatever was cut off, the next request is one a strict server takes', () => {
    fc.assert(
      fc.property(anyHistory, (history) => pairingProblem(repairHistory(history)) === undefined),
      { numRuns: 500 },
    );
  });

  it('never uses a call id twice in a conversation', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const ids = repairHistory(history)
          .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
          .map((call) => call.id);
        return new Set(ids).size === ids.length && !ids.includes('');
      }),
      { numRuns: 500 },
    );
  });

  it('loses no prompt and no text of the model', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const said = (messages: Message[]) =>
          messages
            .filter((message) => message.role !== 'tool')
            .map(textOf)
            .filter(Boolean);
        expect(said(repairHistory(history))).toEqual(said(history));
      }),
    );
  });

  it('leaves a sound history as it is, the same objects, and is the same when done twice', () => {
    const sound = [user('go'), calls('a', 'b'), result('a'), result('b'), says('done')];
    const repaired = repairHistory(sound);
    expect(repaired).toEqual(sound);
    expect(repaired.every((message, i) => message === sound[i])).toBe(true);
    fc.assert(
      fc.property(anyHistory, (history) => {
        expect(repairHistory(repairHistory(history))).toEqual(repairHistory(history));
      }),
    );
  });

  it('answers the call that Esc stopped, beside the one that had finished', () => {
    expect(repairHistory([user('go'), calls('a', 'b'), result('a'), user('hi')])).toEqual([
      user('go'),
      calls('a', 'b'),
      result('a'),
      { role: 'tool', callId: 'b', name: 'look', content: CANCELLED_RESULT, isError: true },
      user('hi'),
    ]);
  });

  it('puts results behind their call in call order, also those that a steering prompt came before', () => {
    expect(repairHistory([calls('a', 'b'), user('hurry'), result('b'), result('a')])).toEqual([
      calls('a', 'b'),
      result('a'),
      result('b'),
      user('hurry'),
    ]);
  });

  it('keeps the results of two calls apart that a server gave the same id', () => {
    const repaired = repairHistory([calls('x', 'x'), result('x', 'one'), result('x', 'two')]);
    expect(repaired.map(textOf)).toEqual(['', 'one', 'two']);
    expect(pairingProblem(repaired)).toBeUndefined();
  });
});

describe('trimming a history', () => {
  const sound = anyHistory.map(repairHistory);
  const limits = fc.record({ maxMessages: fc.nat({ max: 20 }), maxChars: fc.nat({ max: 120 }) }, { requiredKeys: [] });

  it('F10: never parts a call from its result, and keeps the system prompt and the newest prompt', () => {
    fc.assert(
      fc.property(sound, limits, (history, bounds) => {
        const trimmed = trimHistory(history, bounds);
        expect(pairingProblem(trimmed)).toBeUndefined();
        expect(trimmed[0]).toBe(history[0]);
        const prompt = history.findLast((message) => message.role === 'user');
        if (prompt) expect(trimmed).toContain(prompt);
        expect(trimmed.at(-1)).toBe(history.at(-1));
      }),
      { numRuns: 500 },
    );
  });

  it('stays inside MAX_CONTEXT_MESSAGES and MAX_CONTEXT_CHARS wherever the newest prompt and message leave room', () => {
    fc.assert(
      fc.property(sound, limits, (history, bounds) => {
        const rest = trimHistory(history, bounds).slice(1);
        const least = trimHistory(history, { maxMessages: 0 }).slice(1);
        const chars = (messages: Message[]) => messages.reduce((sum, message) => sum + charsOf(message), 0);
        expect(rest.length).toBeLessThanOrEqual(Math.max(least.length, bounds.maxMessages ?? Number.POSITIVE_INFINITY));
        expect(chars(rest)).toBeLessThanOrEqual(Math.max(chars(least), bounds.maxChars ?? Number.POSITIVE_INFINITY));
      }),
      { numRuns: 500 },
    );
  });

  it('changes nothing without limits', () => {
    fc.assert(
      fc.property(sound, (history) => {
        expect(trimHistory(history, {})).toEqual(history);
      }),
    );
  });

  it('drops whole old turns, so that what is left begins with a prompt', () => {
    const history = [user('1'), says('one'), user('2'), calls('a'), result('a'), says('two'), user('3')];
    expect(trimHistory(history, { maxMessages: 4 })).toEqual([user('3')]);
    expect(trimHistory(history, { maxMessages: 5 })).toEqual(history.slice(2));
  });

  it('keeps the question of a turn with more tool calls than fit', () => {
    const history = [user('q'), calls('a'), result('a'), calls('b'), result('b'), calls('c'), result('c')];
    expect(trimHistory(history, { maxMessages: 4 })).toEqual([user('q'), calls('c'), result('c')]);
  });
});
