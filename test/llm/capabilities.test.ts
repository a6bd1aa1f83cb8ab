import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgetLearned } from '../../src/llm/capabilities.js';
import { compatByHand } from '../../src/llm/compat.js';
import type { ModelRequest } from '../../src/llm/port.js';
import { type ChatBody, closeEndpoints, type Reply, startEndpoint } from '../support/endpoint.js';
import { ask, GREET } from './support/asking.js';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-learned-'));
  forgetLearned();
});
afterEach(async () => {
  fs.rmSync(folder, { recursive: true });
  await closeEndpoints();
});

/** An endpoint that refuses what `check` names, and else answers «ok». */
const refusing = (check: (body: ChatBody) => string | undefined, status = 400) =>
  startEndpoint(({ body }): Reply => {
    const message = body && check(body);
    return message ? { status, body: { error: { message } } } : { text: 'ok' };
  });

const has = (name: string, message: string) => (body: ChatBody) => (name in body ? message : undefined);

const everything: Partial<ModelRequest> = {
  messages: [
    { role: 'system', content: 'be kind' },
    { role: 'user', content: 'hi' },
  ],
  tools: [GREET],
  reasoningEffort: 'low',
  maxOutputTokens: 10,
  responseFormat: { name: 'n', schema: { type: 'object' } },
};

describe('a refusal whose text names nothing', () => {
  const only = (param: string) =>
    startEndpoint(({ body }): Reply => {
      const isSent = body && param.replace(/\W.*/, '') in body;
      return isSent ? { status: 400, body: { error: { message: 'Invalid value', param, code: 'unknown_parameter' } } } : { text: 'ok' };
    });

  it('is tried again without the parameter that its own field names', async () => {
    const { url } = await only('stream_options');
    expect((await ask(url, everything)).text).toBe('ok');
  });

  it('is told as it is where the field names a part of a parameter', async () => {
    const { url } = await only('tools[0].function.parameters');
    expect((await ask(url, everything)).end.error).toMatchObject({ kind: 'bad_request' });
  });
});

describe('a refusal that names a parameter', () => {
  it.each([
    ['stream_options', has('stream_options', "unknown field 'stream_options'")],
    ['tools', has('tools', 'registry.ollama.ai/library/gemma:2b does not support tools')],
    ['tools of vLLM', has('tools', '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')],
    [
      'max_tokens',
      has('max_tokens', "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
    ],
    ['reasoning_effort', has('reasoning_effort', 'Unrecognized request argument supplied: reasoning_effort')],
    [
      'response_format',
      (body: ChatBody) =>
        JSON.stringify(body['response_format'] ?? '').includes('schema')
          ? "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
          : undefined,
    ],
    ['response_format in any form', has('response_format', 'response_format is not supported')],
    [
      'the system role',
      (body: ChatBody) =>
        body.messages[0]?.role === 'system'
          ? "Unsupported value: 'messages[0].role' does not support 'system' with this model."
          : undefined,
    ],
    [
      'the system role, where developer is wanted',
      (body: ChatBody) =>
        body.messages[0]?.role === 'system' ? "The role 'system' is not supported, use the 'developer' role" : undefined,
    ],
    ['streaming', (body: ChatBody) => (body['stream'] ? 'Streaming is not supported for this model' : undefined)],
    ['roles that do not alternate', () => undefined],
  ])('is tried again without it, with a warning, and remembered: %s', async (name, check) => {
    const endpoint = await refusing(check);
    const first = await ask(endpoint.url, everything);
    expect(first.text).toBe('ok');
    const warnings = first.events.filter(({ type }) => type === 'warning');
    expect(warnings.length > 0).toBe(name !== 'roles that do not alternate');
    const before = endpoint.chats.length;
    const again = await ask(endpoint.url, everything);
    expect(again.events.some(({ type }) => type === 'warning')).toBe(false);
    expect(endpoint.chats.length).toBe(before + 1);
  });

  it('says that a model without tools cannot delegate', async () => {
    const endpoint = await refusing(has('tools', 'this model does not support tools'));
    const { events } = await ask(endpoint.url, { tools: [GREET] });
    expect(events.find(({ type }) => type === 'warning')).toMatchObject({ text: expect.stringContaining('cannot delegate') });
  });

  it('makes turns alternate where the chat template insists', async () => {
    const endpoint = await refusing(({ messages }) =>
      messages.some(({ role }, at) => role === 'user' && messages[at - 1]?.role === 'tool')
        ? 'Conversation roles must alternate user/assistant/user/assistant/...'
        : undefined,
    );
    const messages: ModelRequest['messages'] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'A', name: 'greet', arguments: '{}' }] },
      { role: 'tool', callId: 'A', name: 'greet', content: 'done' },
      { role: 'user', content: 'go on' },
    ];
    expect((await ask(endpoint.url, { messages })).text).toBe('ok');
  });

  it('gives the reasoning of every turn back, or of none, as the server wants it', async () => {
    const turn = (field: 'reasoning_content') => ({ role: 'assistant' as const, content: 'hello', reasoning: { field, text: 'hm' } });
    const messages: ModelRequest['messages'] = [
      { role: 'user', content: 'hi' },
      turn('reasoning_content'),
      { role: 'user', content: 'and?' },
    ];
    const wanting = await refusing((body) =>
      JSON.stringify(body).includes('reasoning_content') ? undefined : 'Missing `reasoning_content` field in the assistant message',
    );
    expect((await ask(wanting.url, { messages })).text).toBe('ok');
    const running: ModelRequest['messages'] = [
      { role: 'user', content: 'hi' },
      { ...turn('reasoning_content'), toolCalls: [{ id: 'A', name: 'greet', arguments: '{}' }] },
      { role: 'tool', callId: 'A', name: 'greet', content: 'done' },
    ];
    const refusingIt = await refusing((body) =>
      JSON.stringify(body).includes('reasoning_content') ? 'unexpected field reasoning_content' : undefined,
    );
    expect((await ask(refusingIt.url, { messages: running })).text).toBe('ok');
  });

  it('is final where the person has set that parameter by hand', async () => {
    const endpoint = await refusing(has('stream_options', 'unknown field stream_options'));
    const compat = { '127.0.0.1': { streamOptions: true } };
    expect((await ask(endpoint.url, {}, { compat })).end.error?.kind).toBe('bad_request');
    expect(endpoint.chats.length).toBe(1);
  });

  it('is no lesson where the conversation is too long', async () => {
    const endpoint = await refusing(
      () => "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (tools, max_tokens). Invalid.",
    );
    expect((await ask(endpoint.url, everything)).end.error?.kind).toBe('context_length');
    expect(endpoint.chats.length).toBe(1);
  });

  it('does not go on for ever', async () => {
    const endpoint = await refusing(
      () => 'tools, stream_options, max_tokens, max_completion_tokens, reasoning_effort, response_format, streaming: all unknown',
    );
    expect((await ask(endpoint.url, everything)).end.reason).toBe('error');
    expect(endpoint.chats.length).toBeLessThan(12);
  });
});

describe('what was learned', () => {
  const learn = async (file: string) => {
    const endpoint = await refusing(has('stream_options', 'unknown field stream_options'));
    await ask(endpoint.url, {}, { capabilityFile: file });
    return endpoint;
  };

  it('is kept in a file that only its owner reads, for the next process', async () => {
    const file = path.join(folder, 'cache', 'endpoints.json');
    const endpoint = await learn(file);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    forgetLearned();
    await ask(endpoint.url, {}, { capabilityFile: file });
    expect(endpoint.chats.length).toBe(3);
  });

  it('expires', async () => {
    const file = path.join(folder, 'endpoints.json');
    const endpoint = await learn(file);
    const content = JSON.parse(fs.readFileSync(file, 'utf8'));
    for (const entry of Object.values<{ at: number }>(content.entries)) entry.at -= 8 * 24 * 3600 * 1000;
    fs.writeFileSync(file, JSON.stringify(content));
    forgetLearned();
    await ask(endpoint.url, {}, { capabilityFile: file });
    expect(endpoint.chats.length).toBe(4);
  });

  it.each(['', '{"version":9}', '{"version":1,"entries":{"x":null}}', '[]', 'null'])(
    'is learned anew where the file is damaged: %j',
    async (content) => {
      const file = path.join(folder, 'endpoints.json');
      fs.writeFileSync(file, content);
      const endpoint = await refusing(() => undefined);
      expect((await ask(endpoint.url, {}, { capabilityFile: file })).text).toBe('ok');
    },
  );

  it('costs nothing but the memory where the file cannot be written', async () => {
    fs.writeFileSync(path.join(folder, 'blocked'), '');
    const endpoint = await learn(path.join(folder, 'blocked', 'endpoints.json'));
    expect(endpoint.chats.length).toBe(2);
  });
});

describe('a base URL', () => {
  it('without its /v1 is found, and remembered', async () => {
    const endpoint = await startEndpoint(({ path: asked }) =>
      asked.startsWith('/api/v1/') ? { text: 'ok' } : { status: 404, body: { error: { message: 'no such route' } } },
    );
    const url = endpoint.url.replace('/v1', '/api');
    expect((await ask(url)).text).toBe('ok');
    expect((await ask(url)).text).toBe('ok');
    expect(endpoint.chats.map(({ path: asked }) => asked)).toEqual([
      '/api/chat/completions',
      '/api/v1/chat/completions',
      '/api/v1/chat/completions',
    ]);
  });

  it('that is wrong either way stays as it was given', async () => {
    const endpoint = await startEndpoint(() => ({ status: 404, body: { error: { message: 'no such route' } } }));
    const url = endpoint.url.replace('/v1', '/api');
    for (const _ of [1, 2]) expect((await ask(url)).end.reason).toBe('error');
    const asked = endpoint.chats.map(({ path: one }) => one.replace('/chat/completions', ''));
    expect(asked).toEqual(['/api', '/api/v1', '/api', '/api/v1']);
  });

  it.each(['/v1', '/v1/', '', '/', '/v1/chat/completions', '/v1/chat/completions/'])('may end in «%s»', async (end) => {
    const endpoint = await startEndpoint([{ text: 'ok' }]);
    expect((await ask(endpoint.url.replace('/v1', end))).text).toBe('ok');
    expect(endpoint.chats[0]?.path).toBe('/v1/chat/completions');
  });

  it('keeps its query', async () => {
    const endpoint = await startEndpoint([{ text: 'ok' }]);
    await ask(`${endpoint.url.replace('/v1', '/openai/deployments/gpt')}?api-version=2024-10-21`);
    expect(endpoint.chats[0]?.path).toBe('/openai/deployments/gpt/chat/completions?api-version=2024-10-21');
  });
});

describe('compat of settings.json', () => {
  it('is told to be wrong once, with what it may be', async () => {
    const endpoint = await startEndpoint(() => ({ text: 'ok' }));
    const { events } = await ask(endpoint.url, {}, { compat: { mock: { tool: false, stream: 'no' } } });
    const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.text] : []));
    expect(warnings).toEqual([
      expect.stringMatching(/compat\.tool is unknown; known are tools/),
      'settings.json: compat.stream must be one of true, false',
    ]);
  });

  it('goes from the host to the model, and leaves out what it does not know', () => {
    const settings = {
      'llm.test': { tools: false, stream: false, nonsense: 1 },
      mock: { tools: true, systemRole: 'emperor' },
      __proto__: { stream: true },
    };
    expect(compatByHand(settings, 'https://llm.test/v1', 'mock')).toEqual({ tools: true, stream: false });
  });
});
