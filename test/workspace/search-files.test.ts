import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../src/workspace/programs.js';
import { type WorkspaceScene, workspaceScene } from '../support/workspace-scene.js';

const PATHS: [how: string, env: Record<string, string>][] = [
  ['without ripgrep', { PATH: '/nonexistent' }],
  ['with ripgrep', { PATH: process.env['PATH'] ?? '' }],
];

describe.each(PATHS)('search_files %s', (how, env) => {
  let scene: WorkspaceScene;
  afterEach(() => scene?.close());

  async function start(context: { skip: (note?: string) => void }) {
    scene = workspaceScene({ env });
    if (how === 'with ripgrep' && !(await findProgram('rg', env, scene.workspace))) context.skip('ripgrep is not installed');
  }

  it('finds lines as git sees the files, and no secrets', async (context) => {
    await start(context);
    scene.put('.gitignore', 'dist/\n');
    scene.put('src/a.ts', 'one\nconst needle = 1;\r\nthree\n');
    scene.put('src/b.js', 'Needle\n');
    scene.put('dist/x.js', 'needle\n');
    scene.put('.env', 'needle=secret\n');
    scene.put('.git/config', 'needle\n');
    scene.put('picture.bin', Buffer.from('needle\0needle'));
    fs.writeFileSync(path.join(scene.base, 'out.txt'), 'needle');
    fs.symlinkSync(path.join(scene.base, 'out.txt'), path.join(scene.root, 'link.txt'));
    expect((await scene.call('search_files', { pattern: 'needle' })).text).toBe('src/a.ts:2:const needle = 1;');
    expect((await scene.call('search_files', { pattern: '(?i)needle', glob: '*.js' })).text).toBe('src/b.js:1:Needle');
    expect((await scene.call('search_files', { pattern: 'e+dl', path: 'src/a.ts' })).text).toBe('src/a.ts:2:const needle = 1;');
    expect((await scene.call('search_files', { pattern: 'absent', path: 'src' })).text).toBe('[no match under src]');
  });

  it('understands look-behind, which one of the two engines does not', async (context) => {
    await start(context);
    scene.put('a.txt', 'foobar\nbar\n');
    expect((await scene.call('search_files', { pattern: '(?<=foo)bar' })).text).toBe('a.txt:1:foobar');
  });

  it('names a pattern that is none', async (context) => {
    await start(context);
    scene.put('a.txt', 'x');
    await expect(scene.call('search_files', { pattern: '(' })).rejects.toThrow('is not a regular expression');
  });

  it('stops after enough matches and cuts long lines', async (context) => {
    await start(context);
    scene.put('a.txt', `${'x'.repeat(1000)}\n`.repeat(300));
    const { text, details } = await scene.call('search_files', { pattern: 'x' });
    expect(text.split('\n')).toHaveLength(201);
    expect(text).toContain('[more than 200 matches');
    expect(text.length).toBeLessThan(70_000);
    expect(details).toMatchObject({ data: { matches: 200, more: true } });
  });

  it('passes over a FIFO and a 5 GB file of zeros', async (context) => {
    await start(context);
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [path.join(scene.root, 'pipe')]);
    scene.put('huge', '');
    fs.truncateSync(path.join(scene.root, 'huge'), 5 * 1024 ** 3);
    scene.put('z.txt', 'needle');
    expect((await scene.call('search_files', { pattern: 'needle' })).text).toBe('z.txt:1:needle');
    expect((await scene.call('search_files', { pattern: 'needle', path: 'pipe' })).isError).toBe(true);
  });
});

describe('search_files by itself', () => {
  let scene: WorkspaceScene;
  afterEach(() => scene?.close());

  it('stops a pattern that would never come to an end', async () => {
    scene = workspaceScene({ env: { PATH: '' } });
    scene.put('a.txt', `${'a'.repeat(60)}b\n`);
    await expect(scene.call('search_files', { pattern: '(a+)+$' })).rejects.toThrow('takes too long');
  });

  it('finds lines on both sides of the border of two windows, with their numbers', async () => {
    scene = workspaceScene({ env: { PATH: '' } });
    const line = `${'é'.repeat(50)}\n`;
    const lines = Math.ceil((2.5 * 1024 * 1024) / Buffer.byteLength(line));
    scene.put('a.txt', `${line.repeat(lines)}needle\n`);
    expect((await scene.call('search_files', { pattern: 'needle' })).text).toBe(`a.txt:${lines + 1}:needle`);
    expect((await scene.call('search_files', { pattern: '\ufffd' })).text).toBe('[no match under .]');
  });

  it('ends when the turn is stopped', async () => {
    scene = workspaceScene({ env: { PATH: '' } });
    scene.put('a.txt', 'x');
    await expect(scene.call('search_files', { pattern: 'x' }, AbortSignal.abort())).rejects.toThrow();
  });

  it('never takes a program out of the workspace for ripgrep', async () => {
    scene = workspaceScene();
    scene.put('bin/rg', '#!/bin/sh\necho evil\n');
    fs.chmodSync(path.join(scene.root, 'bin/rg'), 0o755);
    const env = { PATH: `${path.join(scene.root, 'bin')}:bin:` };
    expect(await findProgram('rg', env, scene.workspace)).toBeUndefined();
  });
});
