import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WorkspaceScene, workspaceScene } from '../support/workspace-scene.js';

let scene: WorkspaceScene;

beforeAll(() => {
  scene = workspaceScene({ mode: 'full' });
  const { base, root, put } = scene;
  fs.mkdirSync(path.join(base, 'outside'));
  fs.mkdirSync(path.join(base, 'ws-twin'));
  fs.writeFileSync(path.join(base, 'outside/secret.txt'), 'canary');
  fs.writeFileSync(path.join(base, 'ws-twin/secret.txt'), 'canary');
  for (const name of [
    'a.txt',
    'src/deep/b.txt',
    'it..em/c.txt',
    '...',
    'with space.txt',
    'ünï.txt',
    'emoji 👩‍💻.txt',
    '%2e%2e/d.txt',
    '..\\back.txt',
    '~tilde.txt',
    '-rf',
    '$HOME',
    '*',
    '{a,b}',
  ])
    put(name, 'inside');
  for (const name of [
    '.env',
    '.env.local',
    'app/.ENV',
    'certs/server.pem',
    'id_rsa',
    '.ssh/config',
    '.npmrc',
    '.aws/credentials',
    '.git-credentials',
    '.config/gh/hosts.yml',
    '.docker/config.json',
    '.kube/config',
    'credentials.json',
  ])
    put(name, 'canary');
  for (const name of ['.env.example', 'id_ed25519.pub', 'src/environment.ts', 'tokens.ts', 'key.ts']) put(name, 'inside');
  const link = (target: string, name: string) => fs.symlinkSync(target, path.join(root, name));
  link('../outside', 'out');
  link('../outside/secret.txt', 'out.txt');
  link(path.join(base, 'outside/secret.txt'), 'absolute.txt');
  link('../outside/not-there.txt', 'dangling');
  link('out', 'chain');
  link('chain/secret.txt', 'chain.txt');
  link('loop-b', 'loop-a');
  link('loop-a', 'loop-b');
  link('/', 'slash');
  link('src', 'inner');
  link('src/deep/b.txt', 'inner.txt');
  link('.env', 'plain.txt');
  link('/proc/self/cwd', 'cwd');
  link('src/new.txt', 'dangling-inside');
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
});
afterAll(() => scene.close());

/** What becomes of reading a path: its content, or what keeps it closed. */
async function reading(given: string): Promise<string> {
  return outcome(given, 'read_file', { path: given });
}
async function writing(given: string): Promise<string> {
  return outcome(given, 'write_file', { path: given, content: 'changed' });
}

async function outcome(_given: string, name: string, args: Record<string, unknown>): Promise<string> {
  try {
    const access = await scene.tool(name)?.access?.(args);
    if (!access) return 'no access stated';
    const { verdict } = await scene.gate.judge({ tool: name, access });
    if (verdict !== 'allow') return verdict;
    return (await scene.call(name, args)).text;
  } catch (error) {
    return (error as Error).message.includes('not a regular file')
      ? 'no file'
      : (error as Error).message.includes('does not exist')
        ? 'missing'
        : 'refused';
  }
}

const up = '../'.repeat(30);
const OUTSIDE: string[] = [
  '../outside/secret.txt',
  './../outside/secret.txt',
  'src/../../outside/secret.txt',
  'src/deep/../../../outside/secret.txt',
  'not-there/../../outside/secret.txt',
  'a.txt/../../outside/secret.txt',
  '..//outside//secret.txt',
  '../outside/./secret.txt',
  `${up}etc/passwd`,
  '/etc/passwd',
  '//etc/passwd',
  '/./etc/passwd',
  '/etc/../etc/passwd',
  '..',
  '../',
  '/',
  '../ws-twin/secret.txt',
  'out/secret.txt',
  'out.txt',
  'absolute.txt',
  'chain/secret.txt',
  'chain.txt',
  'inner/../../outside/secret.txt',
  'slash/etc/passwd',
  'out/new/deep/file.txt',
  'dangling',
  'dangling/x',
  '~',
  '~/.bashrc',
  '~/../etc/passwd',
  '/proc/self/environ',
  '/proc/self/root/etc/passwd',
  '/proc/self/fd/0',
  '/proc/1/environ',
  '/dev/zero',
  '/dev/stdin',
  '/dev/fd/0',
  '/dev/tcp/127.0.0.1/80',
  'cwd/../../etc/passwd',
];
const SECRET = [
  '.env',
  '.env.local',
  'app/.ENV',
  'src/../.env',
  'plain.txt',
  'certs/server.pem',
  'id_rsa',
  '.ssh/config',
  '.ssh/new',
  '.npmrc',
  '.aws/credentials',
  '.git-credentials',
  '.config/gh/hosts.yml',
  '.docker/config.json',
  '.kube/config',
  'credentials.json',
  'inner/../.env',
  'new/.env.production',
];
const HIDDEN = [
  'a\u200b.txt',
  'src\u202e/x',
  '\u2060../outside/secret.txt',
  'a.txt\0',
  '\0',
  'a.txt\n',
  '\u00ad.env',
  '\ufeffa.txt',
  '.en\u200bv',
  'a\u2028b',
];
const INSIDE = [
  'a.txt',
  './a.txt',
  'src/../a.txt',
  'src/deep/b.txt',
  'src//deep/./b.txt',
  'it..em/c.txt',
  '...',
  'with space.txt',
  'ünï.txt',
  'emoji 👩‍💻.txt',
  '%2e%2e/d.txt',
  '..\\back.txt',
  '~tilde.txt',
  '-rf',
  '$HOME',
  '*',
  '{a,b}',
  'inner/deep/b.txt',
  'inner.txt',
  'not-there/../a.txt',
  '.env.example',
  'id_ed25519.pub',
  'src/environment.ts',
  'tokens.ts',
  'key.ts',
];

describe('paths that must not lead out', () => {
  it('are at least sixty', () => {
    expect(OUTSIDE.length + SECRET.length + HIDDEN.length).toBeGreaterThanOrEqual(60);
  });

  it.each(OUTSIDE)('L7: %j is outside', async (given) => {
    expect(await reading(given)).toBe('deny');
    expect(await writing(given)).toBe('deny');
  });

  it.each(SECRET)('%j may hold secrets', async (given) => {
    expect(await reading(given)).toBe('deny');
    expect(await writing(given)).toBe('deny');
  });

  it.each(HIDDEN)('%j has something that nobody sees', async (given) => {
    expect(await reading(given)).toMatch(/^(refused|deny)$/);
    expect(await writing(given)).toMatch(/^(refused|deny)$/);
  });

  it.each(INSIDE)('%j is inside and opens', async (given) => {
    expect(await reading(given)).toBe('inside');
  });

  it('what is no regular file is neither read nor written', async () => {
    for (const given of ['pipe', 'src', 'loop-a', 'loop-a/x', '.', 'a.txt/x']) {
      expect(await reading(given)).toMatch(/^(no file|refused|missing)$/);
      expect(await writing(given)).toMatch(/^(no file|refused)$/);
    }
  });

  it('`link/..` is the folder of the link, for every tool alike', async () => {
    expect(await reading('out/../outside/secret.txt')).toBe('missing');
    expect(await reading('out/../a.txt')).toBe('inside');
  });

  it('a link to a file that is not there yet leads to it', async () => {
    expect(await writing('dangling-inside')).toContain('src/new.txt');
    expect(scene.text('src/new.txt')).toBe('changed');
  });

  it('has left everything outside as it was', () => {
    expect(fs.readFileSync(path.join(scene.base, 'outside/secret.txt'), 'utf8')).toBe('canary');
    expect(fs.readdirSync(path.join(scene.base, 'outside'))).toEqual(['secret.txt']);
    expect(fs.existsSync(path.join(os.homedir(), '.bashrc.changed'))).toBe(false);
  });

  it('no path made of the pieces of the corpus is allowed and leads out', async () => {
    const pieces = fc.constantFrom(
      '..',
      '.',
      '',
      'out',
      'chain',
      'slash',
      'inner',
      'cwd',
      'src',
      'a.txt',
      '~',
      'proc',
      'self',
      'root',
      'etc',
      'passwd',
      'new',
      'dangling',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 7 }), fc.boolean(), async (parts, absolute) => {
        const given = (absolute ? '/' : '') + parts.join('/');
        const place = await scene.workspace.place(given);
        const { verdict } = await scene.gate.judge({ tool: 'write_file', access: { kind: 'write', path: place.name } });
        if (verdict !== 'allow') return;
        // Where the kernel itself says the path leads, or its nearest parent that exists.
        let real = path.isAbsolute(given) ? given : path.join(scene.root, given);
        while (!fs.existsSync(real)) real = path.dirname(real);
        expect(`${fs.realpathSync(real)}/`.startsWith(`${scene.root}/`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
