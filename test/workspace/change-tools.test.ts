import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WorkspaceScene, workspaceScene } from '../support/workspace-scene.js';

let scene: WorkspaceScene;
beforeEach(() => {
  scene = workspaceScene();
});
afterEach(() => scene.close());

async function edit(name: string, old: string, fresh: string, more: Record<string, unknown> = {}) {
  await scene.call('read_file', { path: name });
  return scene.call('edit_file', { path: name, old, new: fresh, ...more });
}

/** A program that rewrites big.txt until it is killed, and says so once it has begun. */
async function rewriter(folder: string): Promise<string> {
  const source = `
    import { writeAtomically } from './src/workspace/atomic-write.js';
    import { Workspace } from './src/workspace/workspace.js';
    const workspace = new Workspace({ root: process.argv[2] });
    const content = Buffer.from('n'.repeat(3_000_000));
    const place = await workspace.place('big.txt');
    process.stdout.write('begun');
    for (;;) await writeAtomically(workspace, place, content);`;
  const outfile = path.join(folder, 'rewriter.mjs');
  const stdin = { contents: source, resolveDir: path.resolve(import.meta.dirname, '../..'), loader: 'ts' as const };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
  return outfile;
}

describe('write_file', () => {
  it('creates a file with its folders and shows the diff', async () => {
    const result = await scene.call('write_file', { path: 'a/b/c.txt', content: 'one\ntwo\n' });
    expect(scene.text('a/b/c.txt')).toBe('one\ntwo\n');
    expect(result.text).toBe('Created a/b/c.txt (+2 -0 lines).');
    expect(result.details).toMatchObject({ kind: 'diff', path: 'a/b/c.txt', added: 2, removed: 0 });
    expect((result.details as { diff: string }).diff).toBe('--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n');
  });

  it('keeps the mode of a file and leaves no other file behind', async () => {
    scene.put('run.sh', 'old');
    fs.chmodSync(path.join(scene.root, 'run.sh'), 0o751);
    await scene.call('write_file', { path: 'run.sh', content: 'new' });
    expect(fs.statSync(path.join(scene.root, 'run.sh')).mode & 0o777).toBe(0o751);
    expect(fs.readdirSync(scene.root)).toEqual(['run.sh']);
    const long = 'x'.repeat(250);
    await scene.call('write_file', { path: long, content: 'x' });
    expect(scene.text(long)).toBe('x');
  });

  it('leaves a file alone that is marked read-only', async () => {
    scene.put('a.txt', 'old');
    fs.chmodSync(path.join(scene.root, 'a.txt'), 0o444);
    await expect(scene.call('write_file', { path: 'a.txt', content: 'new' })).rejects.toThrow('a.txt is marked read-only.');
    expect(scene.text('a.txt')).toBe('old');
  });

  it.runIf(process.getuid?.() === 0)('keeps the owner of a file', async () => {
    scene.put('a.txt', 'old');
    fs.chownSync(path.join(scene.root, 'a.txt'), 1234, 1234);
    await scene.call('write_file', { path: 'a.txt', content: 'new' });
    expect(fs.statSync(path.join(scene.root, 'a.txt')).uid).toBe(1234);
  });

  it('does not overwrite what someone else wrote since it was read', async () => {
    scene.put('a.txt', 'one');
    await scene.call('read_file', { path: 'a.txt' });
    scene.put('a.txt', 'theirs');
    expect(await scene.call('write_file', { path: 'a.txt', content: 'mine' })).toMatchObject({ isError: true });
    expect(scene.text('a.txt')).toBe('theirs');
  });

  it('follows no link that leads out, not even one that appears after the path was judged', async () => {
    fs.mkdirSync(path.join(scene.base, 'outside'));
    scene.put('dir/keep', '');
    const place = await scene.workspace.place('dir/new.txt');
    fs.rmSync(path.join(scene.root, 'dir'), { recursive: true });
    fs.symlinkSync(path.join(scene.base, 'outside'), path.join(scene.root, 'dir'));
    const { writeAtomically } = await import('../../src/workspace/atomic-write.js');
    await expect(writeAtomically(scene.workspace, place, Buffer.from('x'))).rejects.toThrow();
    await expect(scene.call('write_file', { path: 'dir/new.txt', content: 'x' })).rejects.toThrow('outside the workspace');
    expect(fs.readdirSync(path.join(scene.base, 'outside'))).toEqual([]);
  });

  it('writes through a link to a file inside, and the link stays a link', async () => {
    scene.put('real.txt', 'old');
    fs.symlinkSync('real.txt', path.join(scene.root, 'link.txt'));
    const result = await scene.call('write_file', { path: 'link.txt', content: 'new' });
    expect(result.text).toContain('real.txt');
    expect(scene.text('real.txt')).toBe('new');
    expect(fs.lstatSync(path.join(scene.root, 'link.txt')).isSymbolicLink()).toBe(true);
  });

  it('has the old or the new content after kill -9, never half of one', async () => {
    const [old, fresh] = ['o'.repeat(3_000_000), 'n'.repeat(3_000_000)];
    const file = path.join(scene.root, 'big.txt');
    const program = await rewriter(scene.base);
    for (const delay of [30, 60, 90, 120, 150]) {
      fs.writeFileSync(file, old);
      const child = spawn(process.execPath, [program, scene.root], { stdio: ['ignore', 'pipe', 'inherit'] });
      await new Promise((resolve) => child.stdout.once('data', resolve));
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));
      expect([old, fresh].includes(fs.readFileSync(file, 'utf8'))).toBe(true);
    }
  });
});

describe('edit_file', () => {
  it('replaces text that occurs once', async () => {
    scene.put('a.ts', 'const a = 1;\nconst b = 2;\n');
    const result = await edit('a.ts', 'b = 2', 'b = 3');
    expect(scene.text('a.ts')).toBe('const a = 1;\nconst b = 3;\n');
    expect(result.details).toMatchObject({ kind: 'diff', added: 1, removed: 1 });
  });

  it('keeps CRLF line endings, the byte order mark and a missing final newline', async () => {
    scene.put('a.txt', '\ufeffone\r\ntwo\r\nthree');
    await edit('a.txt', 'one\ntwo\n', '1\n2\n');
    expect(scene.text('a.txt')).toBe('\ufeff1\r\n2\r\nthree');
  });

  it('takes `$&` and the like as plain text', async () => {
    scene.put('a.txt', 'x');
    await edit('a.txt', 'x', "$& $1 $'");
    expect(scene.text('a.txt')).toBe("$& $1 $'");
  });

  it('names the lines where the text occurs more than once, and replaces all when told to', async () => {
    scene.put('a.txt', 'x\ny\nx\n');
    await expect(edit('a.txt', 'x', 'z')).rejects.toThrow('occurs 2 times in a.txt (lines 1, 3)');
    await edit('a.txt', 'x', 'z', { all: true });
    expect(scene.text('a.txt')).toBe('z\ny\nz\n');
  });

  it('says where the text differs in white space only', async () => {
    scene.put('a.ts', 'a\n\tif (x) {\n\t\ty();\n\t}\n');
    await expect(edit('a.ts', 'if (x) {\n  y();\n}', '')).rejects.toThrow('Line 2 differs from it in white space only.');
  });

  it('wants the file read first, and unchanged since', async () => {
    scene.put('a.txt', 'one');
    await expect(scene.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })).rejects.toThrow('read it with read_file first');
    await scene.call('read_file', { path: 'a.txt' });
    scene.put('a.txt', 'one more');
    await expect(scene.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })).rejects.toThrow('changed by someone else');
  });

  it('takes a new date with the same content for no change, and its own edits too', async () => {
    scene.put('a.txt', 'one');
    await scene.call('read_file', { path: 'a.txt' });
    fs.utimesSync(path.join(scene.root, 'a.txt'), 1, 1);
    await scene.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' });
    await scene.call('edit_file', { path: 'a.txt', old: 'two', new: 'three' });
    expect(scene.text('a.txt')).toBe('three');
  });

  it('loses no edit where several come at once', async () => {
    scene.put('a.txt', 'a b c d');
    await scene.call('read_file', { path: 'a.txt' });
    await Promise.all(['a', 'b', 'c', 'd'].map((old) => scene.call('edit_file', { path: 'a.txt', old, new: old.toUpperCase() })));
    expect(scene.text('a.txt')).toBe('A B C D');
  });

  it('does not touch what is no UTF-8 text', async () => {
    scene.put('a.txt', Buffer.from('gr\xfc\xdf', 'latin1'));
    await expect(edit('a.txt', 'gr', 'x')).rejects.toThrow('not UTF-8');
  });

  it('shows what it would change without changing it', async () => {
    scene.put('a.txt', 'one\n');
    await scene.call('read_file', { path: 'a.txt' });
    expect(await scene.tool('edit_file')?.preview?.({ path: 'a.txt', old: 'one', new: 'two' })).toContain('-one\n+two');
    expect(await scene.tool('write_file')?.preview?.({ path: 'a.txt', content: 'three\n' })).toContain('-one\n+three');
    expect(scene.text('a.txt')).toBe('one\n');
  });
});

it('hands the former content over before each change', async () => {
  scene.close();
  const kept: [string, string | undefined][] = [];
  scene = workspaceScene({ beforeChange: (file, former) => void kept.push([path.basename(file), former?.toString()]) });
  scene.put('a.txt', 'one');
  await edit('a.txt', 'one', 'two');
  await scene.call('write_file', { path: 'b.txt', content: 'new' });
  expect(kept).toEqual([
    ['a.txt', 'one'],
    ['b.txt', undefined],
  ]);
});
