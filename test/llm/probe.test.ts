import { afterEach, describe, expect, it } from 'vitest';
import { forgetLearned } from '../../src/llm/capabilities.js';
import { contextWindow, discoverLocalServers, listModels } from '../../src/llm/client.js';
import { findLocalServers } from '../../src/llm/discovery.js';
import { probeEndpoint } from '../../src/llm/probe.js';
import { type ChatBody, closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { ask, connectionTo } from './support/asking.js';
import { closedPort, closeServers, serveHttp } from './support/raw-server.js';

afterEach(async () => {
  closeServers();
  forgetLearned();
  await closeEndpoints();
});

const never = new AbortController().signal;

const resultsOf = (rows: { capability: string; result: string }[]) =>
  Object.fromEntries(rows.map(({ capability, result }) => [capability, result]));

describe('frost endpoints probe', () => {
  it('finds a server that understands everything, in under ten requests', async () => {
    const endpoint = await startEndpoint(({ body }) => ({
      usage: { prompt_tokens: 1, completion_tokens: 1 },
      ...(body?.tools && body.messages.length === 2 ? { calls: [{ name: 'ping', arguments: { text: 'pong' } }] } : { text: 'ok' }),
    }));
    const report = await probeEndpoint(connectionTo(endpoint.url), 'mock', never);
    expect(report.failure).toBeUndefined();
    expect(report.requests).toBe(endpoint.requests.length);
    expect(report.requests).toBeLessThan(10);
    const yes = [
      'model list',
      'streaming',
      'stream_options',
      'system role',
      'usage',
      'tools',
      'tool calls',
      'parallel_tool_calls',
      'JSON schema',
      'max_tokens',
      'reasoning_effort',
      'max_completion_tokens',
    ];
    expect(resultsOf(report.rows)).toEqual({ ...Object.fromEntries(yes.map((name) => [name, 'yes'])), 'context window': 'odd' });
  });

  it('names what a server refuses, and remembers it for the next answer', async () => {
    const refused = ['stream_options', 'tools', 'reasoning_effort', 'response_format'];
    const endpoint = await startEndpoint(({ body }) => {
      const name = refused.find((field) => body && field in (body as ChatBody));
      return name ? { status: 400, body: { error: { message: `unknown field ${name}` } } } : { text: 'ok' };
    });
    const report = await probeEndpoint(connectionTo(endpoint.url), 'mock', never);
    expect(report.requests).toBeLessThan(10);
    expect(resultsOf(report.rows)).toMatchObject({ streaming: 'yes', stream_options: 'no', tools: 'no', 'JSON schema': 'no' });
    const before = endpoint.chats.length;
    expect((await ask(endpoint.url)).text).toBe('ok');
    expect(endpoint.chats.length).toBe(before + 1);
  });

  it('ends with the failure of a server that does not answer', async () => {
    const report = await probeEndpoint(connectionTo(`http://127.0.0.1:${await closedPort()}/v1`), 'mock', never);
    expect(report.failure).toMatchObject({ kind: 'unavailable' });
    expect(report.requests).toBe(2);
  });
});

/** A server with fixed answers by path. */
const pages = (answers: Record<string, unknown>) =>
  serveHttp((request, response) => {
    const found = answers[request.url ?? ''];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    request.resume().on('end', () => response.end(JSON.stringify(found ?? { error: 'not found' })));
  });

describe('the context window', () => {
  it.each([
    ['vLLM', { '/v1/models': { data: [{ id: 'mock', owned_by: 'vllm', max_model_len: 32768 }] } }, 32768],
    ['OpenRouter', { '/v1/models': { data: [{ id: 'mock', context_length: 131072, top_provider: { context_length: 65536 } }] } }, 131072],
    ['Groq', { '/v1/models': { data: [{ id: 'mock', context_window: 8192 }] } }, 8192],
    ['Mistral', { '/v1/models': { data: [{ id: 'mock', max_context_length: 131072 }] } }, 131072],
    [
      'llama.cpp',
      {
        '/v1/models': { data: [{ id: 'mock', owned_by: 'llamacpp', meta: { n_ctx_train: 40960 } }] },
        '/props': { default_generation_settings: { n_ctx: 4096 } },
      },
      4096,
    ],
    [
      'LM Studio',
      {
        '/v1/models': { data: [{ id: 'mock', owned_by: 'organization_owner' }] },
        '/api/v0/models/mock': { max_context_length: 32768, loaded_context_length: 8000 },
      },
      8000,
    ],
    [
      'Ollama',
      {
        '/v1/models': { data: [{ id: 'mock:latest', owned_by: 'library' }] },
        '/api/show': { model_info: { 'llama.context_length': 131072 } },
      },
      131072,
    ],
    [
      'Ollama with num_ctx',
      {
        '/v1/models': { data: [{ id: 'mock', owned_by: 'library' }] },
        '/api/show': { parameters: 'stop "x"\nnum_ctx    16384', model_info: { 'llama.context_length': 131072 } },
      },
      16384,
    ],
    ['a server that does not tell', { '/v1/models': { data: [{ id: 'mock' }] } }, undefined],
    ['a server without a list', {}, undefined],
  ])('of %s is found', async (_, answers, expected) => {
    const port = await pages(answers);
    expect(await contextWindow(connectionTo(`http://127.0.0.1:${port}/v1`), 'mock', never)).toBe(expected);
  });
});

describe('a list of models', () => {
  it.each([
    ['as OpenAI gives it', { data: [{ id: 'a' }, { id: 'b' }] }],
    ['as a bare list', [{ id: 'a' }, 'b']],
    ['under «models»', { models: [{ name: 'a' }, { model: 'b' }] }],
  ])('is read %s', async (_, list) => {
    const port = await pages({ '/v1/models': list });
    expect(await listModels(connectionTo(`http://127.0.0.1:${port}`), never)).toEqual({ ids: ['a', 'b'] });
  });

  it('that is refused is a failure', async () => {
    const port = await serveHttp((_, response) => void response.writeHead(401).end('{"error":{"message":"no"}}'));
    expect(await listModels(connectionTo(`http://127.0.0.1:${port}/v1`), never)).toMatchObject({ failure: { kind: 'auth' } });
  });
});

describe('local servers', () => {
  it('are found by their ports, without a key, and silence costs no more than the time given', async () => {
    const seen: (string | undefined)[] = [];
    const port = await serveHttp((request, response) => {
      seen.push(request.headers.authorization);
      response.end(JSON.stringify({ data: [{ id: 'llama3.2' }] }));
    });
    const places = [
      { kind: 'vLLM', port: await closedPort() },
      { kind: 'Ollama', port },
    ];
    expect(await findLocalServers(never, 2000, places)).toEqual([
      { kind: 'Ollama', endpoint: `http://127.0.0.1:${port}/v1`, models: ['llama3.2'] },
    ]);
    expect(seen).toEqual([undefined]);
  });

  it('are looked for in vain where the search is stopped', async () => {
    expect(await discoverLocalServers(AbortSignal.abort())).toEqual([]);
  });
});
