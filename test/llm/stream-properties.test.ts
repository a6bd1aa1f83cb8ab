/** 10,000 streams a run, split, cut and damaged anywhere: no crash, no hang, no wrong success. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attempt } from '../../src/llm/attempt.js';
import { CompletionReader } from '../../src/llm/completion-reader.js';
import type { Sdk } from '../../src/llm/sdk.js';
import { DONE, data, delta, finish, frame } from './support/frames.js';

interface Call {
  name: string;
  arguments: string;
}

interface Answer {
  reasoning: string[];
  text: string[];
  calls: Call[];
  style: Style;
}

interface Style {
  eol: '\n' | '\r\n';
  bom: boolean;
  comments: boolean;
  index: boolean;
  repeat: boolean;
  whole: boolean;
  done: boolean;
  usage: boolean;
}

const style: fc.Arbitrary<Style> = fc.record({
  eol: fc.constantFrom('\n', '\r\n'),
  bom: fc.boolean(),
  comments: fc.boolean(),
  index: fc.boolean(),
  repeat: fc.boolean(),
  whole: fc.boolean(),
  done: fc.boolean(),
  usage: fc.boolean(),
});

const piece = fc.oneof(
  fc.constantFrom('Grüße', '你好 👋', 'a\nb', '<b>', 'data: x', '\r', '`<think>`', '[DONE]', '{"a":1}'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);

const answer: fc.Arbitrary<Answer> = fc.record({
  reasoning: fc.array(piece, { maxLength: 2 }),
  // A text that begins like a tag or with spaces is another test's matter.
  text: fc.array(piece, { maxLength: 5 }).map((pieces) => ['Answer: ', ...pieces]),
  calls: fc.array(
    fc.record({
      name: fc.constantFrom('greet', 'use_subagent'),
      arguments: fc.dictionary(piece, piece, { maxKeys: 2 }).map((one) => JSON.stringify(one)),
    }),
    { maxLength: 3 },
  ),
  style,
});

function callFrames({ calls, style: { index, repeat, whole } }: Answer): string[] {
  return calls.flatMap((call, at) => {
    const head = { ...(index && { index: at }), id: `call_${at}`, type: 'function' };
    const cut = whole ? call.arguments.length : Math.floor(call.arguments.length / 2);
    const pieces = [call.arguments.slice(0, cut), call.arguments.slice(cut)].filter((one, nth) => nth === 0 || one !== '');
    return pieces.map((args, nth) => {
      const isNamed = nth === 0 || repeat;
      return delta({
        tool_calls: [{ ...(isNamed ? head : index && { index: at }), function: { ...(isNamed && { name: call.name }), arguments: args } }],
      });
    });
  });
}

function streamOf(one: Answer): string {
  const { eol, bom, comments, done, usage } = one.style;
  const frames = [
    delta({ role: 'assistant', content: '' }),
    ...one.reasoning.map((text) => delta({ reasoning_content: text })),
    ...one.text.map((text) => delta({ content: text })),
    ...callFrames(one),
    finish(one.calls.length > 0 ? 'tool_calls' : 'stop'),
    ...(usage ? [data({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })] : []),
    ...(done ? [DONE] : []),
  ];
  const stream = frames
    .map((text) => (comments ? `: keep-alive\n\n${text}` : text))
    .join('')
    .replaceAll('\n', eol);
  return bom ? `\ufeff${stream}` : stream;
}

/** Reads these bytes, in pieces that end at the given places (parts of the whole). */
async function read(bytes: Uint8Array, cuts: number[] = []) {
  const places = [...new Set([0, ...cuts.map((part) => Math.floor(part * bytes.length)), bytes.length])].sort((a, b) => a - b);
  async function* body() {
    for (let at = 1; at < places.length; at++) yield bytes.subarray(places[at - 1], places[at]);
  }
  const headers = { get: (name: string) => (name === 'content-type' ? 'text/event-stream' : null), entries: () => [].values() };
  const sdk = { chat: async () => ({ ok: true, status: 200, url: 'http://llm.test', headers, body: body() }) } as unknown as Sdk;
  const reader = new CompletionReader();
  const pieces = attempt({ sdk, base: { url: 'http://llm.test', query: {} }, body: {}, signal: new AbortController().signal, reader });
  let text = '';
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) return { end: value, reader, text, verdict: value.kind === 'read' ? value.verdict : value.kind };
    text += value.text;
  }
}

const bytesOf = (one: Answer) => new TextEncoder().encode(streamOf(one));
const parts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
const isSuccess = (verdict: string) => verdict === 'stop' || verdict === 'tool_calls';
const callsOf = (reader: CompletionReader) =>
  reader.calls.finish(new Set()).map(({ name, arguments: args }) => ({ name, arguments: args }));

describe('10,000 streams', () => {
  it('say the same however the network cuts them', async () => {
    await fc.assert(
      fc.asyncProperty(answer, parts, async (one, cuts) => {
        const { verdict, reader, text } = await read(bytesOf(one), cuts);
        expect(verdict).toBe(one.calls.length > 0 ? 'tool_calls' : 'stop');
        expect(text).toBe(one.text.join(''));
        expect(reader.message().reasoning?.text ?? '').toBe(one.reasoning.join(''));
        expect(callsOf(reader)).toEqual(one.calls);
        expect(reader.usage).toEqual(one.style.usage ? { inputTokens: 3, outputTokens: 2 } : undefined);
      }),
      { numRuns: 4000 },
    );
  });

  it('are no success where they end too early, and never give half a call', async () => {
    await fc.assert(
      fc.asyncProperty(answer, parts, fc.double({ min: 0, max: 1, noNaN: true }), async (one, cuts, part) => {
        const bytes = bytesOf(one);
        const { verdict, reader, text } = await read(bytes.subarray(0, Math.floor(part * bytes.length)), cuts);
        const whole = one.text.join('');
        expect(whole.startsWith(text.replace(/\ufffd+$/, ''))).toBe(true);
        if (!isSuccess(verdict)) return;
        expect(text).toBe(whole);
        expect(callsOf(reader)).toEqual(one.calls);
      }),
      { numRuns: 3000 },
    );
  });

  it('end, whatever bytes are changed', async () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      kind: fc.constantFrom('replace', 'remove', 'insert'),
      byte: fc.nat(255),
    });
    await fc.assert(
      fc.asyncProperty(answer, parts, fc.array(change, { minLength: 1, maxLength: 4 }), async (one, cuts, changes) => {
        const bytes = [...bytesOf(one)];
        for (const { at, kind, byte } of changes) {
          bytes.splice(Math.floor(at * bytes.length), kind === 'insert' ? 0 : 1, ...(kind === 'remove' ? [] : [byte]));
        }
        const { verdict, reader } = await read(Uint8Array.from(bytes), cuts);
        expect(verdict).toBeTypeOf('string');
        expect(callsOf(reader).every(({ name }) => name !== '')).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it('end, whatever values stand where others should', async () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const odd = fc.oneof(
      value.map(data),
      value.map((given) => frame({ delta: given })),
      fc.record({ content: value, tool_calls: value, reasoning: value, function_call: value }, { requiredKeys: [] }).map(delta),
      fc.record({ index: value, id: value, function: value }, { requiredKeys: [] }).map((call) => delta({ tool_calls: [call] })),
      fc.record({ choices: value, usage: value, error: value }, { requiredKeys: [] }).map(data),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(odd, { maxLength: 6 }), fc.boolean(), async (frames, isFinished) => {
        const { verdict } = await read(new TextEncoder().encode([...frames, ...(isFinished ? [finish('stop'), DONE] : [])].join('')));
        expect(verdict).toBeTypeOf('string');
      }),
      { numRuns: 1500 },
    );
  });
});
