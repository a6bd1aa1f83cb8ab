/** Every failure is a sentence: what happened, to which agent, at which host, and what to do. */
import { afterEach, describe, expect, it } from 'vitest';
import { Key } from '../../src/config/principal.js';
import { closeEndpoints, type Reply, startEndpoint } from '../support/endpoint.js';
import { ask, KEY } from './support/asking.js';
import { closedPort, closeServers, serveHttp } from './support/raw-server.js';

afterEach(async () => {
  closeServers();
  await closeEndpoints();
});

async function failure(reply: Reply, options = {}) {
  const { url, port } = await startEndpoint(() => reply);
  const { error } = (await ask(url, {}, { maxAttempts: 1, ...options })).end;
  return { error, host: `127.0.0.1:${port}` };
}

const saying = (status: number, message: string, more: Record<string, unknown> = {}): Reply => ({
  status,
  body: { error: { message, ...more } },
});

describe('a failure', () => {
  it.each([
    [saying(401, 'No auth credentials found'), 'auth', /refused the key \(HTTP 401: No auth credentials found\)\. Check UPSTREAM_API_KEY/],
    [saying(403, 'Country not supported'), 'auth', /403.*UPSTREAM_API_KEY/],
    [saying(402, 'Insufficient Balance'), 'rate_limited', /credit or quota.*UPSTREAM_API_KEY/],
    [saying(429, 'slow down'), 'rate_limited', /limits the rate.*slow down/],
    [
      saying(400, 'prompt token count of 129923 exceeds the limit of 128000', { code: 'context_length_exceeded' }),
      'context_length',
      /too long for mock.*129923.*\/compact/,
    ],
    [saying(400, 'the request exceeds the available context size, try increasing the context size'), 'context_length', /too long/],
    [saying(503, 'overloaded'), 'unavailable', /unavailable \(HTTP 503: overloaded\)/],
    [
      { status: 502, body: `<html><style>p{}</style>${'<p>Bad gateway</p>'.repeat(500)}</html>` },
      'unavailable',
      /HTTP 502: Bad gateway Bad gateway/,
    ],
    [saying(400, 'temperature must be a number'), 'bad_request', /refused the request \(HTTP 400: temperature/],
    [{ status: 400, body: { detail: [{ msg: 'field required', loc: ['body', 'model'] }] } }, 'bad_request', /field required/],
    [{ status: 500, body: '' }, 'unavailable', /HTTP 500/],
  ] as [Reply, string, RegExp][])('names agent, host and remedy: %#', async (reply, kind, message) => {
    const { error, host } = await failure(reply);
    expect(error).toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(error?.message).toContain('main agent');
    expect(error?.message).toContain(host);
    expect(error?.message.length).toBeLessThan(700);
    expect(error?.message).not.toMatch(/\n|<p>/);
  });

  it('names a specialist, and the variable that its key goes into', async () => {
    const { error } = await failure(saying(401, 'who are you?'), { principal: 'Test-Writer', key: undefined });
    expect(error?.message).toMatch(/^Test-Writer: .*without a key.*TEST_WRITER_API_KEY/);
  });

  it('never shows a key, whoever quotes it', async () => {
    const key = KEY.reveal();
    const { error } = await failure(saying(401, `Incorrect API key provided: ${key}.`));
    expect(error?.message).toContain('<UPSTREAM_API_KEY>');
    const other = await failure(saying(500, 'upstream said sk-other-987654'), {
      mask: (text: string) => text.replaceAll('sk-other-987654', '<OTHER>'),
    });
    expect(JSON.stringify([error, other.error])).not.toMatch(/sk-main-0123|sk-other/);
  });

  it('says where a key cannot be sent in a header', async () => {
    const { url } = await startEndpoint([]);
    const { end } = await ask(url, {}, { key: new Key('UPSTREAM_API_KEY', 'sk-main-\nTEST0123') });
    expect(end.error).toMatchObject({ kind: 'auth', message: expect.stringMatching(/UPSTREAM_API_KEY.*a line break/) });
    expect(end.error?.message).not.toContain('TEST0123');
  });
});

describe('an address that is wrong', () => {
  it('nothing listens: is the server running?', async () => {
    const port = await closedPort();
    const { end } = await ask(`http://127.0.0.1:${port}/v1`, {}, { maxAttempts: 1 });
    expect(end.error).toMatchObject({ kind: 'unavailable', message: expect.stringContaining(`127.0.0.1:${port} (connect ECONNREFUSED`) });
    expect(end.error?.message).toContain('UPSTREAM_ENDPOINT');
  });

  it('a host that does not exist', async () => {
    const { end, events } = await ask('http://nothing.invalid/v1');
    expect(end.error).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(/nothing\.invalid was not found|EAI_AGAIN/) });
    expect(events.length).toBeLessThan(5);
  });

  it('a model that the endpoint does not have: the nearest one that it lists', async () => {
    const { error } = await failure(saying(404, "model 'mock' not found"));
    expect(error).toMatchObject({ kind: 'model_not_found', message: expect.stringContaining('It lists that name all the same') });
    const port = await serveHttp((request, response) => {
      const list = { object: 'list', data: ['gpt-large', 'mocks', 'other'].map((id) => ({ id })) };
      response.writeHead(request.method === 'GET' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          request.method === 'GET' ? list : { error: { message: 'The model `mock` does not exist', code: 'model_not_found' } },
        ),
      );
    });
    const { end } = await ask(`http://127.0.0.1:${port}/v1`);
    expect(end.error?.message).toContain('Did you mean mocks? It lists gpt-large, mocks, other.');
  });

  it('a URL that is wrong: the one that works', async () => {
    const port = await serveHttp((request, response) => {
      const isRight = request.url?.startsWith('/api/v1/models');
      response.writeHead(isRight ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRight ? { data: [{ id: 'mock' }] } : { error: 'no route' }));
    });
    const { end } = await ask(`http://127.0.0.1:${port}/v2`);
    expect(end.error).toMatchObject({
      kind: 'wrong_endpoint',
      message: expect.stringContaining(`Set the endpoint to http://127.0.0.1:${port}/api/v1.`),
    });
  });
});
