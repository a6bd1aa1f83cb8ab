import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InputEvent } from '../../../src/ui/input/input-events.js';
import { KeyParser } from '../../../src/ui/input/keys.js';

const bytes = (text: string) => Buffer.from(text, 'utf8');

function parse(...pieces: (string | Uint8Array)[]): InputEvent[] {
  const parser = new KeyParser();
  const events = pieces.flatMap((piece) => parser.push(typeof piece === 'string' ? bytes(piece) : piece));
  return [...events, ...parser.flush()];
}

/** Events in short: `ctrl+alt+left`, `'a'` for a key that types, `paste:…`. */
function short(events: InputEvent[]): string[] {
  return events.map((event) => {
    if (event.kind === 'paste') return `paste:${event.text}`;
    if (event.kind !== 'key') return event.kind;
    if (event.text !== undefined) return `'${event.text}'`;
    return [event.ctrl && 'ctrl', event.alt && 'alt', event.shift && 'shift', event.name].filter(Boolean).join('+');
  });
}

const keys = (...pieces: (string | Uint8Array)[]) => short(parse(...pieces));

describe('keys of the terminals', () => {
  it.each([
    ['xterm', '\x1b[H', '\x1b[F'],
    ['xterm, application mode', '\x1bOH', '\x1bOF'],
    ['tmux, screen and the Linux console', '\x1b[1~', '\x1b[4~'],
    ['rxvt', '\x1b[7~', '\x1b[8~'],
    ['xterm with a modifier field', '\x1b[1;1H', '\x1b[1;1F'],
  ])('Home and End as %s sends them', (_, home, end) => {
    expect(keys(home, end)).toEqual(['home', 'end']);
  });

  it('Backspace is not Delete', () => {
    expect(keys('\x7f', '\x08', '\x1b[3~')).toEqual(['backspace', 'backspace', 'delete']);
  });

  it.each([
    ['\x1b[A\x1bOB\x1b[C\x1bOD', ['up', 'down', 'right', 'left']],
    ['\x1b[1;5C\x1b[1;3D\x1b[1;2A', ['ctrl+right', 'alt+left', 'shift+up']],
    ['\x1b[a\x1bOa\x1b[3$\x1b[3^\x1b[3@', ['shift+up', 'ctrl+up', 'shift+delete', 'ctrl+delete', 'ctrl+shift+delete']],
    ['\x1b\x1b[A', ['alt+up']],
    ['\x1b[[A\x1bOP\x1b[11~\x1b[24~', ['f1', 'f1', 'f1', 'f12']],
    ['\x1b[5~\x1b[6~\x1b[2~', ['pageup', 'pagedown', 'insert']],
    ['\x1b[Z', ['shift+tab']],
    ['\x1bOM\x1bOj', ['enter', "'*'"]],
  ])('reads %j', (input, expected) => {
    expect(keys(input)).toEqual(expected);
  });

  it('reads control keys, and Alt as an ESC before the key', () => {
    expect(keys('\x01\x05\x0b\x17\x1f\x00')).toEqual(['ctrl+a', 'ctrl+e', 'ctrl+k', 'ctrl+w', 'ctrl+_', 'ctrl+space']);
    expect(keys('\r\n\t')).toEqual(['enter', 'ctrl+j', 'tab']);
    expect(keys('\x1bb\x1b\x7f\x1b\r')).toEqual(['alt+b', 'alt+backspace', 'alt+enter']);
  });

  it.each([
    ['kitty', '\x1b[13;2u', 'shift+enter'],
    ['modifyOtherKeys', '\x1b[27;2;13~', 'shift+enter'],
    ['kitty', '\x1b[99;5u', 'ctrl+c'],
    ['modifyOtherKeys', '\x1b[27;5;99~', 'ctrl+c'],
    ['kitty, a Cyrillic layout', '\x1b[1089::99;5u', 'ctrl+c'],
    ['kitty', '\x1b[27u', 'escape'],
    ['kitty', '\x1b[98;3u', 'alt+b'],
    ['kitty, Caps Lock and Num Lock on', '\x1b[99;197u', 'ctrl+c'],
    ['kitty, the shifted key given', '\x1b[45:95;6u', 'ctrl+shift+_'],
    ['kitty', '\x1b[91;5u', 'escape'],
    ['kitty', '\x1b[109;5u', 'enter'],
    ['kitty', '\x1b[105;5u', 'tab'],
    ['kitty', '\x1b[122;5u', 'ctrl+z'],
    ['kitty keypad', '\x1b[57417u', 'left'],
    ['kitty keypad', '\x1b[57400u', "'1'"],
    ['kitty, the shifted key given', '\x1b[97:65;2u', "'A'"],
    ['kitty, the text given', '\x1b[97;2;65u', "'A'"],
  ])('%s: %j', (_, input, expected) => {
    expect(keys(input)).toEqual([expected]);
  });

  it('swallows the release of a key, a modifier alone, and keys with Super', () => {
    expect(keys('\x1b[97;1:3u', '\x1b[57441;2u', '\x1b[97;9u')).toEqual([]);
  });

  it('tells when the window is looked at', () => {
    expect(keys('\x1b[I\x1b[O')).toEqual(['focus', 'blur']);
  });

  it.each([
    '\x1b[?62;22c',
    '\x1b[24;80R\x1b[?1u\x1b[?2026;2$y',
    '\x1b]11;rgb:0000/0000/0000\x07',
    '\x1b]11;rgb:0000/0000/0000\x1b\\',
    '\x1bP1+r544e=787465726d\x1b\\',
    '\x1b[<0;10;10M\x1b[<0;10;10m',
    '\x1b[M !!',
    '\x1b[999~',
    '\x1b[1;2;3;4x',
    '\x1b_Gi=1;OK\x1b\\',
  ])('never types a sequence it does not know: %j', (sequence) => {
    expect(keys(`a${sequence}b`).filter((name) => name !== 'f3')).toEqual(["'a'", "'b'"]);
  });
});

describe('cuts', () => {
  it('U03: an arrow whose bytes come apart is an arrow', () => {
    expect(keys('ab', '\x1b[', 'D', 'X')).toEqual(["'a'", "'b'", 'left', "'X'"]);
    expect(keys('\x1b', '[', '1', ';', '5', 'D')).toEqual(['ctrl+left']);
  });

  it('a lone ESC is the key once nothing follows', () => {
    const parser = new KeyParser();
    expect(parser.push(bytes('\x1b'))).toEqual([]);
    expect(parser.pending).toBe('escape');
    expect(short(parser.flush())).toEqual(['escape']);
    expect(parser.pending).toBe('nothing');
  });

  it('an unfinished sequence is given up, and Alt+[ is a key', () => {
    const parser = new KeyParser();
    parser.push(bytes('\x1b[1;'));
    expect(parser.pending).toBe('sequence');
    expect(parser.flush()).toEqual([]);
    parser.push(bytes('\x1b['));
    expect(short(parser.flush())).toEqual(['alt+[']);
  });

  it('a sequence that another breaks off does not eat it', () => {
    expect(keys('\x1b[1;\x1b[A')).toEqual(['up']);
    expect(keys('\x1b]0;x\x1b[A')).toEqual(['up']);
    expect(keys('\x1b\x1bx')).toEqual(['escape', 'alt+x']);
    expect(keys('\x1b\x1b[200~text\x1b[201~\x1b\x1b[I')).toEqual(['escape', 'paste:text', 'escape', 'focus']);
  });

  it('a Chinese character and an emoji in pieces of one byte', () => {
    const pieces = [...bytes('中😀e\u0301')].map((byte) => Uint8Array.of(byte));
    expect(keys(...pieces)).toEqual(["'中'", "'😀'", "'e'", "'\u0301'"]);
  });

  it('drops bytes that are no UTF-8', () => {
    expect(keys(Uint8Array.of(0x61, 0xff, 0xc3, 0x62, 0x80, 0x9b, 0x63))).toEqual(["'a'", "'b'", "'c'"]);
  });

  const part = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.constantFrom(
      '\x1b[A',
      '\x1bOH',
      '\x1b[3~',
      '\x1b[1;5C',
      '\x1b\x1b[B',
      '\x1b[13;2u',
      '\x1b[27;2;13~',
      '\x7f',
      '\r',
      '\n',
      '\x1bb',
      '\x1b[I',
      '\x1b[[C',
    ),
    fc.constantFrom('\x1b]0;t\x07', '\x1bPq\x1b\\', '\x1b[?1;2c', '\x1b[M !!', '\x1b[', '\x1b', '\x1b\x1b'),
    fc.string({ maxLength: 30 }).map((text) => `\x1b[200~${text.replaceAll('\x1b', '')}\r\n中\x1b[201~`),
    fc.uint8Array({ maxLength: 4 }).map((raw) => Buffer.from(raw).toString('latin1')),
  );

  it('the same bytes in any cut are the same events', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(12), { maxLength: 40 }), (parts, sizes) => {
        const input = bytes(parts.join(''));
        const pieces: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < input.length; turn++) {
          const size = sizes.length === 0 ? 1 : (sizes[turn % sizes.length] ?? 0) + 1;
          pieces.push(input.subarray(at, at + size));
          at += size;
        }
        expect(parse(...pieces)).toEqual(parse(input));
      }),
      { numRuns: 500 },
    );
  });

  it('raw bytes of any kind never throw, and control characters are never typed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        for (const event of parse(raw)) {
          if (event.kind === 'key' && event.text !== undefined) expect(event.text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('bracketed paste', () => {
  it('U04: is one event, its line ends made one kind', () => {
    expect(keys('\x1b[200~line1\nline2\r\nline3\rline4\x1b[201~')).toEqual(['paste:line1\nline2\nline3\nline4']);
  });

  it('U04: 5,000 characters in pieces, the end marker cut in two', () => {
    const text = Array.from({ length: 1000 }, (_, index) => String(index).padStart(5, '0')).join('');
    const input = bytes(`\x1b[200~${text}\x1b[201~\r`);
    const cut = input.length - 4;
    const pieces = [];
    for (let at = 0; at < cut; at += 1022) pieces.push(input.subarray(at, Math.min(at + 1022, cut)));
    expect(keys(...pieces, input.subarray(cut))).toEqual([`paste:${text}`, 'enter']);
  });

  it('U04: keeps tabs and drops escape codes', () => {
    expect(keys('\x1b[200~a\tb\x1b[31mred\x1b]0;title\x07\x07\x1b[201~')).toEqual(['paste:a\tbred']);
  });

  it('waits for the end of a paste however long it takes', () => {
    const parser = new KeyParser();
    parser.push(bytes('\x1b[200~half'));
    expect(parser.pending).toBe('paste');
    expect(parser.flush()).toEqual([]);
    expect(short(parser.push(bytes(' whole\x1b[201~')))).toEqual(['paste:half whole']);
  });
});
