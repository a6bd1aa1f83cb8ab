/** Whatever happened before, what goes out is a conversation that the strictest server takes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Compat } from '../../src/llm/compat.js';
import type { Message, ToolCall } from '../../src/llm/messages.js';
import { writeMessages } from '../../src/llm/wire-messages.js';
import { requestBody } from '../../src/llm/wire-request.js';
import { GREET, question } from './support/asking.js';
import { problemOf, type SentMessage } from './support/strict-server.js';

const write = (messages: Message[], compat: Compat = {}) => writeMessages(messages, compat) as SentMessage[];

const call = (id: string, args = '{}', name = 'greet'): ToolCall => ({ id, name, arguments: args });
const result = (callId: string, content = 'done'): Message => ({ role: 'tool', callId, name: 'greet', content });
const user = (content: string): Message => ({ role: 'user', content });

const id = fc.constantFrom('', 'A', 'B', 'call_0');
const text = fc.constantFrom('', 'hello', '`<think>`', 'Grüße 你好');
const args = fc.constantFrom('{}', '{"text":"hi"}', '{"text": "hi', '[1]', '3', 'null', '"hi"', '', 'plain words');
const name = fc.constantFrom('greet', 'server.tool', '', '__proto__', 'a b', 'x'.repeat(80));
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), content: text }),
  fc.record({ role: fc.constant('user' as const), content: text.map((one) => one || 'go on') }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: text,
    toolCalls: fc.array(fc.record({ id, name, arguments: args }), { maxLength: 3 }),
  }),
  fc.record({ role: fc.constant('tool' as const), callId: id, name, content: text }),
);

describe('the strict writer', () => {
  it.each([
    ['by default', {}, false],
    ['where turns must alternate', { alternate: true }, true],
    ['without tools', { tools: false, alternate: true }, true],
    ['without a system role', { systemRole: 'user', alternate: true }, true],
  ] as [string, Compat, boolean][])('makes any history valid %s', (_, compat, alternating) => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        expect(problemOf(write(messages, compat), alternating)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves a sound conversation as it is', () => {
    const sound: Message[] = [
      { role: 'system', content: 'be kind' },
      user('hi'),
      { role: 'assistant', content: '', toolCalls: [call('A', '{"text":"one"}'), call('B', '{"text":"two"}')] },
      result('A', 'one'),
      result('B', 'two'),
      { role: 'assistant', content: 'bye' },
    ];
    expect(write(sound)).toEqual([
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'A', type: 'function', function: { name: 'greet', arguments: '{"text":"one"}' } },
          { id: 'B', type: 'function', function: { name: 'greet', arguments: '{"text":"two"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'A', content: 'one' },
      { role: 'tool', tool_call_id: 'B', content: 'two' },
      { role: 'assistant', content: 'bye' },
    ]);
  });

  it('answers a call without result, and leaves out a result without call', () => {
    const sent = write([user('hi'), { role: 'assistant', content: '', toolCalls: [call('A')] }, result('Z'), user('and now?')]);
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(sent[2]).toMatchObject({ tool_call_id: 'A', content: expect.stringContaining('cancelled') });
  });

  it('gives each turn its own ids where a server used one id again and again', () => {
    const turn = (content: string): Message[] => [
      { role: 'assistant', content: '', toolCalls: [call('call_0')] },
      result('call_0', content),
    ];
    const sent = write([user('hi'), ...turn('one'), ...turn('two')]);
    const ids = sent.flatMap((one) => one.tool_calls?.map((made) => made.id) ?? []);
    expect(new Set(ids).size).toBe(2);
    expect(sent.filter(({ role }) => role === 'tool').map((one) => [one.tool_call_id, one.content])).toEqual([
      [ids[0], 'one'],
      [ids[1], 'two'],
    ]);
  });

  it('gives reasoning back in the field it came in, within the running turn', () => {
    const thinking = (reasoning: 'reasoning_content' | 'reasoning' | 'think'): Message[] => [
      { role: 'assistant', content: '', toolCalls: [call('A')], reasoning: { field: reasoning, text: 'hm' } },
      result('A'),
    ];
    expect(write([user('hi'), ...thinking('reasoning_content')])[1]).toMatchObject({ reasoning_content: 'hm' });
    expect(write([user('hi'), ...thinking('reasoning')])[1]).toMatchObject({ reasoning: 'hm' });
    expect(JSON.stringify(write([user('hi'), ...thinking('think')]))).not.toContain('hm');
    expect(JSON.stringify(write([user('hi'), ...thinking('reasoning'), user('next')]))).not.toContain('hm');
    expect(JSON.stringify(write([user('hi'), ...thinking('reasoning')], { reasoningBack: false }))).not.toContain('hm');
    const all = write([user('hi'), ...thinking('reasoning_content'), { role: 'assistant', content: 'bye' }, user('x')], {
      reasoningBack: 'all',
    });
    expect(all.filter(({ role }) => role === 'assistant').map((one) => one['reasoning_content'])).toEqual(['hm', '']);
  });

  it('sends images as the user would, also those of a tool', () => {
    const url = 'data:image/png;base64,AA==';
    const sent = write([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is this?' },
          { type: 'image', url },
        ],
      },
      { role: 'assistant', content: '', toolCalls: [call('A')] },
      { role: 'tool', callId: 'A', name: 'greet', content: 'a picture', images: [{ type: 'image', url }] },
    ]);
    expect(sent[0]?.content).toEqual([
      { type: 'text', text: 'what is this?' },
      { type: 'image_url', image_url: { url } },
    ]);
    expect(sent.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'text' }, { type: 'image_url', image_url: { url } }] });
    expect(JSON.stringify(write([{ role: 'user', content: [{ type: 'image', url }] }], { images: false }))).not.toContain(url);
  });
});

describe('a request', () => {
  it('has only what every endpoint knows', () => {
    const body = requestBody('mock', question({ messages: [{ role: 'system', content: 's' }, user('hi')] }), {});
    expect(Object.keys(body).sort()).toEqual(['messages', 'model', 'stream', 'stream_options']);
  });

  it('has each part where it is asked for, in the form that the endpoint knows', () => {
    const asked = question({
      tools: [GREET],
      reasoningEffort: 'low',
      maxOutputTokens: 5,
      responseFormat: { name: 'n', schema: { type: 'object' } },
    });
    const format = { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } };
    expect(requestBody('mock', asked, {})).toMatchObject({
      tools: [{ type: 'function', function: GREET }],
      reasoning_effort: 'low',
      max_tokens: 5,
      response_format: format,
    });
    const other = requestBody('mock', asked, {
      tools: false,
      reasoningEffort: false,
      maxTokensField: 'max_completion_tokens',
      responseFormat: 'json_object',
      stream: false,
    });
    expect(other).toMatchObject({ max_completion_tokens: 5, response_format: { type: 'json_object' }, stream: false });
    for (const name of ['tools', 'reasoning_effort', 'max_tokens', 'stream_options', 'parallel_tool_calls'])
      expect(other).not.toHaveProperty(name);
  });
});
