import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { BurstGuard } from '../../../src/ui/input/bursts.js';
import { Composer } from '../../../src/ui/input/composer.js';
import type { InputEvent } from '../../../src/ui/input/input-events.js';
import { KeyParser } from '../../../src/ui/input/keys.js';
import { readSubmission } from '../../../src/ui/input/submission.js';

const FILES = ['README.md', 'src/app.ts', 'src/ui/', 'src/a b.ts', 'docs/代码.md'];

function make(history: string[] = []) {
  let drawn = 0;
  const composer = new Composer({
    commands: () => [{ name: 'help', note: 'all commands' }, { name: 'model', takesMore: true }, { name: 'new' }],
    agents: () => [{ name: 'Coder', note: 'writes code' }, { name: 'Reviewer' }],
    paths: async (start) => FILES.filter((file) => file.toLowerCase().includes(start.toLowerCase())),
    changed: () => {
      drawn++;
    },
  });
  composer.remember(history);
  const parser = new KeyParser();
  const press = (input: string) => {
    const events = [...parser.push(Buffer.from(input)), ...parser.flush()];
    return events.map((event) => composer.input(event)).at(-1);
  };
  const menu = () => composer.view(60, 10).menu.map(({ text, chosen }) => (chosen ? `> ${text}` : text));
  const files = () => new Promise((resolve) => setTimeout(resolve, 0));
  return { composer, press, menu, files, drawn: () => drawn };
}

const UP = '\x1b[A';
const DOWN = '\x1b[B';
const ESC = '\x1b';

describe('earlier inputs', () => {
  it('Up and Down walk through them and keep the draft with its cursor', () => {
    const { composer, press } = make(['one', 'two']);
    press(`draft\x1b[D`);
    press(UP);
    expect(composer.text).toBe('two');
    press(UP);
    expect(composer.text).toBe('one');
    expect(press(UP)).toBe('unused');
    press(DOWN);
    press(DOWN);
    press('!');
    expect(composer.text).toBe('draf!t');
    expect(press(DOWN)).toBe('unused');
  });

  it('Up moves inside a text of several lines first', () => {
    const { composer, press } = make(['old']);
    press('a\nb');
    press(UP);
    expect(composer.text).toBe('a\nb');
    press(UP);
    expect(composer.text).toBe('old');
  });

  it('remember what was sent, once', () => {
    const { composer, press } = make();
    for (const text of ['same', 'same', 'other']) {
      press(text);
      expect(press('\r')).toBe('send');
      expect(composer.take()).toBe(text);
      expect(composer.text).toBe('');
    }
    press(UP);
    press(UP);
    expect(composer.text).toBe('same');
    expect(press(UP)).toBe('unused');
  });

  it('a changed one is a draft of its own', () => {
    const { composer, press } = make(['one', 'two']);
    press(`${UP}${UP}!`);
    expect(composer.text).toBe('one!');
    press(UP);
    expect(composer.text).toBe('two');
    press(DOWN);
    expect(composer.text).toBe('one!');
  });

  it('Ctrl+R searches words in any order, newest first, and Escape leaves the draft as it was', () => {
    const { composer, press, menu } = make(['fix the bug', 'write', 'the other fix']);
    press('draft\x12the fix');
    expect(menu()).toEqual(['> the other fix', 'fix the bug']);
    expect(composer.view(60, 10)).toMatchObject({ searching: true, rows: ['the fix'] });
    press(ESC);
    expect(composer.text).toBe('draft');
    press('\x12bug\r');
    expect(composer.text).toBe('fix the bug');
  });

  it('a long paste is remembered in full', () => {
    const long = 'x\n'.repeat(100);
    const { composer, press } = make();
    press(`\x1b[200~${long}\x1b[201~`);
    expect(composer.view(60, 10).rows).toEqual(['[Pasted text #1 +101 lines]']);
    expect(composer.take()).toBe(long);
    press(UP);
    expect(composer.text).toBe(long);
  });
});

describe('completion', () => {
  it('offers commands after a slash at the start, and Enter sends the chosen one', () => {
    const { composer, press, menu } = make();
    press('/');
    expect(menu()).toEqual(['> /help', '/model', '/new']);
    press('n');
    expect(menu()).toEqual(['> /new']);
    expect(press('\r')).toBe('send');
    expect(composer.text).toBe('/new');
    composer.take();
    press('see /');
    expect(menu()).toEqual([]);
  });

  it('Enter on a command that takes more words only completes it', () => {
    const { composer, press } = make();
    press('/mo');
    expect(press('\r')).toBe('used');
    expect(composer.text).toBe('/model ');
    expect(press('\r')).toBe('send');
  });

  it('offers specialists at once and files as they come', async () => {
    const { press, menu, files, drawn } = make();
    press('ask @co');
    expect(menu()).toEqual(['> @Coder']);
    press('\x7f\x7fsrc');
    await files();
    expect(menu()).toEqual(['> src/app.ts', 'src/ui/', 'src/a b.ts']);
    expect(drawn()).toBeGreaterThan(0);
  });

  it('Tab takes the chosen file, in quotes where it has spaces, and goes on in a folder', async () => {
    const { composer, press, menu, files } = make();
    press('@src');
    await files();
    press(`${DOWN}${DOWN}\t`);
    expect(composer.text).toBe('@"src/a b.ts" ');
    press('and @src/u');
    await files();
    press('\t');
    await files();
    expect(composer.text).toBe('@"src/a b.ts" and @src/ui/');
    expect(menu()).toEqual(['> src/ui/']);
  });

  it('Escape closes the list until something else is typed', () => {
    const { press, menu } = make();
    press('@Co');
    expect(press(ESC)).toBe('used');
    expect(menu()).toEqual([]);
    expect(press(ESC)).toBe('unused');
    press('d');
    expect(menu()).toEqual(['> @Coder']);
  });

  it('an answer that comes too late opens nothing', async () => {
    const { press, menu, files } = make();
    press('@READ');
    press(' and on');
    await files();
    expect(menu()).toEqual([]);
  });

  it('an address is no mention', async () => {
    const { press, menu, files } = make();
    press('me@Coder');
    await files();
    expect(menu()).toEqual([]);
  });

  it('Tab without a list is left to the chat', () => {
    const { press } = make();
    press('text');
    expect(press('\t')).toBe('unused');
  });
});

it('whatever is pressed, the cursor stands in the rows and the rows fit', async () => {
  const stroke = fc.oneof(
    fc.constantFrom(
      'a',
      ' ',
      '/',
      '@',
      '中',
      '👨‍👩‍👧',
      '\n',
      '\\\r',
      '\r',
      '\t',
      '\x7f',
      '\x12',
      '\x07',
      '\x0e',
      '\x10',
      '\x1f',
      '\x17',
      '\x19',
      UP,
      DOWN,
    ),
    fc.constantFrom('\x1b[D', '\x1b[C', '\x1b[3~', '\x1bb', '\x1be', '\x1by', '\x1b[13;2u', '\x1b[200~x\ny\x1b[201~'),
    fc.constant(`\x1b[200~${'long '.repeat(200)}\x1b[201~`),
    fc.constant('esc'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(stroke, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), async (strokes, width) => {
      const { composer, press, files } = make(['one', 'two\nlines', 'x'.repeat(500)]);
      for (const input of strokes) {
        if (press(input === 'esc' ? ESC : input) === 'send') composer.take();
        const { rows, cursor } = composer.view(width, 5);
        expect(rows.length).toBeLessThanOrEqual(5);
        expect(cursor.row).toBeLessThan(rows.length);
        expect(cursor.column).toBeLessThanOrEqual(width);
        for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(Math.max(width, 2));
      }
      await files();
      composer.view(width, 5);
    }),
    { numRuns: 150 },
  );
});

describe('what an input means', () => {
  it.each([
    ['hello', { kind: 'prompt', text: 'hello' }],
    ['/model gpt-x y', { kind: 'command', name: 'model', rest: 'gpt-x y' }],
    ['/Help', { kind: 'command', name: 'help', rest: '' }],
    ['/usr/bin is a folder', { kind: 'prompt', text: '/usr/bin is a folder' }],
    ['!ls -l', { kind: 'shell', command: 'ls -l', hidden: false }],
    ['!! git log', { kind: 'shell', command: 'git log', hidden: true }],
    ['!', { kind: 'prompt', text: '!' }],
    ['!!!', { kind: 'prompt', text: '!!!' }],
  ])('%j', (text, meaning) => {
    expect(readSubmission(text)).toEqual(meaning);
  });
});

describe('bursts of keys', () => {
  const fold = (guard: BurstGuard, input: string, now = 0): string[] =>
    guard.fold(new KeyParser().push(Buffer.from(input)), now).map((event: InputEvent) => {
      if (event.kind === 'paste') return `paste:${event.text}`;
      return event.kind === 'key' ? (event.text ?? event.name) : event.kind;
    });

  it('a line end with text behind it in one read is a paste', () => {
    expect(fold(new BurstGuard(), 'one\r\ttwo\r')).toEqual(['paste:one\n\ttwo\n']);
    expect(fold(new BurstGuard(), '\x1b[Aone\ntwo')).toEqual(['up', 'paste:one\ntwo']);
  });

  it('a word and Enter are keys', () => {
    expect(fold(new BurstGuard(), 'ok\r')).toEqual(['o', 'k', 'enter']);
  });

  it('the next read belongs to it when it comes at once', () => {
    const guard = new BurstGuard();
    fold(guard, 'one\rtwo', 1000);
    expect(fold(guard, ' more\r', 1010)).toEqual(['paste: more\n']);
    expect(fold(guard, 'x\r', 1200)).toEqual(['x', 'enter']);
  });
});
