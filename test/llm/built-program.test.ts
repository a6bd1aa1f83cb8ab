/** The built program over HTTP: what it loads, and what it does at a cut. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type Endpoint, startEndpoint } from '../support/endpoint.js';
import { Machine } from '../support/frost.js';
import { answer, delta } from './support/frames.js';

let machine: Machine | undefined;
const machineFor = (endpoint: Endpoint) => {
  machine = new Machine(endpoint);
  return machine;
};
afterEach(async () => {
  machine?.remove();
  await closeEndpoints();
});

describe('frost ask', () => {
  it('loads nothing of the built-in fetch, nor TLS where none is used', async () => {
    const user = machineFor(await startEndpoint([{ text: 'ok' }]));
    const list = path.join(user.home.cwd, 'loaded.json');
    const hook = user.home.write(
      'hook.mjs',
      `import fs from 'node:fs';\nprocess.on('exit', () => fs.writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList)));\n`,
    );
    const run = await user.run(['ask', 'hi'], { env: { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` } });
    expect(run).toMatchObject({ status: 0, stdout: 'ok\n' });
    const loaded: string[] = JSON.parse(fs.readFileSync(list, 'utf8'));
    expect(loaded.filter((name) => / (internal\/deps\/undici\/undici|tls|https|_tls_wrap)$/.test(name))).toEqual([]);
    expect(loaded.some((name) => name.endsWith(' http'))).toBe(true);
  });

  it('goes on after a cut where --resume-stream asks for it', async () => {
    const start = 'The quick brown fox jumps over the lazy dog';
    const cut = { sse: [delta({ content: start }), ': the end\n\n'], paceMs: 20, end: 'reset' as const };
    const endpoint = await startEndpoint([cut, { sse: answer([{ content: 'the lazy dog and sleeps.' }]) }]);
    const run = await machineFor(endpoint).ask('hi', '--no-tools', '--resume-stream');
    expect(run).toMatchObject({ status: 0, stdout: `${start} and sleeps.\n` });
  });

  it('keeps what it learned of an endpoint for the next run', async () => {
    const endpoint = await startEndpoint(({ body }) =>
      body && 'stream_options' in body ? { status: 400, body: { error: { message: 'unknown field stream_options' } } } : { text: 'ok' },
    );
    const user = machineFor(endpoint);
    const first = await user.ask('hi');
    expect(first).toMatchObject({ status: 0, stdout: 'ok\n' });
    expect(first.stderr).toContain('stream_options');
    expect(await user.ask('hi')).toMatchObject({ status: 0, stdout: 'ok\n', stderr: '' });
    expect(endpoint.chats.length).toBe(3);
  });
});

describe('frost endpoints', () => {
  it('probe prints a table, and models the list', async () => {
    const endpoint = await startEndpoint(() => ({ text: 'ok', usage: { prompt_tokens: 1, completion_tokens: 1 } }));
    const user = machineFor(endpoint);
    const probe = await user.run(['endpoints', 'probe']);
    expect(probe.status).toBe(0);
    expect(probe.stdout).toMatch(/^main · mock @ 127\.0\.0\.1:\d+ · key UPSTREAM_API_KEY\n {2}model list +yes/);
    expect(probe.stdout).toMatch(/\n {2}streaming +yes\n/);
    expect(probe.stdout).not.toContain('sk-main');
    expect(await user.run(['endpoints', 'models'])).toMatchObject({ status: 0, stdout: 'mock\n' });
    const unknown = await user.run(['endpoints', 'probe', '--agent', 'Nobody']);
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain('Coder');
  });

  it('probe says why an endpoint gives no answer', async () => {
    const user = machineFor(await startEndpoint(() => ({ status: 401, body: { error: { message: 'who are you?' } } })));
    const probe = await user.run(['endpoints', 'probe', '--json']);
    expect(probe.status).toBe(77);
    expect(JSON.parse(probe.stdout)).toMatchObject({ failure: { kind: 'auth' } });
    expect(probe.stderr).toContain('UPSTREAM_API_KEY');
  });
});
