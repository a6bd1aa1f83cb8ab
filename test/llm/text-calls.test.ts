import { afterEach, describe, expect, it } from 'vitest';
import type { TextCallDialect } from '../../src/llm/compat.js';
import { closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { ask, GREET } from './support/asking.js';

afterEach(closeEndpoints);

/** Letter by letter, with the dialect switched on. */
async function written(dialect: TextCallDialect, text: string, compat: Record<string, unknown> = {}) {
  const endpoint = await startEndpoint(() => ({ text: text.split('') }));
  const asked = await ask(endpoint.url, { tools: [GREET] }, { compat: { mock: { textToolCalls: dialect, ...compat } } });
  return { ...asked, endpoint, calls: (asked.end.message.toolCalls ?? []).map(({ name, arguments: args }) => [name, JSON.parse(args)]) };
}

describe('a call that the model writes as text', () => {
  it.each([
    ['hermes', '<tool_call>\n{"name": "greet", "arguments": {"text": "hi"}}\n</tool_call>'],
    ['hermes', '<tool_call>{"name": "greet", "arguments": "{\\"text\\": \\"hi\\"}"}'],
    ['qwen', '<tool_call>\n<function=greet>\n<parameter=text>\nhi\n</parameter>\n</function>\n</tool_call>'],
    ['llama', '{"name": "greet", "parameters": {"text": "hi"}}'],
    ['llama', '<|python_tag|>{"name": "greet", "parameters": {"text": "hi"}}<|eom_id|>'],
    ['llama', '<function=greet>{"text": "hi"}</function>'],
  ] as [TextCallDialect, string][])('is one, in the style of %s: %s', async (dialect, text) => {
    const { calls, end, text: shown } = await written(dialect, text);
    expect(end.reason).toBe('tool_calls');
    expect(calls).toEqual([['greet', { text: 'hi' }]]);
    expect(shown).toBe('');
  });

  it('may come twice, after some words', async () => {
    const block = (text: string) => `<tool_call>{"name":"greet","arguments":{"text":"${text}"}}</tool_call>`;
    const { calls, text } = await written('hermes', `I greet both.\n${block('one')}\n${block('two')}`);
    expect(calls).toEqual([
      ['greet', { text: 'one' }],
      ['greet', { text: 'two' }],
    ]);
    expect(text).toBe('I greet both.\n');
  });

  it.each([
    ['hermes', 'Write <tool_ call> or <b> tags.'],
    ['hermes', '<tool_call>{"name": "unknown", "arguments": {}}</tool_call>'],
    ['hermes', '<tool_call>no JSON</tool_call>'],
    ['llama', '{"answer": 42}'],
    ['llama', 'Use {"name": "greet"} for that.'],
  ] as [TextCallDialect, string][])('is text where it is none, in the style of %s: %s', async (dialect, text) => {
    const { end, text: shown } = await written(dialect, text);
    expect(end.reason).toBe('stop');
    expect(shown).toBe(text);
  });

  it('is told of in the system prompt where the endpoint takes no tools', async () => {
    const { endpoint, calls } = await written('hermes', '<tool_call>{"name":"greet","arguments":{}}</tool_call>', { tools: false });
    expect(endpoint.chats[0]?.body).not.toHaveProperty('tools');
    expect(endpoint.chats[0]?.body?.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('"greet"') });
    expect(calls).toEqual([['greet', {}]]);
  });

  it('is text without the setting', async () => {
    const endpoint = await startEndpoint([{ text: '{"name": "greet", "parameters": {}}' }]);
    expect((await ask(endpoint.url, { tools: [GREET] })).end.reason).toBe('stop');
  });
});
