import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Workspace } from '../../src/workspace/workspace.js';
import { type WorkspaceScene, workspaceScene } from '../support/workspace-scene.js';

let scene: WorkspaceScene;
beforeEach(() => {
  scene = workspaceScene();
});
afterEach(() => scene.close());

const put = (name: string, content?: string | Buffer) => scene.put(name, content);
const call = (name: string, args: Record<string, unknown>) => scene.call(name, args);

describe('read_file', () => {
  it('gives a small file as it is', async () => {
    put('a.txt', 'one\r\ntwo\n');
    expect((await call('read_file', { path: 'a.txt' })).text).toBe('one\r\ntwo\n');
  });

  it('gives the lines asked for and says which they are', async () => {
    put('a.txt', Array.from({ length: 100 }, (_, i) => `line ${i + 1}`).join('\n'));
    expect((await call('read_file', { path: 'a.txt', start: 99, count: 5 })).text).toBe('line 99\nline 100\n[a.txt: lines 99-100 of 100]');
    expect(await call('read_file', { path: 'a.txt', start: 101 })).toMatchObject({
      isError: true,
      text: 'a.txt has no line 101: the file has 100 lines.',
    });
  });

  it('answers for a 5 GB file with its first lines, and with lines further in', async () => {
    put('big.log', 'first\nsecond\n');
    fs.truncateSync(path.join(scene.root, 'big.log'), 5 * 1024 ** 3);
    expect((await call('read_file', { path: 'big.log', count: 2 })).text).toContain('is a binary file');
    fs.writeFileSync(path.join(scene.root, 'big.log'), `${'x'.repeat(99)}\n`.repeat(200));
    fs.truncateSync(path.join(scene.root, 'big.log'), 5 * 1024 ** 3);
    expect((await call('read_file', { path: 'big.log', start: 3, count: 2 })).text).toBe(
      `${'x'.repeat(99)}\n${'x'.repeat(99)}\n\n[big.log: lines 3-4 of a file of 5368709120 bytes]`,
    );
  });

  it('does not hang on a FIFO, a socket or a device', async () => {
    execFileSync('mkfifo', [path.join(scene.root, 'pipe')]);
    await expect(call('read_file', { path: 'pipe' })).rejects.toThrow('pipe is a named pipe, not a regular file');
    const everything = new Workspace({ root: '/dev' });
    await expect(everything.open(await everything.place('zero'))).rejects.toThrow('zero is a device, not a regular file');
    await expect(call('read_file', { path: '.' })).rejects.toThrow('. is a folder, not a regular file');
  });

  it('reads UTF-16 and marks bytes that are no UTF-8', async () => {
    put('wide.txt', Buffer.from('\ufeffgrüß\n', 'utf16le'));
    put('latin.txt', Buffer.from('gr\xfc\xdf\n', 'latin1'));
    expect((await call('read_file', { path: 'wide.txt' })).text).toBe('grüß\n\n[wide.txt: UTF-16]');
    expect((await call('read_file', { path: 'latin.txt' })).text).toContain('bytes that are no UTF-8');
  });

  it('hands an image over as an image', async () => {
    put('dot.png', Buffer.from('89504e470d0a1a0a0000', 'hex'));
    expect((await call('read_file', { path: 'dot.png' })).images).toEqual([
      { type: 'image', url: 'data:image/png;base64,iVBORw0KGgoAAA==' },
    ]);
  });

  it('names a missing file', async () => {
    await expect(call('read_file', { path: 'src/none.ts' })).rejects.toThrow('src/none.ts does not exist.');
  });

  it('refuses a link that was put in place after the path was judged', async () => {
    put('a.txt', 'inside');
    fs.writeFileSync(path.join(scene.base, 'secret'), 'outside');
    const workspace = new Workspace({ root: scene.root });
    const place = await workspace.place('a.txt');
    fs.rmSync(path.join(scene.root, 'a.txt'));
    fs.symlinkSync(path.join(scene.base, 'secret'), path.join(scene.root, 'a.txt'));
    await expect(workspace.open(place)).rejects.toThrow('nothing was read');
  });

  it('refuses a parent folder that was exchanged after the path was judged', async () => {
    put('dir/passwd', 'inside');
    const workspace = new Workspace({ root: scene.root });
    const place = await workspace.place('dir/passwd');
    fs.rmSync(path.join(scene.root, 'dir'), { recursive: true });
    fs.symlinkSync('/etc', path.join(scene.root, 'dir'));
    await expect(workspace.open(place)).rejects.toThrow('exchanged while it was being opened');
  });
});

describe('between the verdict and the use', () => {
  it.each(['read_file', 'search_files', 'list_files'])('%s does not go where a link leads by now', async (name) => {
    put('.env', 'canary');
    put('sub/a.txt', 'inside');
    put('a.txt', 'inside');
    const args = { path: name === 'read_file' ? 'a.txt' : 'sub', pattern: name === 'search_files' ? '.' : '*' };
    expect(await scene.tool(name)?.access?.(args)).toEqual({ kind: 'read', path: args.path });
    fs.rmSync(path.join(scene.root, args.path), { recursive: true });
    fs.symlinkSync(name === 'read_file' ? '.env' : '/etc', path.join(scene.root, args.path));
    await expect(call(name, args)).rejects.toThrow(/a moment ago/);
  });
});

describe('list_files', () => {
  it('lists as git sees them: ignore files at every level, no secrets, no links out', async () => {
    put('.gitignore', 'dist/\n*.log\n!keep.log\n');
    put('src/.gitignore', 'gen.ts\n!important.log\n');
    for (const name of [
      'a.ts',
      'b.log',
      'keep.log',
      'dist/x.js',
      'src/a.ts',
      'src/gen.ts',
      'src/important.log',
      '.env',
      '.github/ci.yml',
      '.git/HEAD',
    ])
      put(name);
    fs.symlinkSync('/etc', path.join(scene.root, 'etc'));
    expect((await call('list_files', {})).text.split('\n')).toEqual([
      '.github/ci.yml',
      '.gitignore',
      'a.ts',
      'keep.log',
      'src/.gitignore',
      'src/a.ts',
      'src/important.log',
    ]);
    expect((await call('list_files', { path: 'src' })).text.split('\n')).toEqual(['src/.gitignore', 'src/a.ts', 'src/important.log']);
    expect((await call('list_files', { pattern: '*.ts' })).text.split('\n')).toEqual(['a.ts', 'src/a.ts']);
    expect((await call('list_files', { pattern: 'src/*.{ts,js}' })).text).toBe('src/a.ts');
  });

  it('lists an ignored folder that is asked for by name', async () => {
    put('.gitignore', 'node_modules/\n*.log\n');
    put('node_modules/a/index.js');
    put('src/a.log');
    put('src/a.ts');
    expect((await call('list_files', { path: 'node_modules/a' })).text).toBe('node_modules/a/index.js');
    expect((await call('list_files', { path: 'src' })).text).toBe('src/a.ts');
  });

  it('finds one file among ten thousand', async () => {
    for (let folder = 0; folder < 10; folder++) {
      fs.mkdirSync(path.join(scene.root, `d${folder}`));
      for (let file = 0; file < 1000; file++) fs.closeSync(fs.openSync(path.join(scene.root, `d${folder}/f${file}`), 'w'));
    }
    put('d7/needle.txt');
    expect((await call('list_files', { pattern: 'needle*' })).text).toBe('d7/needle.txt');
    const { text } = await call('list_files', {});
    expect(text.split('\n')).toHaveLength(501);
    expect(text).toContain('[more than 500 files; narrow it with path or pattern]');
  });

  it('says so when nothing matches', async () => {
    put('a.ts');
    expect((await call('list_files', { pattern: '*.py' })).text).toBe('[none of 1 files under . matches *.py]');
  });
});
