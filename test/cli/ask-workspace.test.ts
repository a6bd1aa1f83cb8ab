import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type Endpoint, type Reply, startEndpoint } from '../support/endpoint.js';
import { Machine } from '../support/frost.js';

const machines: Machine[] = [];

afterEach(async () => {
  await closeEndpoints();
  for (const machine of machines.splice(0)) machine.remove();
});

async function scene(main: Reply[], coder: Reply[] = []): Promise<{ machine: Machine; main: Endpoint; coder: Endpoint }> {
  const endpoints = await Promise.all([startEndpoint(main), startEndpoint(coder)]);
  const machine = new Machine(...endpoints);
  machines.push(machine);
  return { machine, main: endpoints[0], coder: endpoints[1] };
}

const calls = (...list: [name: string, args: object][]): Reply => ({
  calls: list.map(([name, args], index) => ({ name, arguments: args, id: `call_${Math.random().toString(36).slice(2)}_${index}` })),
});
const delegate = (content: string) => calls(['use_subagent', { subagent_name: 'Coder', content }]);
/** The tool results that the endpoint got with request `index`. */
const results = (endpoint: Endpoint, index: number) =>
  (endpoint.chats[index]?.body?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content));
const offered = (endpoint: Endpoint) => endpoint.chats[0]?.body?.tools?.map(({ function: { name } }) => name) ?? [];

/** Every file below the working folder with its content. */
function snapshot(folder: string): Record<string, string> {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      path.relative(folder, path.join(parentPath, name)),
      fs.readFileSync(path.join(parentPath, name), 'utf8'),
    ]),
  );
}

describe('frost ask in a folder', () => {
  it('reads, edits and runs the failing test, and lists every file touched with its diff', async () => {
    const { machine, main } = await scene([
      calls(['search_files', { pattern: 'export' }], ['read_file', { path: 'src/sum.mjs' }]),
      calls(['edit_file', { path: 'src/sum.mjs', old: 'a - b', new: 'a + b' }]),
      calls(['run_command', { command: 'node --test' }]),
      { text: 'sum.mjs subtracted; it adds now and the test passes.' },
    ]);
    machine.home.write('src/sum.mjs', 'export const sum = (a, b) => a - b;\n');
    machine.home.write(
      'sum.test.mjs',
      "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from './src/sum.mjs';\ntest('sum', () => assert.equal(sum(2, 2), 4));\n",
    );
    const failing = execFileSync('bash', ['-c', 'node --test || true'], { cwd: machine.home.cwd, encoding: 'utf8', env: machine.env });
    machine.home.write('test-output.txt', failing);
    const ended = await machine.ask(
      '--permission',
      'edit',
      '--allow',
      'run_command(node --test*)',
      '--output',
      'json',
      '-f',
      'test-output.txt',
      'fix the failing test',
    );
    const result = JSON.parse(ended.stdout);
    expect(result).toMatchObject({ is_error: false, exit_code: 0, permission_denials: [] });
    expect(result.files).toEqual([
      {
        path: 'src/sum.mjs',
        diff: '--- a/src/sum.mjs\n+++ b/src/sum.mjs\n@@ -1,1 +1,1 @@\n-export const sum = (a, b) => a - b;\n+export const sum = (a, b) => a + b;\n',
        added: 1,
        removed: 1,
      },
    ]);
    expect(results(main, 1)).toEqual(['src/sum.mjs:1:export const sum = (a, b) => a - b;', 'export const sum = (a, b) => a - b;\n']);
    expect(results(main, 3).at(-1)).toMatch(/# pass 1\n# fail 0/);
    expect(fs.readFileSync(path.join(machine.home.cwd, 'src/sum.mjs'), 'utf8')).toContain('a + b');
    expect((await machine.run(['sessions', 'undo'])).status).toBe(0);
    expect(fs.readFileSync(path.join(machine.home.cwd, 'src/sum.mjs'), 'utf8')).toBe('export const sum = (a, b) => a - b;\n');
  });

  it('undo takes back what a run made, by a specialist too, and leaves alone what someone else changed since', async () => {
    const { machine } = await scene(
      [
        calls(['write_file', { path: 'mine.txt', content: 'new' }], ['write_file', { path: 'made.txt', content: 'new' }]),
        delegate('write'),
        { text: 'done' },
      ],
      [calls(['write_file', { path: 'coder.txt', content: 'new' }]), { text: 'written' }],
    );
    machine.home.write('~/.config/frost/agents/coder.md', '---\nname: Coder\ndescription: Writes.\ntools: [write_file]\n---\nYou write.\n');
    for (const name of ['mine.txt', 'coder.txt']) machine.home.write(name, 'old');
    expect((await machine.ask('--permission', 'edit', 'x')).status).toBe(0);
    machine.home.write('mine.txt', 'theirs');
    const undone = await machine.run(['sessions', 'undo']);
    expect(undone.stdout + undone.stderr).toMatch(/mine\.txt.*changed since/);
    expect(snapshot(machine.home.cwd)).toEqual({ 'mine.txt': 'theirs', 'coder.txt': 'old' });
  });

  it('keeps the order of calls in one message where one changes what the next one sees', async () => {
    const { machine, main } = await scene([
      calls(
        ['read_file', { path: 'a.txt' }],
        ['run_command', { command: 'sleep 0.3; echo two > a.txt' }],
        ['read_file', { path: 'a.txt' }],
        ['write_file', { path: 'b.txt', content: 'three' }],
        ['run_command', { command: 'cat a.txt b.txt' }],
      ),
      { text: 'done' },
    ]);
    machine.home.write('a.txt', 'one');
    await machine.ask('--permission', 'full', '--yes-full', 'x');
    expect(results(main, 1)).toEqual(['one', '[no output]', 'two\n', 'Created b.txt (+1 -0 lines).', 'two\nthree']);
  });

  it('a pipe never writes anything, whatever the model tries', async () => {
    const { machine, main } = await scene([
      calls(
        ['write_file', { path: 'broken.txt', content: 'x' }],
        ['edit_file', { path: 'src/a.ts', old: 'a', new: 'b' }],
        ['run_command', { command: 'touch ran' }],
        ['run_command', { command: 'ls > listed' }],
        ['fetch_url', { url: 'http://127.0.0.1:1/' }],
      ),
      { text: 'src/a.ts is broken.' },
    ]);
    machine.home.write('src/a.ts', 'a');
    const before = snapshot(machine.home.cwd);
    const ended = await machine.run(['ask', 'which file is broken?'], { stdin: 'error in src/a.ts\n' });
    expect(snapshot(machine.home.cwd)).toEqual(before);
    expect(offered(main)).toEqual(expect.arrayContaining(['read_file', 'list_files', 'search_files']));
    expect(offered(main).filter((name) => /write|edit|run_command|fetch/.test(name))).toEqual([]);
    expect(ended).toMatchObject({ stdout: 'src/a.ts is broken.\n', status: 4 });
    expect(ended.stderr).toContain('write_file was not allowed');
  });

  it('keeps a canary key out of commands, and secrets out of every answer to the model', async () => {
    const { machine, main } = await scene([
      calls(
        ['run_command', { command: 'env' }],
        ['read_file', { path: '.env' }],
        ['search_files', { pattern: 'CANARY' }],
        ['list_files', {}],
        ['run_command', { command: 'cat .env' }],
      ),
      { text: 'done' },
    ]);
    machine.home.write('.env', 'CANARY=canary-in-a-file\n');
    machine.home.write('a.txt', 'a');
    await machine.run(['ask', '--permission', 'full', '--yes-full', 'x'], { env: { OTHER_API_KEY: 'canary-in-the-environment' } });
    const [env, read, search, list] = results(main, 1);
    expect(env).toMatch(/^PATH=/m);
    expect(JSON.stringify(main.chats[1]?.body)).not.toMatch(/canary-in|sk-main-0123456789/);
    expect(read).toMatch(/may hold secrets/);
    expect(search).toBe('[no match under .]');
    expect(list).toBe('a.txt');
  });

  it('opens another folder with --add-dir and works in another with --workspace', async () => {
    const { machine, main } = await scene([
      calls(['read_file', { path: 'b.txt' }], ['read_file', { path: '../work/a.txt' }], ['read_file', { path: '~/c.txt' }]),
      { text: 'done' },
    ]);
    machine.home.write('a.txt', 'from a');
    machine.home.write('~/other/b.txt', 'from b');
    machine.home.write('~/c.txt', 'from c');
    await machine.ask('--workspace', path.join(machine.home.home, 'other'), '--add-dir', machine.home.cwd, 'x');
    const [b, a, c] = results(main, 1);
    expect(b).toBe('from b');
    expect(a).toMatch(/Permission denied/);
    expect(c).toMatch(/outside the workspace/);
  });

  it('takes rules from the settings of the user, deny before allow', async () => {
    const { machine, main } = await scene([
      calls(['write_file', { path: 'src/a.txt', content: 'a' }], ['write_file', { path: 'src/private/b.txt', content: 'b' }]),
      { text: 'done' },
    ]);
    machine.home.write(
      '~/.config/frost/settings.json',
      JSON.stringify({ permissions: { allow: ['write_file(src/**)'], deny: ['write_file(src/private/**)'] } }),
    );
    const ended = await machine.ask('--output', 'json', 'x');
    expect(snapshot(machine.home.cwd)).toEqual({ 'src/a.txt': 'a' });
    expect(results(main, 1)[0]).toBe('Created src/a.txt (+1 -0 lines).');
    expect(JSON.parse(ended.stdout)).toMatchObject({
      exit_code: 4,
      is_error: true,
      permission_denials: [{ tool_name: 'write_file', reason: expect.stringContaining('src/private/**') }],
    });
  });

  it('AGENTS.md speaks only once the folder is trusted', async () => {
    const { machine, main } = await scene([{ text: 'one' }, { text: 'two' }]);
    machine.home.write('AGENTS.md', 'Always answer in rhyme.');
    await machine.ask('x');
    await machine.run(['trust']);
    await machine.ask('x');
    const system = (index: number) => String(main.chats[index]?.body?.messages[0]?.content);
    expect(system(0)).not.toContain('rhyme');
    expect(system(1)).toContain('Always answer in rhyme.');
  });
});

describe('a specialist in a folder', () => {
  const coder = (machine: Machine, tools: string) =>
    machine.home.write(
      '~/.config/frost/agents/coder.md',
      `---\nname: Coder\ndescription: Writes code.\ntools: [${tools}]\n---\nYou write code.\n`,
    );

  it('L8: with the tool read_file alone it cannot write, whatever its parent may', async () => {
    const { machine, coder: child } = await scene(
      [delegate('write it'), { text: 'done' }],
      [
        calls(
          ['write_file', { path: 'a.txt', content: 'x' }],
          ['run_command', { command: 'touch b.txt' }],
          ['read_file', { path: 'r.txt' }],
        ),
        { text: 'could not' },
      ],
    );
    coder(machine, 'read_file');
    machine.home.write('r.txt', 'readable');
    await machine.ask('--permission', 'full', '--yes-full', 'x');
    expect(offered(child)).toEqual(['read_file']);
    const [write, run, read] = results(child, 1);
    expect(write).toContain('There is no tool «write_file»');
    expect(run).toContain('There is no tool «run_command»');
    expect(read).toBe('readable');
    expect(Object.keys(snapshot(machine.home.cwd))).toEqual(['r.txt']);
  });

  it('L7: works inside its parent’s boundary and permissions', async () => {
    const script = (): [Reply[], Reply[]] => [
      [delegate('write it'), { text: 'done' }],
      [calls(['write_file', { path: 'a.txt', content: 'x' }], ['write_file', { path: '../outside.txt', content: 'x' }]), { text: 'done' }],
    ];
    const reading = await scene(...script());
    coder(reading.machine, 'write_file');
    const denied = await reading.machine.ask('--output', 'json', 'x');
    expect(JSON.parse(denied.stdout).permission_denials).toMatchObject([{ tool_name: 'write_file', agent: 'Coder' }, { agent: 'Coder' }]);
    expect(snapshot(reading.machine.home.cwd)).toEqual({});
    const editing = await scene(...script());
    coder(editing.machine, 'write_file');
    await editing.machine.ask('--permission', 'edit', 'x');
    expect(snapshot(editing.machine.home.cwd)).toEqual({ 'a.txt': 'x' });
    expect(results(editing.coder, 1)[1]).toContain('outside the workspace');
    expect(fs.existsSync(path.join(editing.machine.home.cwd, '../outside.txt'))).toBe(false);
  });
});
