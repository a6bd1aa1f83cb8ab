import type http from 'node:http';
import zlib from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createModel } from '../../src/llm/client.js';
import { closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { ask, connectionTo, question } from './support/asking.js';
import { answer } from './support/frames.js';
import { closedPort, closeServers, selfSigned, serveHttp, serveHttps, serveProxy, serveSilence } from './support/raw-server.js';

afterEach(async () => {
  closeServers();
  await closeEndpoints();
});

const OK = answer([{ content: 'ok' }]).join('');

const sayOk: http.RequestListener = (request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(OK));
};

const local = (port: number) => `http://127.0.0.1:${port}/v1`;

const once = { maxAttempts: 1 };

describe('time-outs', () => {
  it('a server that takes the connection and never answers', async () => {
    const { end } = await ask(local(await serveSilence()), {}, { ...once, firstByteTimeoutMs: 60 });
    expect(end.error).toMatchObject({
      kind: 'unavailable',
      facts: { code: 'FIRST_BYTE_TIMEOUT' },
      message: expect.stringContaining('0.06 s'),
    });
  });

  it('a server that sends headers and then nothing', async () => {
    const port = await serveHttp((_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders());
    const { end } = await ask(local(port), {}, { ...once, firstByteTimeoutMs: 60 });
    expect(end.error).toMatchObject({ facts: { code: 'FIRST_BYTE_TIMEOUT' } });
  });

  it('a body without a length that never comes, or stalls, is named as silence and not as an empty page', async () => {
    const unbounded = (text: string) =>
      serveHttp((request, response) => {
        response.useChunkedEncodingByDefault = false;
        response.shouldKeepAlive = false;
        request.resume().on('end', () => {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
          if (text !== '') response.write(text);
        });
      });
    const mute = await ask(local(await unbounded('')), {}, { ...once, firstByteTimeoutMs: 60 });
    expect(mute.end.error).toMatchObject({ kind: 'unavailable', facts: { code: 'FIRST_BYTE_TIMEOUT' } });
    const stalled = await ask(local(await unbounded(answer([{ content: 'half' }])[0] ?? '')), {}, { ...once, idleTimeoutMs: 60 });
    expect(stalled.end.error).toMatchObject({ kind: 'incomplete', facts: { code: 'IDLE_TIMEOUT' } });
  });

  it('a TLS handshake that does not come', async () => {
    const { end } = await ask(`https://127.0.0.1:${await serveSilence()}/v1`, {}, { ...once, connectTimeoutMs: 60 });
    expect(end.error).toMatchObject({ kind: 'unavailable', facts: { code: 'CONNECT_TIMEOUT' } });
  });

  it('an answer that stalls keeps the text and is incomplete', async () => {
    const { url } = await startEndpoint([{ text: 'half', end: 'hang' }]);
    const { end, text } = await ask(url, {}, { ...once, idleTimeoutMs: 60 });
    expect(text).toBe('half');
    expect(end).toMatchObject({
      reason: 'error',
      error: { kind: 'incomplete', facts: { code: 'IDLE_TIMEOUT' } },
      message: { content: 'half' },
    });
  });
});

describe('a slow reader', () => {
  const endless = () => {
    let [written, closed] = [0, false];
    const port = serveHttp((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const block = `data: {"choices":[{"delta":{"content":"${'x'.repeat(1000)}"}}]}\n\n`;
      const go = () => {
        while (!response.destroyed && response.write(block)) written += block.length;
      };
      request.resume().on('end', go);
      response.on('drain', go).on('close', () => {
        closed = true;
      });
    });
    return { port, written: () => written, isClosed: () => closed };
  };

  it('holds the server back, is not taken for its silence, and closes the connection when it goes', async () => {
    const server = endless();
    const url = local(await server.port);
    const model = createModel(connectionTo(url, { idleTimeoutMs: 60 }), 'mock');
    const kinds: string[] = [];
    for await (const event of model.stream(question())) {
      kinds.push(event.type);
      if (kinds.length === 1) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect(server.written()).toBeLessThan(20_000_000);
      }
      if (kinds.length === 5) break;
    }
    expect(kinds).toEqual(['text', 'text', 'text', 'text', 'text']);
    await expect.poll(server.isClosed, { timeout: 900 }).toBe(true);
  });
});

describe('abort', () => {
  it.each([
    ['in mid-answer', { text: 'half', end: 'hang' as const }],
    ['before the answer', { text: 'late', delayMs: 60_000 }],
  ])('%s closes the connection at once', async (_, reply) => {
    const endpoint = await startEndpoint([reply]);
    const controller = new AbortController();
    const asked = ask(endpoint.url, { signal: controller.signal });
    await endpoint.waitForChats(1);
    setTimeout(() => controller.abort(), 30);
    const { end } = await asked;
    expect(end).toMatchObject({ reason: 'aborted', message: { incomplete: 'aborted' } });
    expect(end.error).toBeUndefined();
    await expect.poll(() => endpoint.chats[0]?.abortedAt, { timeout: 2000 }).toBeDefined();
  });

  it('before the request sends none', async () => {
    const endpoint = await startEndpoint([]);
    expect((await ask(endpoint.url, { signal: AbortSignal.abort() })).end.reason).toBe('aborted');
    expect(endpoint.requests).toEqual([]);
  });

  it('while it waits to try again ends the wait', async () => {
    const endpoint = await startEndpoint(() => ({ status: 503, headers: { 'retry-after': '30' } }));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    expect((await ask(endpoint.url, { signal: controller.signal })).end.reason).toBe('aborted');
    expect(endpoint.chats.length).toBe(1);
  });
});

describe('connections', () => {
  it('are kept for the next request', async () => {
    const ports = new Set<number | undefined>();
    const port = await serveHttp((request, response) => {
      ports.add(request.socket.remotePort);
      sayOk(request, response);
    });
    for (let turn = 0; turn < 3; turn++) expect((await ask(local(port))).text).toBe('ok');
    expect(ports.size).toBe(1);
  });

  it('that the server has closed meanwhile are opened again without a failed attempt', async () => {
    let requests = 0;
    const port = await serveHttp((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else sayOk(request, response);
    });
    await ask(local(port));
    const { events, text } = await ask(local(port));
    expect(text).toBe('ok');
    expect(events.some(({ type }) => type === 'retry')).toBe(false);
  });

  it('may bring the body compressed, although that was not asked for', async () => {
    const port = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end(zlib.gzipSync(OK));
    });
    expect((await ask(local(port))).text).toBe('ok');
  });

  it('do not follow a redirect with the key', async () => {
    const port = await serveHttp((_, response) => void response.writeHead(307, { location: 'http://evil.test/v1/chat/completions' }).end());
    const { end } = await ask(local(port));
    expect(end.error).toMatchObject({ kind: 'wrong_endpoint', message: expect.stringContaining('evil.test') });
  });

  it('carry the headers that are needed, and nothing that the environment of the SDK asks for', async () => {
    const extra = {
      OPENAI_CUSTOM_HEADERS: 'x-leak: 1',
      OPENAI_ORG_ID: 'org-1',
      OPENAI_PROJECT_ID: 'proj-1',
      OPENAI_API_KEY: 'sk-other',
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
      OPENAI_LOG: 'debug',
    };
    Object.assign(process.env, extra);
    try {
      const endpoint = await startEndpoint([{ text: 'ok' }, { text: 'ok' }]);
      await ask(endpoint.url);
      await ask(endpoint.url, {}, { key: undefined as never });
      const names = Object.keys(endpoint.chats[0]?.headers ?? {}).sort();
      expect(names).toEqual(['accept', 'authorization', 'connection', 'content-length', 'content-type', 'host', 'user-agent']);
      expect(endpoint.chats[1]?.headers.authorization).toBeUndefined();
    } finally {
      for (const name of Object.keys(extra)) delete process.env[name];
    }
  });
});

describe('proxies', () => {
  it('carry the request for a host that only they know', async () => {
    const proxy = await serveProxy(await serveHttp(sayOk));
    const { text } = await ask('http://llm.internal.test/v1', {}, { proxy: { http: `http://127.0.0.1:${proxy.port}` } });
    expect(text).toBe('ok');
    expect(proxy.asked).toEqual(['http://llm.internal.test/v1/chat/completions']);
  });

  it.each(['127.0.0.1', 'localhost, 127.0.0.1', '*', '.0.0.1', '127.0.0.1:PORT'])(
    'are passed by for a host in NO_PROXY: %s',
    async (no) => {
      const port = await serveHttp(sayOk);
      const proxy = { http: 'http://127.0.0.1:1', no: no.replace('PORT', String(port)) };
      expect((await ask(local(port), {}, { ...once, proxy })).text).toBe('ok');
    },
  );

  it('are named where the connection through them fails', async () => {
    const { end } = await ask('http://llm.internal.test/v1', {}, { ...once, proxy: { http: `http://127.0.0.1:${await closedPort()}` } });
    expect(end.error?.message).toMatch(/ECONNREFUSED.*HTTP_PROXY/);
  });

  it('that are no URL are named by their variable', async () => {
    const { end } = await ask('https://llm.internal.test/v1', {}, { proxy: { https: 'not a url' } });
    expect(end.error).toMatchObject({ kind: 'config', message: expect.stringContaining('HTTPS_PROXY') });
  });
});

const pair = selfSigned();

describe.skipIf(!pair)('TLS', () => {
  it('refuses a certificate that nobody signed and says what to do', async () => {
    const port = await serveHttps(pair ?? { key: '', cert: '' }, sayOk);
    const { end, events } = await ask(`https://127.0.0.1:${port}/v1`);
    expect(end.error).toMatchObject({ kind: 'config', message: expect.stringMatching(/SELF_SIGNED.*NODE_EXTRA_CA_CERTS/) });
    expect(events.some(({ type }) => type === 'retry')).toBe(false);
  });

  it('says so where the server speaks none', async () => {
    const { end } = await ask(`https://127.0.0.1:${await serveHttp(sayOk)}/v1`);
    expect(end.error).toMatchObject({ kind: 'wrong_endpoint', message: expect.stringContaining('http:// instead of https://') });
  });

  it('goes through a proxy as a tunnel, where the certificate is still checked', async () => {
    const proxy = await serveProxy(await serveHttps(pair ?? { key: '', cert: '' }, sayOk));
    const { end } = await ask('https://llm.internal.test/v1', {}, { ...once, proxy: { https: `http://127.0.0.1:${proxy.port}` } });
    expect(proxy.asked).toEqual(['CONNECT llm.internal.test:443']);
    expect(end.error?.message).toContain('NODE_EXTRA_CA_CERTS');
  });
});
