/** Servers that nobody here wrote speak the protocol, and are understood. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listModels } from '../../src/llm/client.js';
import { ask, connectionTo, GREET } from './support/asking.js';
import { closedPort } from './support/raw-server.js';

describe('@copilotkit/aimock', () => {
  const server = new LLMock({ port: 0, latency: 0, chunkSize: 3 });
  const base = () => `${server.url}/v1`;

  beforeAll(async () => {
    server.onMessage('hello', { content: 'Hi there, how are you? 你好 👋' });
    server.onMessage('think', { content: 'Four.', reasoning: 'Two and two.' });
    server.onMessage('greet', {
      toolCalls: [
        { name: 'greet', arguments: '{"text":"one"}' },
        { name: 'greet', arguments: '{"text":"two"}' },
      ],
    });
    server.onMessage('limited', { error: { message: 'Rate limit exceeded', type: 'rate_limit_error' }, status: 429 });
    server.on(
      { userMessage: 'cut', endpoint: 'chat' },
      { content: 'This answer is cut off long before its end.' },
      { truncateAfterChunks: 4, latency: 20 },
    );
    server.on({ userMessage: 'lengthy', endpoint: 'chat' }, { content: 'So far', finishReason: 'length' });
    await server.start();
  });
  afterAll(() => server.stop());

  const say = (content: string, options = {}) => ask(base(), { messages: [{ role: 'user', content }], tools: [GREET] }, options);

  it('streams an answer with its usage', async () => {
    const { end, text } = await say('hello');
    expect(text).toBe('Hi there, how are you? 你好 👋');
    expect(end.reason).toBe('stop');
    expect(end.usage?.outputTokens).toBeGreaterThan(0);
  });

  it('keeps reasoning apart', async () => {
    const { end, text } = await say('think');
    expect([text, end.message.reasoning?.text]).toEqual(['Four.', 'Two and two.']);
  });

  it('calls tools, and takes their results', async () => {
    const { end } = await say('greet');
    expect(end.message.toolCalls?.map((call) => JSON.parse(call.arguments).text)).toEqual(['one', 'two']);
    const results = (end.message.toolCalls ?? []).map(({ id, name }) => ({ role: 'tool' as const, callId: id, name, content: 'done' }));
    const next = await ask(base(), { messages: [{ role: 'user', content: 'hello' }, end.message, ...results], tools: [GREET] });
    expect(next.end.reason).not.toBe('error');
  });

  it('is asked again at a rate limit, and the failure is named', async () => {
    const { end, events } = await say('limited', { maxAttempts: 2, retryAfterCapMs: 3000 });
    expect(end.error?.kind).toBe('rate_limited');
    expect(end.error?.message).toContain('127.0.0.1');
    expect(events.filter(({ type }) => type === 'retry').length).toBeLessThan(2);
  });

  it('is not believed where it breaks off or reaches its limit', async () => {
    const cut = await say('cut', { maxAttempts: 1 });
    expect(cut.end).toMatchObject({ reason: 'error', error: { kind: 'incomplete' } });
    expect('This answer is cut off long before its end.'.startsWith(cut.text)).toBe(true);
    expect((await say('lengthy')).end).toMatchObject({ reason: 'length', message: { content: 'So far', incomplete: 'length' } });
  });

  it('lists its models', async () => {
    const listed = await listModels(connectionTo(base()), new AbortController().signal);
    expect(listed).toMatchObject({ ids: expect.arrayContaining([expect.any(String)]) });
  });
});

describe('@dwmkerr/mock-llm', () => {
  let child: ChildProcess;
  let folder = '';
  let url = '';

  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-mock-llm-'));
    const rules = [
      {
        path: '/v1/chat/completions',
        match: '@',
        response: {
          status: 200,
          content:
            '{"id":"c1","object":"chat.completion","created":1,"model":"{{jmes request body.model}}","choices":[{"index":0,"message":{"role":"assistant","content":"{{jmes request body.messages[-1].content}}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":4,"completion_tokens":3}}',
        },
      },
      {
        path: '/v1/chat/completions',
        match: "contains(body.messages[-1].content, 'fail')",
        response: { status: 401, content: '{"error":{"message":"Incorrect API key provided","code":401}}' },
      },
    ];
    fs.writeFileSync(path.join(folder, 'rules.json'), JSON.stringify({ streaming: { chunkSize: 4, chunkIntervalMs: 1 }, rules }));
    const port = await closedPort();
    url = `http://127.0.0.1:${port}/v1`;
    const main = createRequire(import.meta.url).resolve('@dwmkerr/mock-llm');
    child = spawn(process.execPath, [main, '--config', path.join(folder, 'rules.json')], {
      env: { ...process.env, PORT: String(port), HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise<void>((resolve) => {
      child.stdout?.on('data', (text) => String(text).includes('server running') && resolve());
    });
  }, 20_000);
  afterAll(async () => {
    child.kill();
    await once(child, 'exit');
    fs.rmSync(folder, { recursive: true });
  });

  it('streams an answer in pieces', async () => {
    const { end, text } = await ask(url, { messages: [{ role: 'user', content: 'echo this sentence' }] });
    expect(text).toBe('echo this sentence');
    expect(end.reason).toBe('stop');
  });

  it('answers in one piece where it is not asked to stream', async () => {
    const { end, text } = await ask(url, { messages: [{ role: 'user', content: 'whole' }] }, { compat: { mock: { stream: false } } });
    expect(text).toBe('whole');
    expect(end.usage).toEqual({ inputTokens: 4, outputTokens: 3 });
  });

  it('reports an error with status 200, which is a failure all the same', async () => {
    const { end } = await ask(url, { messages: [{ role: 'user', content: 'please fail' }] });
    expect(end.error).toMatchObject({ kind: 'auth', message: expect.stringContaining('Incorrect API key provided') });
  });
});
