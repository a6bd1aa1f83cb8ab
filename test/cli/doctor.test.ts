import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { Machine } from '../support/frost.js';

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(async () => {
  machine.remove();
  await closeEndpoints();
});

const doctor = async (env: Record<string, string>, ...argv: string[]) => {
  const ran = await machine.run(['doctor', '--json', ...argv], { env });
  const found = JSON.parse(ran.stdout);
  const named = (name: string) => [...found.principals, ...found.checks].find((check: { name: string }) => check.name === name);
  return { ...ran, found, named };
};

describe('frost doctor', () => {
  it('is content where the main agent could answer, and tells host, model and key name of each principal', async () => {
    const main = await startEndpoint([], 'm-1');
    const coder = await startEndpoint([], 'c-1');
    const env = {
      UPSTREAM_ENDPOINT: main.url,
      UPSTREAM_API_KEY: 'sk-main',
      CODER_ENDPOINT: coder.url,
      CODER_API_KEY: 'sk-coder',
      CODER_MODEL: 'c-1',
    };
    const { status, found, named } = await doctor(env);
    expect([status, found.ok]).toEqual([0, true]);
    expect(named('main')).toMatchObject({ status: 'ok', host: `127.0.0.1:${main.port}`, model: 'm-1', key: 'UPSTREAM_API_KEY' });
    expect(named('Coder')).toMatchObject({ status: 'ok', host: `127.0.0.1:${coder.port}`, model: 'c-1', key: 'CODER_API_KEY' });
    expect(named('Reviewer').text).toContain('as main');
    for (const name of ['node', 'terminal', 'folder', 'sessions']) expect(named(name)).toMatchObject({ status: 'ok' });
    expect(main.chats).toEqual([]);
    expect(coder.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-coder']);
  });

  it('a specialist that cannot be asked is told, and does not keep the main agent from answering', async () => {
    const main = await startEndpoint([]);
    const { status, named } = await doctor({
      UPSTREAM_ENDPOINT: main.url,
      UPSTREAM_API_KEY: 'sk-main',
      CODER_ENDPOINT: 'http://127.0.0.1:9/v1',
    });
    expect([status, named('Coder').status, named('Coder').text]).toEqual([0, 'failed', expect.stringContaining('CODER_API_KEY')]);
  });

  it('asks the model itself where the endpoint does not list it', async () => {
    const main = await startEndpoint(() => ({ text: 'ok' }), 'm-1');
    const { status, named } = await doctor({ UPSTREAM_ENDPOINT: main.url, MODEL_NAME: 'm-2' });
    expect([status, named('main').status, named('main').text]).toEqual([
      0,
      'warning',
      expect.stringContaining('does not list it (the nearest is m-1)'),
    ]);
    const refusing = await startEndpoint(
      () => ({ status: 404, body: { error: { message: 'The model `m-2` does not exist', code: 'model_not_found' } } }),
      'm-1',
    );
    expect(await doctor({ UPSTREAM_ENDPOINT: refusing.url, MODEL_NAME: 'm-2' })).toMatchObject({ status: 78, found: { ok: false } });
  });

  it.each([
    ['nothing listens', { UPSTREAM_ENDPOINT: 'http://127.0.0.1:9/v1', MODEL_NAME: 'm' }, 69, 'ECONNREFUSED'],
    ['no endpoint for a key', { UPSTREAM_API_KEY: 'sk-main-TEST' }, 78, 'UPSTREAM_ENDPOINT'],
    ['a key that cannot be used', { UPSTREAM_ENDPOINT: 'http://127.0.0.1:9/v1', UPSTREAM_API_KEY: 'sk main' }, 77, 'UPSTREAM_API_KEY'],
  ])('%s: exit %s with the reason', async (_, env, status, reason) => {
    const ran = await doctor(env);
    expect([ran.status, ran.found.ok, ran.named('main').text]).toEqual([status, false, expect.stringContaining(reason)]);
    expect(ran.named('Coder')).toMatchObject({ status: 'failed' });
  });

  it("warns of a user's .env that others can read, of an untrusted folder, and of switched-off certificates", async () => {
    const main = await startEndpoint([]);
    machine.home.write('~/.config/frost/.env', `UPSTREAM_ENDPOINT=${main.url}\n`);
    machine.home.write('.env', 'MODEL_NAME=theirs\n');
    const { status, found, named } = await doctor({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect([status, named('folder')]).toEqual([0, { name: 'folder', status: 'warning', text: expect.stringContaining('frost trust') }]);
    const warnings = found.checks
      .filter((check: { status: string }) => check.status === 'warning')
      .map(({ text }: { text: string }) => text);
    expect(warnings.join('\n')).toMatch(/chmod 600/);
    expect(warnings.join('\n')).toMatch(/NODE_TLS_REJECT_UNAUTHORIZED/);
  });

  it("warns of a misspelled variable in the user's .env, and of one that does nothing there", async () => {
    const main = await startEndpoint([]);
    const file = machine.home.write(
      '~/.config/frost/.env',
      `UPSTREAM_ENDPOINT=${main.url}\nCODER_APIKEY=x\nMY_OWN=y\nNODE_EXTRA_CA_CERTS=/ca.pem\n`,
    );
    const { found } = await doctor({});
    const warnings = found.checks
      .filter((check: { status: string }) => check.status === 'warning')
      .map(({ text }: { text: string }) => text);
    expect(warnings.join('\n')).toContain(`${file}:2: CODER_APIKEY is not read; did you mean CODER_API_KEY?`);
    expect(warnings.join('\n')).toMatch(/NODE_EXTRA_CA_CERTS does nothing in a file/);
    expect(warnings.join('\n')).not.toMatch(/MY_OWN/);
  });
});
