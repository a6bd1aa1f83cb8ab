import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type EditorState, emptyEditor, fullText, paste, replaceRange, withText } from '../../../src/ui/input/editor.js';
import { pressKey } from '../../../src/ui/input/editor-keys.js';
import { boundaryAt, characterWidth, nextBoundary, previousBoundary } from '../../../src/ui/input/graphemes.js';
import { KeyParser } from '../../../src/ui/input/keys.js';
import { layout, rowText } from '../../../src/ui/input/layout.js';

const WIDTH = 20;

/** The editor after these bytes were typed. */
function press(input: string, state: EditorState = emptyEditor, width = WIDTH): EditorState {
  const parser = new KeyParser();
  let now = state;
  for (const event of [...parser.push(Buffer.from(input)), ...parser.flush()]) {
    if (event.kind === 'paste') now = paste(now, event.text);
    if (event.kind !== 'key') continue;
    const outcome = pressKey(now, event, width);
    if (outcome && outcome !== 'send') now = outcome.state;
  }
  return now;
}

/** The text with `|` where the cursor is. */
const shown = ({ text, cursor }: EditorState) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const at = (marked: string): EditorState => ({
  ...emptyEditor,
  text: marked.replace('|', ''),
  cursor: marked.indexOf('|'),
});

const LEFT = '\x1b[D';
const RIGHT = '\x1b[C';
const UP = '\x1b[A';
const DOWN = '\x1b[B';
const DELETE = '\x1b[3~';

const piece = fc.oneof(
  fc.constantFrom(
    'a',
    ' ',
    '\n',
    '中',
    'é',
    'e\u0301',
    '👨‍👩‍👧',
    '🇨🇳',
    '👍🏽',
    '\u0301',
    '\u200d',
    '🇩',
    '가',
    '\u1100',
    'か\u3099',
    '☺️',
    '\t',
    'ไ',
    '\u0600',
    'я',
    '\\',
  ),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
);

describe('characters as people count them', () => {
  const FAMILY = '👨‍👩‍👧';
  it.each([
    ['Chinese', '你好吗', '你好|'],
    ['a family of one emoji', `a${FAMILY}`, 'a|'],
    ['a flag', '🇩🇪🇨🇳', '🇩🇪|'],
    ['a combining accent', 'e\u0301e\u0301', 'e\u0301|'],
    ['Hangul jamo', '\u1112\u1161\u11ab\u1100\u1173\u11af', '\u1112\u1161\u11ab|'],
    ['Devanagari', 'नमस्ते', 'नम|'],
    ['a skin tone', 'ok👍🏽', 'ok|'],
  ])('Backspace takes one: %s', (_, text, left) => {
    expect(shown(press('\x7f', withText(emptyEditor, text)))).toBe(left);
  });

  it('Delete and the arrows go by the same characters', () => {
    expect(shown(press(LEFT + LEFT + DELETE, withText(emptyEditor, `中${FAMILY}文`)))).toBe('中|文');
    expect(shown(press(`\x01${RIGHT}x`, withText(emptyEditor, `${FAMILY}a`)))).toBe(`${FAMILY}x|a`);
  });

  it('a mark typed after its letter joins it', () => {
    const state = press(`e\u0301${LEFT}`);
    expect(state.cursor).toBe(0);
  });

  const stroke = fc.oneof(
    piece,
    fc.constantFrom(
      LEFT,
      RIGHT,
      UP,
      DOWN,
      DELETE,
      '\x7f',
      '\x01',
      '\x05',
      '\x0b',
      '\x15',
      '\x17',
      '\x19',
      '\x1f',
      '\x1bb',
      '\x1bf',
      '\x1bd',
      '\x1by',
      '\x1b_',
      '\r',
      '\n',
    ),
    fc.string({ maxLength: 900 }).map((text) => `\x1b[200~${text.replaceAll('\x1b', '')}\x1b[201~`),
  );
  const boundaries = (text: string) => new Set([...new Intl.Segmenter().segment(text)].map(({ index }) => index).concat(text.length));

  it('the cursor always stands between two characters', () => {
    fc.assert(
      fc.property(fc.array(stroke, { maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (strokes, width) => {
        let state = emptyEditor;
        for (const input of strokes) {
          state = press(input, state, width);
          expect(boundaries(state.text).has(state.cursor)).toBe(true);
          const { rows, cursor } = layout(state, width);
          expect(cursor.row).toBeLessThan(rows.length);
          expect(cursor.column).toBeLessThanOrEqual(width);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('finds the same boundaries as the language does', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const expected = [...boundaries(text)].sort((a, b) => a - b);
        const forward = [0];
        while ((forward.at(-1) as number) < text.length) forward.push(nextBoundary(text, forward.at(-1) as number));
        expect(forward).toEqual(text === '' ? [0] : expected);
        for (let index = 1; index <= text.length; index++) {
          expect(previousBoundary(text, index)).toBe(expected.filter((boundary) => boundary < index).at(-1));
          expect(boundaryAt(text, index)).toBe(expected.find((boundary) => boundary >= index));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('counts the columns that the screen counts', () => {
    const wrong: string[] = [];
    for (let unit = 0x20; unit <= 0xffff; unit++) {
      if (unit >= 0xd800 && unit < 0xe000) continue;
      const character = String.fromCharCode(unit);
      if (characterWidth(character) !== stringWidth(character)) wrong.push(unit.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});

describe("readline's keys", () => {
  it.each([
    ['Left, Backspace, Delete', `abc${LEFT}\x7f${DELETE}`, 'a|'],
    ['Home and End in every form', `b\x1b[Ha\x1b[Fc\x1bOH<\x1bOF>\x1b[1~(\x1b[4~)`, '(<abc>)|'],
    ['Ctrl+W, Ctrl+A, Ctrl+E', 'one two\x17x\x01y\x05z', 'yone xz|'],
    ['Ctrl+U and Ctrl+K', `junk\x15ok rest\x01${RIGHT}${RIGHT}\x0b`, 'ok|'],
    ['Ctrl+H', 'ab\b', 'a|'],
  ])('U03: %s', (_, input, expected) => {
    expect(shown(press(input))).toBe(expected);
  });

  it('cuts in a row are one entry, and Ctrl+Y brings it back', () => {
    expect(shown(press('one two three\x17\x17\x19'))).toBe('one two three|');
    expect(shown(press('\x0b\x0b\x19', at('ab|cd\nef')))).toBe('abcd\n|ef');
  });

  it('Alt+Y goes to the entry before', () => {
    expect(shown(press('one\x15two\x15\x19\x1by'))).toBe('one|');
  });

  it('Alt+B, Alt+F and Alt+D know words, Chinese ones too', () => {
    expect(shown(press('\x1bb\x1bb', at('foo bar-baz|')))).toBe('foo |bar-baz');
    expect(shown(press('\x1bf', at('|foo bar')))).toBe('foo| bar');
    expect(shown(press('\x1bd', at('|foo bar')))).toBe('| bar');
    expect(shown(press('\x1bb', at('我们喜欢|')))).toBe('我们|喜欢');
  });

  it('Ctrl+_ takes back a word of typing, then the next step', () => {
    const state = press('one two');
    expect(shown(press('\x1f', state))).toBe('one|');
    expect(shown(press('\x1f\x1f', state))).toBe('|');
    expect(shown(press('\x1f\x1b_', state))).toBe('one two|');
  });

  it('Ctrl+A, E, U and K mean the line in a text of several', () => {
    expect(shown(press('\x01x', at('one\ntw|o\nthree')))).toBe('one\nx|two\nthree');
    expect(shown(press('\x05x', at('one\ntw|o\nthree')))).toBe('one\ntwox|\nthree');
    expect(shown(press('\x15', at('one\ntw|o')))).toBe('one\n|o');
    expect(shown(press('\x0b\x0b', at('one\ntw|o\nthree')))).toBe('one\ntw|three');
  });
});

describe('several lines', () => {
  it.each([
    ['Ctrl+J', '\n'],
    ['Alt+Enter', '\x1b\r'],
    ['Shift+Enter (kitty)', '\x1b[13;2u'],
    ['Shift+Enter (modifyOtherKeys)', '\x1b[27;2;13~'],
    ['a backslash before Enter', '\\\r'],
  ])('%s breaks the line', (_, input) => {
    expect(shown(press(`a${input}b`))).toBe('a\nb|');
  });

  it('Enter alone asks to send', () => {
    expect(pressKey(at('hi|'), { kind: 'key', name: 'enter', ctrl: false, alt: false, shift: false }, WIDTH)).toBe('send');
  });

  it('Up and Down go by what is seen, and keep their column', () => {
    const text = 'aaaa bbbb cccc dddd eeee ffff\nx\n0123456789';
    const state = press(UP, at(`${text}|`));
    expect(shown(state)).toContain('x|\n');
    expect(shown(press(UP, state))).toContain('eeee ffff|');
    expect(shown(press(UP + UP, state))).toContain('aaaa bbbb |cccc');
    expect(shown(press(UP + DOWN, state))).toContain('x|\n');
    expect(shown(press(DOWN, state))).toBe(`${text}|`);
  });

  it('leaves Up in the first line and Down in the last to history', () => {
    const up = { kind: 'key', name: 'up', ctrl: false, alt: false, shift: false } as const;
    expect(pressKey(at('one|'), up, WIDTH)).toBeUndefined();
    expect(pressKey(at('one|'), { ...up, name: 'down' }, WIDTH)).toBeUndefined();
  });

  it('breaks rows at spaces, and between Chinese characters', () => {
    const rows = (text: string, width: number) => {
      const state = at(`${text}|`);
      return layout(state, width).rows.map((row) => rowText(state, row, width));
    };
    expect(rows('the quick brown fox', 10)).toEqual(['the quick ', 'brown fox']);
    expect(rows('你好世界你好', 5)).toEqual(['你好', '世界', '你好']);
    expect(rows('abcdefghijkl', 5)).toEqual(['abcde', 'fghij', 'kl']);
    expect(rows('a\n\nb', 5)).toEqual(['a', '', 'b']);
  });

  it('a change lays out the same rows as laying out everything anew', () => {
    const text = fc.array(fc.oneof(piece, fc.constant('word '), fc.constant('中文字')), { maxLength: 60 }).map((pieces) => pieces.join(''));
    const edit = fc.tuple(fc.nat(1000), fc.nat(12), piece);
    fc.assert(
      fc.property(text, fc.array(edit, { maxLength: 12 }), fc.integer({ min: 1, max: 16 }), (start, edits, width) => {
        let state = withText(emptyEditor, start);
        for (const [place, length, put] of edits) {
          const from = boundaryAt(state.text, place % (state.text.length + 1));
          state = replaceRange(state, from, boundaryAt(state.text, from + length), put);
          const anew = layout(state, width, (number) => `[${number}]`).rows;
          layout({ text: '', pastes: state.pastes, cursor: 0 }, width);
          layout(withText(emptyEditor, start), width);
          expect(layout(state, width).rows).toEqual(anew);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('every row fits its width, and together they are the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 2, max: 20 }), (raw, width) => {
        const text = raw.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '');
        const state = { ...emptyEditor, text };
        const { rows } = layout(state, width);
        for (const row of rows) expect(stringWidth(rowText(state, row, width))).toBeLessThanOrEqual(width);
        expect(rows.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text.replaceAll('\n', ''));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['中文', 4],
    ['a😀', 3],
    ['e\u0301x', 2],
    ['👨‍👩‍👧', 2],
    ['a\tb', 6],
  ])('the cursor stands behind %j in column %i', (text, column) => {
    expect(layout(at(`${text}|`), 40).cursor).toEqual({ row: 0, column });
  });
});

describe('long pastes', () => {
  const long = Array.from({ length: 120 }, (_, line) => `line ${line}`).join('\n');
  const pasted = paste(press('see: '), long);

  it('stand as a label and are sent in full', () => {
    expect(rowText(pasted, layout(pasted, 60).rows[0] ?? { start: 0, end: 0 }, 60)).toBe('see: [Pasted text #1 +120 lines]');
    expect(fullText(press(' please', pasted))).toBe(`see: ${long} please`);
  });

  it('are one character for the cursor and for Backspace', () => {
    expect(shown(press(`${LEFT}x`, pasted))).toMatch(/^see: x\|.{2}$/);
    expect(shown(press('\x7f', pasted))).toBe('see: |');
    expect(fullText(press('\x7f\x1f', pasted))).toBe(`see: ${long}`);
  });

  it('unfold in place with Alt+E', () => {
    expect(press('\x1be', pasted).text).toBe(`see: ${long}`);
  });

  it('short ones are put in as they are', () => {
    expect(shown(paste(emptyEditor, 'line1\nline2\nline3'))).toBe('line1\nline2\nline3|');
  });

  it('text from history or an editor brings no control characters', () => {
    expect(withText(emptyEditor, 'a\x1b[2Jb\r\nc\x07').text).toBe('ab\nc');
  });

  it('text that looks like a stand-in is no stand-in', () => {
    expect(fullText(paste(pasted, '\u{100000}'))).toBe(`see: ${long}\ufffd`);
  });
});
