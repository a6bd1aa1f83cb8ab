import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type Endpoint, type Reply, startEndpoint } from '../support/endpoint.js';
import { closeTerminals, frostInTerminal, type Pty, type PtyOptions, runInTerminal } from './support/pty.js';

const FROST = path.resolve(import.meta.dirname, '../../bin/frost.js');
/** What the prompt says while it is empty. */
const READY = '›';

afterEach(async () => {
  await closeTerminals();
  await closeEndpoints();
});

const settings = (endpoint: Endpoint, more: PtyOptions['env'] = {}) => ({
  UPSTREAM_ENDPOINT: endpoint.url,
  UPSTREAM_API_KEY: 'sk-main-TEST',
  MODEL_NAME: 'mock',
  ...more,
});

async function chat(script: Reply[], options: PtyOptions = {}): Promise<{ pty: Pty; endpoint: Endpoint }> {
  const endpoint = await startEndpoint(script);
  const pty = frostInTerminal([], { ...options, env: settings(endpoint, options.env) });
  await pty.waitFor(READY);
  return { pty, endpoint };
}

/** The user's text of the only request that these keys lead to. */
async function sentBy(keys: (string | number)[], options: PtyOptions = {}): Promise<string> {
  const { pty, endpoint } = await chat([{ text: 'answered' }], options);
  await pty.send(keys);
  await endpoint.waitForChats(1);
  await pty.waitFor('answered');
  expect(endpoint.chats).toHaveLength(1);
  return endpoint.userText(0);
}

describe('U03 in the chat: keys', () => {
  it.each([
    ['Left, Backspace, Delete', ['abc', '\x1b[D', '\x7f', 50, '\x1b[3~', 50, '\r'], 'a'],
    ['Home and End', ['b', '\x1b[H', 'a', '\x1b[F', 'c', '\x1bOH', '<', '\x1bOF', '>', '\x1b[1~', '(', '\x1b[4~', ')', '\r'], '(<abc>)'],
    ['an arrow whose bytes come apart', ['ab', '\x1b[', 60, 'D', 'X', '\r'], 'aXb'],
    ['Chinese', ['你好吗', '\x7f', '，世界', '\r'], '你好，世界'],
  ])('%s', async (_, keys, expected) => {
    expect(await sentBy(keys)).toBe(expected);
  });
});

it('breaks lines with a backslash, Ctrl+J, Alt+Enter and Shift+Enter', async () => {
  const { pty, endpoint } = await chat([{ text: 'answered' }]);
  const breaks = ['\\\r', '\n', '\x1b\r', '\x1b[13;2u', '\x1b[27;2;13~'];
  for (const [index, key] of breaks.entries()) {
    await pty.send(`line${index}`);
    await pty.waitFor(`line${index}`);
    await pty.send(key);
    await pty.waitFor((terminal) => terminal.cursor().column === 2);
  }
  await pty.send('end\r');
  await endpoint.waitForChats(1);
  expect(endpoint.userText(0)).toBe('line0\nline1\nline2\nline3\nline4\nend');
});

describe('U04 in the chat: pastes', () => {
  it('three lines are one message, sent by Enter alone', async () => {
    const { pty, endpoint } = await chat([{ text: 'answered' }]);
    await pty.send('\x1b[200~line1\nline2\r\nline3\x1b[201~');
    await pty.waitFor('line3');
    await pty.settled(300);
    expect(endpoint.chats).toHaveLength(0);
    await pty.send('\r');
    await pty.waitFor('answered');
    expect(endpoint.chats).toHaveLength(1);
    expect(endpoint.userText(0)).toBe('line1\nline2\nline3');
    expect(pty.scrollback().join('\n')).not.toMatch(/20[01]~/);
  });

  it('10 KB with CRLF at 40 × 10 arrive whole', async () => {
    const lines = Array.from({ length: 200 }, (_, line) => `${line}: ${'中文 text '.repeat(5)}`);
    expect(await sentBy([`\x1b[200~${lines.join('\r\n')}\x1b[201~`, 100, '\r'], { cols: 40, rows: 10 })).toBe(lines.join('\n').trim());
  });

  it('a burst without bracketed paste sends no line by itself', async () => {
    const { pty, endpoint } = await chat([{ text: 'answered' }]);
    await pty.send('line1\rline2\rline3\r');
    await pty.waitFor('line3');
    await pty.settled(300);
    expect(endpoint.chats).toHaveLength(0);
  });

  it('3,000 characters and Enter in one write are sent once', async () => {
    expect(await sentBy([`${'x'.repeat(3000)}\r`])).toBe('x'.repeat(3000));
  });
});

describe.each([
  { cols: 80, rows: 24 },
  { cols: 40, rows: 10 },
])('the terminal cursor in the chat at $cols × $rows', (size) => {
  it.each([
    ['Chinese', '你好世界', 8],
    ['emoji', 'a😀👍', 5],
    ['combining marks', 'e\u0301a\u0308x', 3],
  ])('stands behind %s', async (_, text, columns) => {
    const { pty } = await chat([], size);
    await pty.settled(400);
    const start = pty.cursor();
    await pty.send(text);
    await pty.waitFor(`${READY} ${text}`);
    await pty.settled();
    expect(pty.cursor()).toEqual({ row: start.row, column: start.column + columns });
    await pty.send('\x1b[D');
    await pty.settled();
    expect(pty.cursor().column).toBe(start.column + columns - (text.endsWith('x') ? 1 : 2));
  });
});

describe('U08 in the chat: the terminal is given back', () => {
  const MODES = [
    ['\x1b[?2004h', '\x1b[?2004l'],
    ['\x1b[?1004h', '\x1b[?1004l'],
    ['\x1b[>5u', '\x1b[<u'],
    ['\x1b[>4;1m', '\x1b[>4;0m'],
    ['\x1b[?25l', '\x1b[?25h'],
  ] as const;

  function expectRestored(raw: string): void {
    for (const [on, off] of MODES) expect(raw.lastIndexOf(off), JSON.stringify(off)).toBeGreaterThan(raw.lastIndexOf(on));
    expect(raw).not.toContain('\x1b[?1049h');
  }

  const STREAMING: Reply = { text: ['streams ', 'on'], end: 'hang' };

  /** The chat below a shell that compares the terminal's modes before and after; `hi` is typed. */
  async function underShell(script: Reply[], end: (pty: Pty) => Promise<void>, env: PtyOptions['env'] = {}): Promise<Pty> {
    const endpoint = await startEndpoint(script);
    const line = `stty -g > before; "$0" "$1"; echo "rc=$?"; stty -g > after; cmp before after && echo SAME`;
    const pty = runInTerminal('bash', ['--norc', '-c', line, process.execPath, FROST], { env: settings(endpoint, env) });
    await pty.waitFor(READY);
    await pty.send('hi');
    await pty.waitFor(`${READY} hi`);
    await end(pty);
    await pty.waitFor('SAME');
    await pty.exit();
    expectRestored(pty.raw());
    return pty;
  }

  const frostBelow = (pty: Pty) => Number(fs.readFileSync(`/proc/${pty.pid}/task/${pty.pid}/children`, 'utf8').trim().split(' ')[0]);

  it('after Ctrl+D on an empty line', async () => {
    const pty = await underShell([], async (pty) => {
      await pty.send(['\x15', 50, '\x04']);
    });
    expect(pty.screenText()).toContain('rc=0');
  });

  it('after Ctrl+C: once for the draft, twice to leave', async () => {
    const pty = await underShell([], async (pty) => {
      await pty.send(['\x03', 100, '\x03', 100, '\x03']);
    });
    expect(pty.screenText()).toContain('rc=0');
  });

  it('after /quit', async () => {
    const pty = await underShell([], async (pty) => {
      await pty.send(['\x15', 50, '/quit', 50, '\r']);
    });
    expect(pty.screenText()).toContain('rc=0');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('after %s while an answer streams', async (signal, status) => {
    const pty = await underShell([STREAMING], async (pty) => {
      await pty.send('\r');
      await pty.waitFor('streams');
      process.kill(frostBelow(pty), signal);
    });
    expect(pty.screenText()).toContain(`rc=${status}`);
  });

  it('after an exception, with one readable message and no stack', async () => {
    const hook = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'frost-hook-')), 'throw.mjs');
    fs.writeFileSync(hook, "process.on('SIGUSR2', () => { throw new Error('broken on purpose'); });\n");
    const pty = await underShell([], async (pty) => void process.kill(frostBelow(pty), 'SIGUSR2'), { NODE_OPTIONS: `--import=${hook}` });
    expect(pty.screenText()).toMatch(/broken on purpose/);
    expect(pty.screenText()).not.toMatch(/^\s+at /m);
    expect(pty.screenText()).toMatch(/rc=[1-9]/);
  });

  it('when the window is closed, the program ends and its request with it', async () => {
    const { pty, endpoint } = await chat([STREAMING]);
    await pty.send(['hi', 30, '\r']);
    await pty.waitFor('streams');
    const { pid } = pty;
    pty.hangUp();
    const isThere = () => {
      try {
        process.kill(pid, 0);
        return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
      } catch {
        return false;
      }
    };
    for (let waited = 0; isThere() && waited < 5000; waited += 50) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isThere()).toBe(false);
    await pty.waitFor(() => endpoint.chats[0]?.abortedAt !== undefined);
  });

  it('during Ctrl+Z, and taken again by fg with the draft', async () => {
    const endpoint = await startEndpoint([{ text: 'answered' }]);
    const pty = runInTerminal('bash', ['--norc', '-i'], { env: { ...settings(endpoint), PS1: 'shell$ ' } });
    await pty.waitFor('shell$');
    await pty.send(`stty -g > before; ${process.execPath} ${FROST}\r`);
    await pty.waitFor(READY);
    await pty.send('draft');
    await pty.waitFor(`${READY} draft`);
    await pty.send('\x1a');
    await pty.waitFor(/Stopped[\s\S]*shell\$/);
    expectRestored(pty.raw().split('Stopped')[0] ?? '');
    await pty.send('stty -g > after; cmp before after && echo SAME\r');
    await pty.waitFor('\nSAME');
    await pty.send('fg\r');
    await pty.waitFor((terminal) => (terminal.screenText().split('\nSAME')[1] ?? '').includes(`${READY} draft`));
    await pty.send([' goes on', 50, '\r']);
    await pty.waitFor('answered');
    expect(endpoint.userText(0)).toBe('draft goes on');
  });
});

describe('while a turn runs', () => {
  it('Enter steers, Tab queues, and Up takes back what was queued', async () => {
    const { pty, endpoint } = await chat([{ text: ['works ', 'on ', 'it'], paceMs: 500 }, { text: 'second answer' }]);
    await pty.send(['first', 30, '\r']);
    await pty.waitFor('works');
    await pty.send(['queued', 30, '\t', 50, '\x1b[A', 50]);
    await pty.waitFor(`${READY} queued`);
    await pty.send(['!', 30, '\t']);
    await pty.waitFor('second answer');
    expect(endpoint.chats).toHaveLength(2);
    expect(endpoint.userText(1)).toBe('queued!');
  });

  it('a command or a shell line that was queued is carried out in its turn, not sent', async () => {
    const { pty, endpoint } = await chat([{ text: ['works ', 'on ', 'it'], paceMs: 400 }, { text: 'second answer' }]);
    await pty.send(['first', 30, '\r']);
    await pty.waitFor('works');
    await pty.send(['/tools ', 60, '\t', 60, '!!echo out-$((40+2))', 60, '\t', 60, 'last', 60, '\t']);
    await pty.waitFor('second answer');
    expect(endpoint.chats.map((_, index) => endpoint.userText(index))).toEqual(['first', 'last']);
    const shown = pty.scrollback().join('\n');
    expect(shown).toContain('use_subagent');
    expect(shown).toContain('out-42');
  });
});
