/** What servers really send: each case stands for a report of an agent that lost an answer, glued two calls, or ran half of one. */
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type Reply, startEndpoint } from '../support/endpoint.js';
import { ask, GREET } from './support/asking.js';
import { answer, DONE, data, delta, finish, frame } from './support/frames.js';

afterEach(closeEndpoints);

async function reply(sse: string[], more: Partial<Reply> = {}) {
  const { url } = await startEndpoint(() => ({ sse, ...more }));
  return ask(url, { tools: [GREET] }, { maxAttempts: 1 });
}

const call = (fields: Record<string, unknown>, args: unknown, name: string | undefined = 'greet') => ({
  tool_calls: [{ type: 'function', ...fields, function: { ...(name && { name }), arguments: args } }],
});

const plainCalls = (calls: { name: string; arguments: string }[] | undefined) =>
  (calls ?? []).map(({ name, arguments: args }) => `${name} ${args}`);

describe('tool calls', () => {
  const one = '{"text":"one"}';
  const two = '{"text":"two"}';
  it.each([
    ['two whole calls without index', [call({ id: 'A' }, one), call({ id: 'B' }, two)], [one, two]],
    ['a continuation without id and index', [call({ id: 'A' }, '{"text":'), call({}, '"one"}', undefined)], [one]],
    ['id and name repeated in each delta', [call({ index: 0, id: 'A' }, '{"text":'), call({ index: 0, id: 'A' }, '"one"}')], [one]],
    ['id and name repeated, without index', [call({ id: 'A' }, '{"text":'), call({ id: 'A' }, '"one"}')], [one]],
    ['the same call again under the next index', [call({ index: 0, id: 'A' }, one), call({ index: 1, id: 'A' }, one)], [one]],
    ['every call under index 0', [call({ index: 0, id: 'A' }, one), call({ index: 0, id: 'B' }, two)], [one, two]],
    ['two calls without id and index', [call({}, one), call({}, two)], [one, two]],
    [
      'pieces of two calls interleaved',
      [
        call({ index: 0, id: 'A' }, '{"text":'),
        call({ index: 1, id: 'B' }, '{"text":'),
        call({ index: 0 }, '"one"}', undefined),
        call({ index: 1 }, '"two"}', undefined),
      ],
      [one, two],
    ],
    ['arguments as an object', [call({ index: 0, id: 'A' }, { text: 'one' })], [one]],
    ['empty arguments', [call({ index: 0, id: 'A' }, '')], ['{}']],
    ['missing arguments', [call({ index: 0, id: 'A' }, undefined)], ['{}']],
    ['null arguments first', [call({ index: 0, id: 'A' }, null), call({ index: 0 }, one, undefined)], [one]],
    ['the whole arguments a second time at the end', [call({ index: 0, id: 'A' }, one), call({ index: 0 }, one, undefined)], [one]],
    ['one call, not in a list', [{ tool_calls: { index: 0, id: 'A', function: { name: 'greet', arguments: one } } }], [one]],
    [
      'the legacy function_call',
      [{ function_call: { name: 'greet', arguments: '{"text":' } }, { function_call: { arguments: '"one"}' } }],
      [one],
    ],
  ])('reads %s', async (_, deltas, expected) => {
    const { end } = await reply(answer(deltas, 'tool_calls'));
    expect(end.reason).toBe('tool_calls');
    expect(plainCalls(end.message.toolCalls)).toEqual(expected.map((args) => `greet ${args}`));
  });

  it.each([
    ['empty', '', ''],
    ['null', null, null],
    ['the same', 'call_0', 'call_0'],
  ])('gives two calls with %s ids ids of their own', async (_, first, second) => {
    const { end } = await reply(answer([call({ index: 0, id: first }, one), call({ index: 1, id: second }, two)], 'tool_calls'));
    const ids = end.message.toolCalls?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => /^\w+$/.test(id))).toBe(true);
  });

  it('gives a call a new id where an earlier turn has used it', async () => {
    const { url } = await startEndpoint([{ calls: [{ name: 'greet', arguments: {}, id: 'call_0' }] }]);
    const earlier = { role: 'assistant' as const, content: '', toolCalls: [{ id: 'call_0', name: 'greet', arguments: '{}' }] };
    const messages = [
      { role: 'user' as const, content: 'hi' },
      earlier,
      { role: 'tool' as const, callId: 'call_0', name: 'greet', content: 'done' },
    ];
    const { end } = await ask(url, { messages });
    expect(end.message.toolCalls?.[0]?.id).toMatch(/^[a-z0-9]{9}$/);
  });

  it('believes the calls and not a finish reason that contradicts them', async () => {
    expect((await reply(answer([call({ index: 0, id: 'A' }, one)], 'stop'))).end).toMatchObject({ reason: 'tool_calls' });
    expect((await reply(answer([{ content: 'hi' }], 'tool_calls'))).end).toMatchObject({ reason: 'stop', message: { content: 'hi' } });
  });

  it('announces a call as soon as its name is known', async () => {
    const { events } = await reply(answer([call({ index: 0, id: 'A' }, ''), call({ index: 0 }, one, undefined)], 'tool_calls'));
    expect(events.filter(({ type }) => type === 'tool_call')).toEqual([{ type: 'tool_call', name: 'greet' }]);
  });

  it('delivers arguments that are no JSON as the model wrote them, where the server says that the call is whole', async () => {
    const { end } = await reply(answer([call({ index: 0, id: 'A' }, '{"text": "hi')], 'tool_calls'));
    expect(end).toMatchObject({ reason: 'tool_calls', message: { toolCalls: [{ arguments: '{"text": "hi' }] } });
  });

  it.each([
    ['the stream ends', [delta(call({ index: 0, id: 'A' }, '{"text":"hel'))], 'error', 'incomplete'],
    ['the limit is reached', [delta(call({ index: 0, id: 'A' }, '{"text":"hel')), finish('length'), DONE], 'length', 'incomplete'],
    ['[DONE] comes without a finish reason', [delta(call({ index: 0, id: 'A' }, '{"text":"hel')), DONE], 'error', 'incomplete'],
  ])('never delivers half a call: %s', async (_, sse, reason, kind) => {
    const { end } = await reply(sse);
    expect(end).toMatchObject({ reason, error: { kind } });
    expect(end.message.toolCalls).toBeUndefined();
    expect(end.message.incomplete).toBeDefined();
  });
});

describe('reasoning', () => {
  it.each([
    ['reasoning_content', [{ reasoning_content: 'user wants ' }, { reasoning_content: 'a greeting' }], 'reasoning_content'],
    ['reasoning', [{ reasoning: 'user wants ' }, { reasoning: 'a greeting' }], 'reasoning'],
    [
      'both fields with the same text',
      [{ reasoning: 'user wants a greeting', reasoning_content: 'user wants a greeting' }],
      'reasoning_content',
    ],
    [
      'a <think> block cut anywhere',
      [{ content: '<thi' }, { content: 'nk>user wants a greet' }, { content: 'ing</th' }, { content: 'ink>\n\n' }],
      'think',
    ],
    ['thinking parts', [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'user wants a greeting' }] }] }], 'reasoning'],
  ])('is kept apart from the answer: %s', async (_, deltas, field) => {
    const { end, text } = await reply(answer([...deltas, { content: 'Use `<think>` tags: 42' }]));
    expect(text).toBe('Use `<think>` tags: 42');
    expect(end.message).toMatchObject({ content: 'Use `<think>` tags: 42', reasoning: { field, text: 'user wants a greeting' } });
  });

  it.each([
    ['a text part', { type: 'text', text: 'Hi' }],
    ['a part whose text is an object', { type: 'text', text: { value: 'Hi', annotations: [] } }],
    ['an output text', { type: 'output_text', text: 'Hi' }],
  ])('is told whether it comes as text or as %s', async (_, part) => {
    const { text } = await reply(answer([{ content: [part] }]));
    expect(text).toBe('Hi');
  });

  it.each([
    ['capitals', ['\n<Thi', 'nk>hm</THI', 'NK>\n42']],
    ['an attribute', ['<think ', 'type="x"', '>hm</think>42']],
    ['another name', ['<thought>hm</thought>', '42']],
  ])('keeps thoughts out of the answer where their tag has %s', async (_how, cuts) => {
    const { end, text } = await reply(answer(cuts.map((content) => ({ content }))));
    expect(text).toBe('42');
    expect(end.message).toMatchObject({ content: '42', reasoning: { field: 'think', text: 'hm' } });
  });

  it('passes on text that only begins like a thinking tag', async () => {
    for (const content of ['<thinker>x', '<think about it', '< think>x', '<THINK'])
      expect((await reply(answer([{ content }]))).text).toBe(content);
  });

  it('leaves a <think> tag that comes later in the text', async () => {
    expect((await reply(answer([{ content: 'a <think>b</think>' }]))).text).toBe('a <think>b</think>');
    expect((await reply(answer([{ content: '<' }, { content: 'b>bold' }]))).text).toBe('<b>bold');
  });

  it('is no answer where the block is never closed', async () => {
    expect((await reply(answer([{ content: '<think>only this' }]))).end.message).toMatchObject({
      content: '',
      reasoning: { text: 'only this' },
    });
  });
});

describe('frames', () => {
  it('reads content as parts', async () => {
    expect((await reply(answer([{ content: [{ type: 'text', text: 'Hi' }] }, { content: ' there' }]))).text).toBe('Hi there');
  });

  it('passes over null, keep-alive, comment and usage-only frames, and keeps the last usage', async () => {
    const usage = {
      prompt_tokens: 7,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    };
    const sse = [
      ': OPENROUTER PROCESSING\n\n',
      'event: ping\ndata: ping\n\n',
      data({ choices: [] }),
      data({ choices: null }),
      frame({ delta: null }),
      data({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } }),
      delta({ content: null }),
      delta({ role: 'assistant' }),
      delta({ content: 'ok' }),
      finish('stop'),
      data({ choices: [], usage }),
      data({ choices: [], usage }),
      DONE,
    ];
    const { end } = await reply(sse);
    expect(end).toMatchObject({
      reason: 'stop',
      message: { content: 'ok' },
      usage: { inputTokens: 7, cachedTokens: 2, outputTokens: 3, reasoningTokens: 1 },
    });
  });

  it('reports no usage as none, not as zero', async () => {
    expect((await reply(answer([{ content: 'ok' }]))).end.usage).toBeUndefined();
  });

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['no space after data:', (text: string) => text.replaceAll('data: ', 'data:')],
    ['no blank line between events', (text: string) => text.replaceAll('\n\n', '\n')],
    ['no blank line at the end', (text: string) => text.trimEnd()],
    ['event names and ids', (text: string) => text.replaceAll('data: ', 'event: message\nid: 1\ndata: ')],
  ])('reads %s', async (_, change) => {
    const { end, text } = await reply([change(answer([{ content: 'grüße ' }, { content: '你好 👋' }]).join(''))]);
    expect(text).toBe('grüße 你好 👋');
    expect(end.reason).toBe('stop');
  });

  it('does not take a summary at the end for more text', async () => {
    const { text, end } = await reply([
      delta({ content: 'all of it' }),
      frame({ delta: null, message: { role: 'assistant', content: 'all of it' }, finish_reason: 'stop' }),
      DONE,
    ]);
    expect([text, end.message.content]).toEqual(['all of it', 'all of it']);
  });

  it('takes one event from what one network read brought', async () => {
    const { events } = await reply([answer(Array.from({ length: 500 }, () => ({ content: 'x' }))).join('')]);
    expect(events.filter(({ type }) => type === 'text').length).toBeLessThan(10);
  });
});

describe('an end that is none', () => {
  it.each([
    [
      'an error object beside an empty choice',
      [
        delta({ content: 'par' }),
        frame({ delta: { content: '' }, finish_reason: 'error' }, { error: { code: 502, message: 'Provider disconnected unexpectedly' } }),
        DONE,
      ],
      /Provider disconnected unexpectedly/,
    ],
    ['an error that is a text', [data({ error: 'BOOM' }), DONE], /BOOM/],
    ['only the finish reason error', [delta({ content: 'par' }), finish('error'), DONE], /finish reason error/],
    ['an error event', ['event: error\ndata: {"message":"out of memory"}\n\n'], /out of memory/],
    ['an error in the shape of vLLM', [data({ object: 'error', message: 'too hot', type: 'X', code: 500 }), DONE], /too hot/],
  ])('is a failure: %s', async (_, sse, message) => {
    const { end, text } = await reply(sse);
    expect(end.reason).toBe('error');
    expect(end.error?.message).toMatch(message);
    expect(end.message.incomplete).toBe('error');
    expect(['', 'par']).toContain(text);
  });

  it('without a finish reason is incomplete, with the text that came', async () => {
    const { end } = await reply([delta({ content: 'The result is cut of' })]);
    expect(end).toMatchObject({
      reason: 'error',
      error: { kind: 'incomplete' },
      message: { content: 'The result is cut of', incomplete: 'error' },
      textPassedOn: true,
    });
  });

  it('with a finish reason but without [DONE] is one', async () => {
    expect((await reply([delta({ content: 'fine' }), finish('stop')])).end).toMatchObject({ reason: 'stop', message: { content: 'fine' } });
  });

  it('is named: length, content filter, refusal', async () => {
    expect((await reply(answer([{ content: 'half' }], 'length'))).end).toMatchObject({
      reason: 'length',
      error: { kind: 'incomplete' },
      message: { content: 'half', incomplete: 'length' },
    });
    expect((await reply(answer([{ content: 'ha' }], 'content_filter'))).end).toMatchObject({
      reason: 'content_filter',
      error: { kind: 'content_filter' },
    });
    expect((await reply(answer([{ refusal: 'I will not.' }]))).end).toMatchObject({
      reason: 'refusal',
      error: { kind: 'refusal', message: expect.stringContaining('I will not.') },
    });
  });

  it('a frame that is cut in the middle is incomplete', async () => {
    expect((await reply([delta({ content: 'ab' }), 'data: {"choices":[{"del'])).end).toMatchObject({
      reason: 'error',
      error: { kind: 'incomplete' },
    });
  });
});

describe('something else than a stream', () => {
  const html = { 'content-type': 'text/html' };
  const json = { 'content-type': 'application/json' };

  it('a web page is named with its address and the advice to check the base URL', async () => {
    const { end } = await reply(['<!doctype html><html><body>Please log in</body></html>'], { headers: html });
    expect(end.error).toMatchObject({ kind: 'protocol', message: expect.stringMatching(/127\.0\.0\.1.*text\/html.*Please log in.*\/v1/) });
  });

  it('a JSON error with status 200 is shown', async () => {
    const { end } = await reply(['{"error": "Unexpected endpoint or method. (POST /chat/completions)"}'], { headers: json });
    expect(end.error?.message).toMatch(/127\.0\.0\.1.*Unexpected endpoint or method/);
  });

  it('a whole JSON completion is an answer', async () => {
    const whole = {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    };
    const { end, text } = await reply([JSON.stringify(whole)], { headers: json });
    expect(text).toBe('whole');
    expect(end).toMatchObject({ reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } });
  });

  it('an empty body is a failure', async () => {
    expect((await reply([])).end).toMatchObject({
      reason: 'error',
      error: { kind: 'protocol', message: expect.stringContaining('empty body') },
    });
  });
});
