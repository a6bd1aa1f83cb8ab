import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/table.js';
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

describe("FrostAgent's variables", () => {
  const variables = (url: string) =>
    `UPSTREAM_ENDPOINT=${url}\nUPSTREAM_API_KEY=sk-file\nMODEL_NAME=from-file\nSYSTEM_PROMPT="You are terse."\nMAX_CONTEXT_MESSAGES=2\nMAX_CONTEXT_CHARS=100000\n`;

  it.each([
    ["the user's .env", '~/.config/frost/.env'],
    ['the .env of a trusted folder', '.env'],
  ])('F10: work unchanged in %s, and the environment wins', async (_, file) => {
    const endpoint = await startEndpoint(() => ({ text: 'ok' }));
    machine.home.write(file, variables(endpoint.url));
    if (file === '.env') await machine.run(['trust']);
    expect(await machine.ask('first')).toMatchObject({ status: 0, stdout: 'ok\n', stderr: '' });
    await machine.run(['ask', '-c', 'second'], { env: { MODEL_NAME: 'exported' } });
    await machine.run(['ask', '-c', 'third', '-m', 'flagged'], { env: { MODEL_NAME: 'exported' } });
    expect(endpoint.chats.map(({ body }) => body?.model)).toEqual(['from-file', 'exported', 'flagged']);
    expect(endpoint.chats.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-file', 'Bearer sk-file', 'Bearer sk-file']);
    expect(endpoint.chats[0]?.body?.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('You are terse.') });
    const third = endpoint.chats[2]?.body?.messages.map(({ role }) => role) ?? [];
    expect(third[0]).toBe('system');
    expect(third.length).toBeLessThanOrEqual(3);
  });

  it('F10: MAX_ITERATIONS ends a run that goes on and on, with exit 5', async () => {
    const endpoint = await startEndpoint((_, index) => ({
      calls: [{ name: 'list_files', arguments: { path: '.', pattern: `*${index}` } }],
    }));
    const ran = await machine.run(['ask', 'x'], { env: { UPSTREAM_ENDPOINT: endpoint.url, MODEL_NAME: 'm', MAX_ITERATIONS: '3' } });
    expect(ran).toMatchObject({ status: 5, stdout: '' });
    expect(endpoint.chats.length).toBeLessThanOrEqual(4);
  });
});

describe('wrong settings', () => {
  it.each([
    [['--max-turns', 'many'], {}, 2, /--max-turns must be a whole number/],
    [[], { MAX_ITERATIONS: 'many' }, 78, /MAX_ITERATIONS must be a whole number/],
    [['--endpoint', 'localhost:1/v1'], {}, 2, /--endpoint.*http/],
    [[], { UPSTREAM_ENDPOINT: 'localhost:1/v1' }, 78, /UPSTREAM_ENDPOINT.*http/],
    [['--permission', 'everything'], {}, 2, /--permission must be one of read, ask, edit, full/],
  ])('%j %j: exit %i, one line that names it', async (flags, env, status, message) => {
    const endpoint = await startEndpoint([]);
    const ran = await machine.run(['ask', 'x', ...flags], { env: { UPSTREAM_ENDPOINT: endpoint.url, MODEL_NAME: 'm', ...env } });
    expect(ran).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(message) });
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    expect(endpoint.chats).toEqual([]);
  });

  it('an --env-file that is missing ends the run and is named', async () => {
    const ran = await machine.run(['ask', 'x', '--env-file', 'nowhere'], {
      env: { UPSTREAM_ENDPOINT: 'http://127.0.0.1:9/v1', MODEL_NAME: 'm' },
    });
    // Node 20 looks for --env-file among a program's own arguments too, and then ends with 9 before the program starts.
    expect([9, 78]).toContain(ran.status);
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining('nowhere') });
  });

  it('a settings.json that is no JSON is named with its line; a wrong field costs a warning', async () => {
    const endpoint = await startEndpoint(() => ({ text: 'ok' }));
    const env = { UPSTREAM_ENDPOINT: endpoint.url, MODEL_NAME: 'm' };
    const file = machine.home.write('~/.config/frost/settings.json', '{\n  "theme": "dark"\n  "lang": "en"\n}\n');
    expect(await machine.run(['ask', 'x'], { env })).toMatchObject({ status: 78, stderr: expect.stringContaining(`${file}:3`) });
    fs.writeFileSync(file, '{\n  "thema": "dark"\n}\n');
    expect(await machine.run(['ask', 'x'], { env })).toMatchObject({
      status: 0,
      stdout: 'ok\n',
      stderr: expect.stringContaining(`${file}:2: "thema" is unknown`),
    });
  });
});

describe('frost config', () => {
  it('explain tells every setting and every principal with file and line', async () => {
    const file = machine.home.write('~/.config/frost/.env', 'UPSTREAM_ENDPOINT=http://a.test/v1\nMODEL_NAME=m\n');
    const { status, stdout, stderr } = await machine.run(['config', 'explain'], { env: { MODEL_NAME: 'exported' } });
    expect([status, stderr]).toEqual([0, '']);
    for (const { name } of SETTINGS) expect(stdout).toContain(name);
    expect(stdout).toContain(`UPSTREAM_ENDPOINT · ${file}:1`);
    expect(stdout).toMatch(/MODEL_NAME +exported +environment \(also set, not used: .*\.env:2\)/);
    expect((await machine.run(['config', 'explain', 'model_name'])).stdout).toMatch(/used +m +.*\.env:2/);
    expect(await machine.run(['config', 'explain', 'MODELNAME'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('MODEL_NAME'),
    });
  });

  it('explain tells a value of --env-file with its file, although Node puts it into the environment too', async () => {
    const file = machine.home.write('named.env', '# mine\nMODEL_NAME=named\n');
    const explained = async (env = {}) =>
      JSON.parse((await machine.run(['config', 'explain', 'MODEL_NAME', '--json', '--env-file', 'named.env'], { env })).stdout);
    expect(await explained()).toMatchObject({ used: { value: 'named', kind: 'env-file', file, line: 2 }, unused: [] });
    expect(await explained({ MODEL_NAME: 'exported' })).toMatchObject({
      used: { value: 'exported', kind: 'environment' },
      unused: [{ kind: 'env-file' }],
    });
  });

  it('set writes a variable, and a key only from stdin', async () => {
    const set = (args: string[], stdin?: string) => machine.run(['config', 'set', ...args], stdin === undefined ? {} : { stdin });
    expect(await set(['UPSTREAM_ENDPOINT', 'http://a.test/v1'])).toMatchObject({ status: 0 });
    expect(await set(['CODER_API_KEY', 'sk-canary'])).toMatchObject({ status: 2, stderr: expect.not.stringContaining('sk-canary') });
    expect(await set(['CODER_API_KEY'], 'sk-canary\n')).toMatchObject({ status: 0, stdout: expect.not.stringContaining('sk-canary') });
    expect(await set(['CODER_API_KEY'], '\n')).toMatchObject({ status: 2 });
    expect(await set(['NO_SUCH', 'x'])).toMatchObject({ status: 2 });
    const file = (await machine.run(['config', 'path'])).stdout.trim();
    expect(fs.readFileSync(file, 'utf8')).toBe('UPSTREAM_ENDPOINT=http://a.test/v1\nCODER_API_KEY=sk-canary\n');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  it('example and schema print what the files of the project and the docs have', async () => {
    const example = fs.readFileSync(path.resolve(import.meta.dirname, '../../.env.example'), 'utf8');
    expect((await machine.run(['config', 'example'])).stdout).toBe(example);
    expect(JSON.parse((await machine.run(['config', 'schema'])).stdout).properties).toHaveProperty('permissions');
  });
});

describe('frost trust', () => {
  it('shows, trusts, lists and revokes a folder', async () => {
    machine.home.write('.env', 'MODEL_NAME=theirs\nCODER_API_KEY=sk-canary\n');
    const { cwd } = machine.home;
    const trust = async (...args: string[]) => (await machine.run(['trust', ...args])).stdout;
    const state = async () => JSON.parse((await machine.run(['config', 'explain', '--json'])).stdout).folder.state;
    expect(await trust('--show')).toBe(`${cwd} would set:\n  .env\n    MODEL_NAME = theirs\n    CODER_API_KEY = (a key)\n`);
    expect([await state(), await trust('--list')]).toEqual(['untrusted', 'No folder is trusted.\n']);
    expect(await trust()).toContain(`${cwd} is trusted as it is now`);
    expect([await state(), await trust('--list')]).toEqual(['trusted', expect.stringContaining(`${cwd}  as trusted`)]);
    machine.home.write('.env', 'MODEL_NAME=other\n');
    expect([await state(), await trust('--list')]).toEqual(['changed', expect.stringContaining('changed since')]);
    expect(await trust('--revoke', '.')).toBe(`${cwd} is no longer trusted.\n`);
    expect(await state()).toBe('untrusted');
  });

  it('names a folder that is not there, and says where nothing is to be trusted', async () => {
    expect(await machine.run(['trust', 'nowhere'])).toMatchObject({ status: 66, stderr: expect.stringContaining('nowhere') });
    expect(await machine.run(['trust'])).toMatchObject({ status: 0, stdout: expect.stringContaining('has nothing that frost would read') });
  });

  it('draws what a folder says as plain text', async () => {
    machine.home.write('.env', 'MODEL_NAME="\u001b[2J\u001b]0;owned\u0007x"\n');
    expect((await machine.run(['trust', '--show'])).stdout).not.toMatch(/[\u001b\u0007]/);
  });
});
