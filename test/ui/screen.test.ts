import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Screen } from '../../src/ui/screen.js';
import { TestTerminal } from './terminal.js';

function drawn(columns = 40, rows = 10) {
  const terminal = new TestTerminal(columns, rows);
  const screen = new Screen(terminal);
  const paint = (frame: string, commit: string[] = [], cursor?: { row: number; column: number }) => {
    screen.commit(commit);
    screen.setFrame(frame);
    screen.setCursor(cursor);
    screen.paint();
  };
  return { terminal, screen, paint };
}

describe('the painter', () => {
  it('moves finished lines into the scrollback once, in order, above the live part', async () => {
    const { terminal, paint } = drawn();
    for (let at = 0; at < 30; at += 1) paint(`live ${at}\n› prompt\nstatus`, [`line ${at}`]);
    const expected = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    expect(await terminal.lines()).toEqual([...expected, 'live 29', '› prompt', 'status']);
    expect(terminal.written).not.toMatch(/\x1b\[[23]J/);
  });

  it('writes only what changed of a line', () => {
    const { terminal, paint } = drawn();
    paint('the answer so far\n› prompt\nstatus');
    const before = terminal.bytes;
    paint('the answer so far and on\n› prompt\nstatus');
    expect(terminal.bytes - before).toBeLessThan(60);
    expect(terminal.written.slice(-60)).not.toContain('answer');
  });

  it('writes nothing when nothing changed', () => {
    const { terminal, paint } = drawn();
    paint('a\nb', [], { row: 1, column: 1 });
    const before = terminal.bytes;
    paint('a\nb', [], { row: 1, column: 1 });
    expect(terminal.bytes).toBe(before);
  });

  it('puts the real cursor where the text is', async () => {
    const { terminal, paint } = drawn();
    paint('live\n› 你好\nstatus', ['done'], { row: 1, column: 6 });
    expect(await terminal.cursor()).toEqual({ row: 2, column: 6 });
    paint('live\n› 你好吗\nstatus', [], { row: 1, column: 8 });
    expect(await terminal.cursor()).toEqual({ row: 2, column: 8 });
    expect(await terminal.lines()).toEqual(['done', 'live', '› 你好吗', 'status']);
  });

  it('never scrolls the live part: it is cut to the window', async () => {
    const { terminal, paint } = drawn(40, 5);
    const tall = Array.from({ length: 12 }, (_, at) => `row ${at}`).join('\n');
    paint(tall);
    paint(`${tall}!`);
    expect(await terminal.lines()).toEqual(['row 8', 'row 9', 'row 10', 'row 11!']);
  });

  it('leaves nothing of the live part behind when the window gets narrower', async () => {
    const { terminal, screen, paint } = drawn(60, 12);
    paint(`${'a'.repeat(55)}\n› prompt\n${'s'.repeat(50)}`, ['kept'], { row: 1, column: 8 });
    await terminal.resize(20, 12);
    screen.resized();
    paint('aaa\n› prompt\nsss');
    expect(await terminal.lines()).toEqual(['kept', 'aaa', '› prompt', 'sss']);
  });

  it('shows what it was given, whatever changed from frame to frame', async () => {
    const word = fc.constantFrom('plain', '你好', '\x1b[31mred\x1b[39m', '\x1b[1mbold\x1b[22m', 'e\u0301a', '👩‍👩‍👧', '', ' ', 'a');
    const line = fc.array(word, { maxLength: 5 }).map((words) => words.join(''));
    const frame = fc.array(line, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(frame, fc.array(line, { maxLength: 2 })), { minLength: 1, maxLength: 8 }), async (steps) => {
        const { terminal, paint } = drawn(40, 10);
        const plain = drawn(40, 10);
        for (const [at, [lines, commit]] of steps.entries()) {
          const cursor = at % 3 === 2 ? undefined : { row: at % lines.length, column: at % 7 };
          paint(lines.join('\n'), commit, cursor);
        }
        const all = [...steps.flatMap(([, commit]) => commit), ...(steps.at(-1)?.[0] ?? [])];
        plain.terminal.write(all.join('\r\n'));
        expect(await terminal.lines()).toEqual(await plain.terminal.lines());
      }),
      { numRuns: 200 },
    );
  });

  it('takes the live part away at the end and shows the cursor', async () => {
    const { terminal, screen, paint } = drawn();
    paint('live\nprompt', ['answer'], { row: 1, column: 0 });
    screen.stop();
    expect(await terminal.lines()).toEqual(['answer']);
    expect(terminal.written).toContain('\x1b[?25h');
  });
});

describe('a window made smaller in tmux', () => {
  it('leaves no copy of the live part in the scrollback: nothing is erased from the first cell to the end at once', () => {
    let written: string[] = [];
    let size = { columns: 80, rows: 24 };
    const screen = new Screen({ write: (text) => void written.push(text), size: () => size });
    screen.setFrame(`${'long '.repeat(14)}\n› prompt\nstatus`);
    screen.paint();
    written = [];
    size = { columns: 30, rows: 24 };
    screen.resized();
    expect(written.join('')).toMatch(/\r\x1b7\x1b\[K\x1b\[B\x1b\[J\x1b8$/);
    expect(written.join('')).not.toMatch(/\r\x1b\[J/);
  });
});
