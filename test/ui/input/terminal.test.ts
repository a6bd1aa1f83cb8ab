import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleFixture } from '../support/bundle.js';
import { closeTerminals, type Pty, type PtyOptions, runInTerminal } from '../support/pty.js';

let program = '';
beforeAll(async () => {
  program = await bundleFixture('composer-demo.ts');
});
afterEach(closeTerminals);

interface Demo {
  pty: Pty;
  sent(): string[];
}

async function demo(options: PtyOptions & { history?: string[] } = {}): Promise<Demo> {
  const { history = [], ...rest } = options;
  const pty = runInTerminal(process.execPath, [program, 'sent.log', ...history], rest);
  const log = path.join(pty.cwd, 'sent.log');
  await pty.waitFor('-- demo --');
  const sent = () => {
    const lines = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\n') : [];
    return lines.slice(0, -1).map((line) => JSON.parse(line));
  };
  return { pty, sent };
}

/** What was sent after these keys and Enter. */
async function sentBy(keys: (string | number)[], count = 1): Promise<string[]> {
  const { pty, sent } = await demo();
  await pty.send(keys);
  await pty.waitFor(() => sent().length >= count);
  await pty.settled();
  return sent();
}

describe('U03: keys as the terminals send them', () => {
  it.each([
    ['Left, Backspace, Delete', ['abc', '\x1b[D', '\x7f', 50, '\x1b[3~', 50, '\r'], 'a'],
    ['Ctrl+H', ['ab', '\b', '\r'], 'a'],
    [
      'Home and End in every form',
      ['b', '\x1b[H', 'a', '\x1b[F', 'c', '\x1bOH', '<', '\x1bOF', '>', '\x1b[1~', '(', '\x1b[4~', ')', '\r'],
      '(<abc>)',
    ],
    ['Ctrl+W, A, E', ['one two', '\x17', 'x', '\x01', 'y', '\x05', 'z', '\r'], 'yone xz'],
    ['Ctrl+U and K', ['junk', '\x15', 'ok rest', '\x01', '\x1b[C', '\x1b[C', '\x0b', '\r'], 'ok'],
    ['an arrow whose bytes come apart', ['ab', '\x1b[', 100, 'D', 'X', '\r'], 'aXb'],
    ['Shift+Enter', ['a', '\x1b[13;2u', 'b', '\r'], 'a\nb'],
    ['a backslash before Enter', ['a\\', '\r', 50, 'b', '\r'], 'a\nb'],
  ])('%s', async (_, keys, expected) => {
    expect(await sentBy(keys)).toEqual([expected]);
  });
});

describe('U04: pastes', () => {
  it('three lines are one input, sent by Enter alone', async () => {
    const { pty, sent } = await demo();
    await pty.send('\x1b[200~line1\nline2\r\nline3\x1b[201~');
    await pty.waitFor('line3');
    await pty.settled();
    expect(sent()).toEqual([]);
    expect(pty.screenText()).not.toContain('200~');
    await pty.send('\r');
    await pty.waitFor(() => sent().length > 0);
    expect(sent()).toEqual(['line1\nline2\nline3']);
  });

  it('10 KB with CRLF stand as a label and arrive whole', async () => {
    const lines = Array.from({ length: 200 }, (_, line) => `${line}: ${'中文 text '.repeat(5)}`);
    const { pty, sent } = await demo({ cols: 40, rows: 10 });
    await pty.send(`\x1b[200~${lines.join('\r\n')}\x1b[201~`);
    await pty.waitFor('[Pasted text #1 +200 lines]');
    await pty.send([' end', 50, '\r']);
    await pty.waitFor(() => sent().length > 0);
    expect(sent()).toEqual([`${lines.join('\n')} end`]);
  });

  it('5,000 characters in writes of 1,022 bytes, the end marker cut in two', async () => {
    const text = Array.from({ length: 1000 }, (_, index) => String(index).padStart(5, '0')).join('');
    const all = `\x1b[200~${text}\x1b[201~`;
    const pieces: (string | number)[] = [];
    for (let at = 0; at < all.length - 3; at += 1022) pieces.push(all.slice(at, Math.min(at + 1022, all.length - 3)), 5);
    expect(await sentBy([...pieces, all.slice(-3), 50, '\r'])).toEqual([text]);
  });

  it('without bracketed paste, a burst of lines is kept and not sent', async () => {
    const { pty, sent } = await demo();
    await pty.send('line1\rline2\rline3\r');
    await pty.waitFor('line3');
    await pty.settled();
    expect(sent()).toEqual([]);
    await pty.send('\r');
    await pty.waitFor(() => sent().length > 0);
    expect(sent().map((text) => text.trim())).toEqual(['line1\nline2\nline3']);
  });

  it('text and Enter in one write are sent once', async () => {
    expect(await sentBy([`${'x'.repeat(3000)}\r`])).toEqual(['x'.repeat(3000)]);
  });

  it('tabs stay, escape codes go', async () => {
    expect(await sentBy(['\x1b[200~a\tb\x1b[31mred\x1b[201~', 50, '\r'])).toEqual(['a\tbred']);
  });
});

describe.each([
  { cols: 80, rows: 24 },
  { cols: 40, rows: 10 },
])('the cursor at $cols × $rows', (size) => {
  it.each([
    ['Chinese', '你好，世界', 10],
    ['emoji', 'a😀👍', 5],
    ['combining marks', 'e\u0301a\u0308x', 3],
    ['kana with a voiced mark', 'か\u3099き', 4],
  ])('stands behind %s', async (_, text, column) => {
    const { pty } = await demo(size);
    await pty.send(text);
    await pty.waitFor(text.normalize().slice(-1));
    await pty.settled();
    expect(pty.cursor().column).toBe(column + 2);
  });

  it('moves over whole characters, and Backspace takes one', async () => {
    const { pty, sent } = await demo(size);
    await pty.send(['你好吗', '\x1b[D', '\x7f']);
    await pty.waitFor('你吗');
    await pty.settled();
    expect(pty.cursor().column).toBe(4);
    await pty.send(['\x1b[C', '😀', '\x1b[D', 'x', '\r']);
    await pty.waitFor(() => sent().length > 0);
    expect(sent()).toEqual(['你吗x😀']);
  });

  it('goes down with a text that takes several rows', async () => {
    const { pty } = await demo(size);
    const width = size.cols - 3;
    await pty.send('中'.repeat(Math.floor(width / 2) + 3));
    await pty.waitFor(/中\n {2}中/);
    await pty.settled();
    expect(pty.cursor()).toMatchObject({ row: 1, column: 8 });
  });
});

describe('history and completion', () => {
  it('Up brings earlier inputs, Down the draft', async () => {
    const { pty } = await demo({ history: ['first', 'second'] });
    await pty.send(['draft', '\x1b[A']);
    await pty.waitFor('› second');
    await pty.send('\x1b[A');
    await pty.waitFor('› first');
    await pty.send('\x1b[B\x1b[B');
    await pty.waitFor('› draft');
  });

  it('Ctrl+R finds an input by any of its words', async () => {
    const { pty, sent } = await demo({ history: ['fix the bug', 'write a test', 'fix the test'] });
    await pty.send(['\x12', 'fix']);
    await pty.waitFor(/> fix the test\n\s+fix the bug/);
    await pty.send(['\x12', '\r']);
    await pty.waitFor('› fix the bug');
    expect(sent()).toEqual([]);
  });

  it('completes files, specialists and commands', async () => {
    const { pty, sent } = await demo();
    await pty.send('see @app');
    await pty.waitFor('> src/app.ts');
    await pty.send(['\t', 'and @Co']);
    await pty.waitFor('> @Coder');
    await pty.send(['\r', 50, '\r']);
    await pty.waitFor(() => sent().length > 0);
    expect(sent()).toEqual(['see @src/app.ts and @Coder ']);
    await pty.send('/he');
    await pty.waitFor('> /help');
    await pty.send('\r');
    await pty.waitFor(() => sent().length > 1);
    expect(sent()[1]).toBe('/help');
  });
});

describe('U08: the terminal is given back', () => {
  /** Runs the program below a shell that compares the terminal's modes before and after. */
  async function underShell(end: (pty: Pty) => Promise<void>): Promise<Pty> {
    const script = `stty -g > before; "$0" "$1" sent.log; echo "rc=$?"; stty -g > after; cmp before after && echo SAME`;
    const pty = runInTerminal('bash', ['--norc', '-c', script, process.execPath, program]);
    await pty.waitFor('-- demo --');
    await pty.send('hi');
    await pty.waitFor('› hi');
    await end(pty);
    await pty.waitFor('SAME');
    await pty.exit();
    return pty;
  }

  const childOf = (pty: Pty) => Number(fs.readFileSync(`/proc/${pty.pid}/task/${pty.pid}/children`, 'utf8').trim().split(' ')[0]);

  function expectRestored(raw: string): void {
    for (const [on, off] of [
      ['\x1b[?2004h', '\x1b[?2004l'],
      ['\x1b[?1004h', '\x1b[?1004l'],
      ['\x1b[>5u', '\x1b[<u'],
      ['\x1b[>4;1m', '\x1b[>4;0m'],
      ['\x1b[?25l', '\x1b[?25h'],
    ] as const) {
      expect(raw.lastIndexOf(off), JSON.stringify(off)).toBeGreaterThan(raw.lastIndexOf(on));
    }
  }

  it('after Ctrl+D', async () => {
    const pty = await underShell((pty) => pty.send(['\x15', '\x04']));
    expectRestored(pty.raw());
    expect(pty.screenText()).toContain('rc=0');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('after %s', async (signal, code) => {
    const pty = await underShell(async (pty) => void process.kill(childOf(pty), signal));
    expectRestored(pty.raw());
    expect(pty.screenText()).toContain(`rc=${code}`);
  });

  it.each(['/throw', '/reject'])('after %s, with the message below the restored screen', async (command) => {
    const pty = await underShell((pty) => pty.send(['\x15', command, 50, '\r']));
    expectRestored(pty.raw());
    expect(pty.screenText()).toMatch(/on purpose[\s\S]*rc=1/);
  });

  it('during Ctrl+Z, and taken again by fg', async () => {
    const pty = runInTerminal('bash', ['--norc', '-i'], { env: { PS1: 'shell$ ' } });
    await pty.waitFor('shell$');
    await pty.send(`stty -g > before; ${process.execPath} ${program} sent.log\r`);
    await pty.waitFor('-- demo --');
    await pty.send('draft');
    await pty.waitFor('› draft');
    await pty.send('\x1a');
    await pty.waitFor(/Stopped[\s\S]*shell\$/);
    expectRestored(pty.raw().split('Stopped')[0] ?? '');
    await pty.send('stty -g > after; cmp before after && echo SAME\r');
    await pty.waitFor('\nSAME');
    await pty.send('fg\r');
    await pty.waitFor(/fg\n[\s\S]*› draft\n-- demo --/);
    await pty.send(' goes on\r');
    const log = path.join(pty.cwd, 'sent.log');
    await pty.waitFor(() => fs.existsSync(log) && fs.readFileSync(log, 'utf8').includes('draft goes on'));
  });

  it('Ctrl+Z without a shell that has jobs does not leave the program stuck', async () => {
    const { pty } = await demo();
    await pty.send(['a', '\x1a', 200, 'b']);
    await pty.waitFor('› ab');
  });

  it('to an editor, whose text comes back into the prompt', async () => {
    const { pty, sent } = await demo();
    await pty.send(['/edit ', '\x7f', '\r']);
    await pty.waitFor(() => sent().length > 0);
    await pty.settled();
    await pty.send(['typed for cat\r', 100, '\x04']);
    await pty.waitFor(/typed for cat\ntyped for cat\n› from the prompt added\n-- demo --/);
    await pty.send('!\r');
    await pty.waitFor(() => sent().length > 1);
    expect(sent()[1]).toBe('from the prompt added!');
  });
});
