import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathSource } from '../../../src/ui/input/path-source.js';
import { walkFiles } from '../../../src/workspace/walk.js';
import { Workspace } from '../../../src/workspace/workspace.js';

let root = '';
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'frost-paths-')));
  for (const name of ['src/ui/app.ts', 'src/app.css', 'docs/apple.md', 'build/app.js', '.gitignore']) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), name === '.gitignore' ? 'build/\n' : '');
  }
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

async function* files(): AsyncGenerator<string> {
  const workspace = new Workspace({ root });
  for await (const file of walkFiles(workspace, root, new AbortController().signal)) yield path.relative(root, file);
}

describe('names for @', () => {
  it('come without what git ignores, with the folders on the way, the best first', async () => {
    const paths = pathSource(files);
    expect(await paths('app')).toEqual(['src/app.css', 'docs/apple.md', 'src/ui/app.ts']);
    expect(await paths('ui')).toEqual(['src/ui/', 'src/ui/app.ts']);
    expect(await paths('./docs')).toEqual(['docs/', 'docs/apple.md']);
    expect(await paths('nothing')).toEqual([]);
  });

  it('find a new file once the last walk is old', async () => {
    let now = 0;
    const paths = pathSource(files, () => now);
    expect(await paths('fresh')).toEqual([]);
    fs.writeFileSync(path.join(root, 'fresh.ts'), '');
    expect(await paths('fresh')).toEqual([]);
    now = 60_000;
    expect(await paths('fresh')).toEqual(['fresh.ts']);
  });

  it('come as far as they are known while the walk is slow', async () => {
    const paths = pathSource(async function* () {
      yield 'first.ts';
      await new Promise((resolve) => setTimeout(resolve, 400));
      yield 'second.ts';
    });
    expect(await paths('')).toEqual(['first.ts']);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await paths('')).toEqual(['first.ts', 'second.ts']);
  });
});
