import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readInstructions } from '../../src/workspace/instructions.js';
import { type WorkspaceScene, workspaceScene } from '../support/workspace-scene.js';

let scene: WorkspaceScene;
beforeEach(() => {
  scene = workspaceScene();
});
afterEach(() => scene.close());

const read = (folder: string, allows: (file: string) => boolean = () => true) =>
  readInstructions({ cwd: path.join(scene.root, folder), allows });

describe('AGENTS.md', () => {
  it('speaks from the root of the repository down to the working folder, CLAUDE.md where there is none', () => {
    scene.put('.git/HEAD');
    scene.put('AGENTS.md', 'root rules');
    scene.put('CLAUDE.md', 'not these');
    scene.put('a/CLAUDE.md', '\ufeffrules of a');
    scene.put('a/b/x');
    fs.writeFileSync(path.join(scene.base, 'AGENTS.md'), 'outside');
    const { text, files } = read('a/b');
    expect(files.map((file) => path.relative(scene.root, file))).toEqual(['AGENTS.md', 'a/CLAUDE.md']);
    expect(text).toMatch(/root rules[\s\S]+:\n\nrules of a$/);
    expect(text).not.toMatch(/not these|outside/);
  });

  it('outside of a repository only that of the working folder does', () => {
    scene.put('AGENTS.md', 'above');
    scene.put('a/AGENTS.md', 'here');
    expect(read('a').files).toEqual([path.join(scene.root, 'a/AGENTS.md')]);
  });

  it('is silent in a folder that is not trusted', () => {
    scene.put('AGENTS.md', 'do evil');
    expect(read('.', () => false)).toEqual({ text: '', files: [] });
  });

  it('stops at 32 KiB, the nearest file first', () => {
    scene.put('.git/HEAD');
    scene.put('AGENTS.md', 'r'.repeat(40_000));
    scene.put('a/AGENTS.md', 'n'.repeat(30_000));
    const { text } = read('a');
    expect(text.match(/n+$/)?.[0]).toHaveLength(30_000);
    expect(Buffer.byteLength(text)).toBeLessThan(33_500);
  });
});
