/** What a user gets: the package as npm would publish it, installed into an empty folder. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };

let dir: string;
let listing: { filename: string; unpackedSize: number; files: { path: string }[] };

const frost = (args: string[], env: Record<string, string> = {}) =>
  run(process.execPath, [path.join(dir, 'node_modules/frost-agent/bin/frost.js'), ...args], {
    cwd: dir,
    env: { PATH: process.env['PATH'], HOME: path.join(dir, 'home'), ...env },
  });

beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-package-'));
  const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', dir], { cwd: ROOT });
  listing = JSON.parse(packed.stdout)[0];
  fs.writeFileSync(path.join(dir, 'package.json'), '{"private":true}');
  await run(
    'npm',
    ['install', '--offline', '--no-audit', '--no-fund', '--cache', path.join(dir, 'npm-cache'), path.join(dir, listing.filename)],
    {
      cwd: dir,
    },
  );
}, 60_000);

afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

describe('the published package', () => {
  it('installs as one package, without a registry', () => {
    const installed = fs.readdirSync(path.join(dir, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed).toEqual(['frost-agent']);
  });

  it('holds bin, dist and what npm always adds, in at most 5 MB', () => {
    const tops = new Set(listing.files.map((file) => file.path.split('/')[0]));
    expect([...tops].filter((top) => !/^(bin|dist|package\.json|README\.md|LICEN[CS]E)/.test(top ?? ''))).toEqual([]);
    expect(listing.unpackedSize).toBeLessThan(5_000_000);
  });

  it('brings the licences of everything that was bundled', () => {
    const text = fs.readFileSync(path.join(dir, 'node_modules/frost-agent/dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    expect(text).not.toContain('Licence: not stated');
    for (const name of ['openai', 'commander', 'ink', 'react', 'dotenv', 'ajv', 'yaml', 'jiti'])
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  it('starts, and answers --version', async () => {
    expect((await frost(['--version'])).stdout).toBe(`${version}\n`);
  });

  it('answers a question without a network and without a key', async () => {
    const { stdout, stderr } = await frost(['ask', '--demo', 'Write a hello world in Go']);
    expect(stdout).toContain('package main');
    expect(stderr).toContain('demo');
  });

  it('gives scripts the public entry', async () => {
    const script = `import { defineAgentProfile } from 'frost-agent';
      console.log(defineAgentProfile({ name: 'Reader', description: 'Reads', instructions: 'Read.' }).name);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: dir });
    expect(stdout).toBe('Reader\n');
  });

  it('keeps compiled code only where the user keeps caches, and starts where it cannot be kept', async () => {
    const cache = path.join(dir, 'cache');
    await frost(['ask', '--help'], { XDG_CACHE_HOME: cache });
    expect(fs.statSync(path.join(cache, 'frost/code')).mode & 0o077).toBe(0);
    const file = path.join(dir, 'not-a-folder');
    fs.writeFileSync(file, '');
    await expect(frost(['ask', '--help'], { XDG_CACHE_HOME: file })).resolves.toBeTruthy();
    await expect(frost(['ask', '--help'], { HOME: '' })).resolves.toBeTruthy();
  });

  it('neither runs nor keeps code where others could put theirs', async () => {
    const cache = path.join(dir, 'open');
    await frost(['ask', '--help'], { XDG_CACHE_HOME: cache });
    const [build = ''] = fs.readdirSync(path.join(cache, 'frost/code'));
    const folder = path.join(cache, 'frost/code', build, 'other');
    for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
    fs.chmodSync(folder, 0o777);
    await frost(['ask', '--help'], { XDG_CACHE_HOME: cache });
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('is not misled by damaged or foreign compiled code', async () => {
    const cache = path.join(dir, 'damaged');
    await frost(['ask', '--help'], { XDG_CACHE_HOME: cache });
    const kept = fs.readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.v8'));
    expect(kept).not.toEqual([]);
    for (const name of kept) fs.writeFileSync(path.join(cache, name), 'not machine code');
    expect((await frost(['ask', '--help'], { XDG_CACHE_HOME: cache })).stderr).toBe('');
  });
});
