import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findSandbox } from '../../src/workspace/sandbox.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { type WorkspaceScene, workspaceScene } from '../support/workspace-scene.js';

let scene: WorkspaceScene;
afterEach(() => scene?.close());

const run = (command: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
  scene.call('run_command', { command, ...more }, signal);
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !fs.readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

describe('run_command', () => {
  it('gives the output, and the exit code where it is not 0', async () => {
    scene = workspaceScene();
    expect(await run('echo out; echo err >&2')).toMatchObject({ text: 'out\nerr', details: { kind: 'command', exitCode: 0 } });
    expect(await run('echo no; exit 3')).toMatchObject({ text: 'no\n[exit code 3]', details: { exitCode: 3 } });
    expect((await run('true')).text).toBe('[no output]');
  });

  it('shows the output while the command runs', async () => {
    scene = workspaceScene();
    const running = run('echo first; sleep 0.3; echo second');
    await expect.poll(() => scene.updates.join('')).toBe('first\n');
    await running;
    expect(scene.updates.join('')).toBe('first\nsecond\n');
  });

  it('starts in the folder asked for, and only inside', async () => {
    scene = workspaceScene();
    scene.put('sub/a', '');
    expect((await run('pwd', { cwd: 'sub' })).text).toBe(path.join(scene.root, 'sub'));
    await expect(run('pwd', { cwd: '..' })).rejects.toThrow('outside the workspace');
    await expect(run('pwd', { cwd: 'sub/a' })).rejects.toThrow('is no folder');
  });

  it('has the environment it was given and nothing else, and no input', async () => {
    scene = workspaceScene({ env: { PATH: process.env['PATH'] ?? '', GIVEN: 'yes' } });
    const { text } = await run('env; cat');
    expect(
      text
        .split('\n')
        .map((line) => line.split('=')[0])
        .sort(),
    ).toEqual(['GIVEN', 'PATH', 'PWD', 'SHLVL', '_']);
  });

  it('keeps the head and the tail of a long output, and all of it in a file', async () => {
    scene = workspaceScene();
    const { text, details } = await run('seq 1 200000');
    const { log = '' } = details as { log?: string };
    expect(text.startsWith('1\n2\n3\n')).toBe(true);
    expect(text.endsWith('199999\n200000')).toBe(true);
    expect(text.length).toBeLessThan(50_000);
    expect(text).toContain(log);
    expect(fs.readFileSync(log, 'utf8')).toBe(Array.from({ length: 200_000 }, (_, i) => `${i + 1}\n`).join(''));
    expect((await scene.call('read_file', { path: log, start: 150_000, count: 1 })).text).toContain('150000');
    await expect(scene.call('write_file', { path: log, content: '' })).rejects.toThrow('outside the workspace');
    expect(fs.statSync(log).mode & 0o777).toBe(0o600);
  });

  it('takes colours out for the model', async () => {
    scene = workspaceScene();
    expect((await run(String.raw`printf '\033[31mred\033[0m \033]8;;http://x\007link\033]8;;\007'`)).text).toBe('red link');
  });

  it('ends all of the process group at the timeout', async () => {
    scene = workspaceScene();
    const result = await run('sleep 60 & echo $!; sleep 60', { timeout_s: 1 });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('[ended after 1 s]') });
    expect(isAlive(Number(result.text.split('\n')[0]))).toBe(false);
  });

  it('ends it when the turn is stopped, even where it does not listen to SIGTERM', async () => {
    scene = workspaceScene();
    const stop = new AbortController();
    const running = run(`trap '' TERM; sleep 60 & echo $! > pid; echo ready; while :; do sleep 0.1; done`, {}, stop.signal);
    await expect.poll(() => scene.updates.join('')).toContain('ready');
    stop.abort();
    expect((await running).text).toContain('[stopped]');
    expect(isAlive(Number(scene.text('pid')))).toBe(false);
  });

  it('does not wait for what was left in the background, and ends it', async () => {
    scene = workspaceScene();
    const { text } = await run('sleep 60 & echo $!');
    await expect.poll(() => isAlive(Number(text))).toBe(false);
  });
});

describe('run_command in bubblewrap', () => {
  async function start(context: { skip: (note?: string) => void }, options: Parameters<typeof workspaceScene>[0] = {}) {
    const home = { PATH: process.env['PATH'] ?? '' };
    scene = workspaceScene({ ...options, sandbox: (workspace) => findSandbox(workspace, home) });
    const sandbox = await findSandbox(scene.workspace, home);
    if (sandbox?.kind !== 'bubblewrap')
      context.skip('bubblewrap is not installed, or may not be used on this machine (apt-get install bubblewrap)');
  }

  it('L7: a command writes inside the workspace and nowhere else', async (context) => {
    await start(context);
    const outside = path.join(scene.base, 'outside.txt');
    fs.symlinkSync(outside, path.join(scene.root, 'link'));
    const { text } = await run(
      `echo in > in.txt; echo out > ${outside}; echo out > link; echo out > /usr/local/x; echo out > ~/x; echo done`,
    );
    expect(text).toContain('done');
    expect(scene.text('in.txt')).toBe('in\n');
    expect(fs.existsSync(outside)).toBe(false);
    expect(fs.existsSync('/usr/local/x')).toBe(false);
  });

  it('cannot change what git and frost run or obey later', async (context) => {
    await start(context);
    scene.put('.git/hooks/pre-commit.sample', 'sample');
    scene.put('.frost/settings.json', '{}');
    await run('echo evil > .git/hooks/pre-commit; echo evil > .frost/settings.json; echo fine > .git/note');
    expect(fs.readdirSync(path.join(scene.root, '.git/hooks'))).toEqual(['pre-commit.sample']);
    expect(scene.text('.frost/settings.json')).toBe('{}');
    expect(scene.text('.git/note')).toBe('fine\n');
  });

  it('cannot reach the network unless it was granted', async (context) => {
    const server = http.createServer((_, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && tail -n1 <&3`;
    try {
      await start(context, { mode: 'edit' });
      expect((await run(command)).text).not.toContain('reached');
      scene.close();
      await start(context, { mode: 'edit', allow: ['network'] });
      expect((await run(command)).text).toContain('reached');
    } finally {
      server.close();
    }
  });

  it('cannot see a key in the environment of any process', async (context) => {
    await start(context);
    process.env['CANARY_API_KEY'] = 'canary-in-this-process';
    const { spawn } = await import('node:child_process');
    const neighbour = spawn('sleep', ['60'], { env: { ...process.env, CANARY_API_KEY: 'canary-in-a-neighbour' } });
    try {
      const { text } = await run("cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; ls /proc | grep -c '^[0-9]'");
      expect(text).not.toContain('canary');
      expect(text).toMatch(/PATH=/);
    } finally {
      neighbour.kill('SIGKILL');
      delete process.env['CANARY_API_KEY'];
    }
  });

  it('cannot read secret files of the workspace unless a rule opened them', async (context) => {
    await start(context, { isOpened: (name) => name === 'open/.env' });
    scene.put('.env', 'TOKEN=canary');
    scene.put('app/.env.local', 'TOKEN=canary');
    scene.put('open/.env', 'TOKEN=opened');
    scene.put('.env.example', 'TOKEN=example');
    const { text } = await run('cat .env app/.env.local open/.env .env.example');
    expect(text).not.toContain('canary');
    expect(text).toContain('TOKEN=openedTOKEN=example');
  });

  it('keeps credential folders hidden where the workspace is the home itself', async (context) => {
    await start(context);
    const home = { PATH: process.env['PATH'] ?? '' };
    const folder = path.join(os.homedir(), '.ssh');
    const wasThere = fs.existsSync(folder);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'canary-of-a-test'), 'canary');
    try {
      for (const root of [os.homedir(), path.dirname(scene.base)]) {
        const workspace = new Workspace({ root });
        const box = await findSandbox(workspace, home);
        const [file = '', ...args] =
          (await box?.wrap(['/bin/sh', '-c', `ls -A ${folder}; ls /proc | grep -c '^[0-9]*$'; touch /tmp/x && echo temporary`], {
            cwd: root,
            network: false,
          })) ?? [];
        const text = execFileSync(file, args, { encoding: 'utf8' });
        expect(text).not.toContain('canary');
        expect(text).toContain('temporary');
        expect(Number(text.split('\n')[0])).toBeLessThan(8);
      }
    } finally {
      fs.rmSync(wasThere ? path.join(folder, 'canary-of-a-test') : folder, { recursive: true });
    }
  });

  it('is gone with all its processes at the timeout', async (context) => {
    await start(context);
    const marker = `${9_000_000 + process.pid}`;
    await run(`setsid sleep ${marker} & sleep ${marker}`, { timeout_s: 1 });
    const commands = fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        try {
          return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        } catch {
          return '';
        }
      });
    expect(commands.filter((line) => line.startsWith(`sleep ${marker}`))).toEqual([]);
  });
});
