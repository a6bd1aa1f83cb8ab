import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forTerminal, lineForTerminal, TerminalText } from '../../src/text/sanitize.js';

const CORPUS: [what: string, hostile: string, visible: string][] = [
  ['a window title', 'a\x1b]0;owned\x07b', 'ab'],
  ['the clipboard (OSC 52)', 'a\x1b]52;c;ZXZpbA==\x1b\\b', 'ab'],
  ['a hidden link (OSC 8)', 'a\x1b]8;;https://evil.test\x1b\\here\x1b]8;;\x1b\\b', 'ahereb'],
  ['clearing the screen', 'a\x1b[2J\x1b[1;1Hb', 'ab'],
  ['colours', '\x1b[31mred\x1b[0m', 'red'],
  ['C1 CSI', 'a\x9b2Jb', 'ab'],
  ['C1 OSC', 'a\x9d0;t\x9cb', 'ab'],
  ['a device control string', 'a\x1bPq#0\x1b\\b', 'ab'],
  ['an application command', 'a\x1b_G\x1b\\b', 'ab'],
  ['a lone carriage return', 'safe\rEVIL', 'safe\nEVIL'],
  ['Windows line ends', 'a\r\nb', 'a\nb'],
  ['backspaces', 'a\b\b\bb', 'ab'],
  ['bidi overrides', 'a\u202eb\u2066c', 'abc'],
  ['reset', 'a\x1bcb', 'ab'],
  ['charset selection', 'a\x1b(0b', 'ab'],
  ['bell and NUL', 'a\x07\x00b', 'ab'],
  ['an unfinished OSC', 'a\x1b]0;never ends', 'a'],
];

describe('text for the terminal', () => {
  it.each(CORPUS)('takes out %s', (_, hostile, visible) => {
    expect(forTerminal(hostile)).toBe(visible);
  });

  it('keeps tabs, newlines, Chinese, emoji and combining marks', () => {
    const text = 'tab\tline\n中文 👩‍👩‍👧 é';
    expect(forTerminal(text)).toBe(text);
  });

  it('puts names on one line', () => {
    expect(lineForTerminal('a\nb\x1b[2J\tc')).toBe('a b c');
  });

  it('lets nothing through however the text is cut', () => {
    const letters = fc.constantFrom('a', '\x1b', '[', ']', '0', ';', '2', 'J', '\x07', '\\', '\x9b', '\r', '\n', 'P', '\x9c', '中');
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 40 }), fc.array(fc.nat(40), { maxLength: 5 }), (characters, cuts) => {
        const text = characters.join('');
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        const stream = new TerminalText();
        const drawn =
          places
            .slice(1)
            .map((end, i) => stream.push(text.slice(places[i], end)))
            .join('') + stream.end();
        expect(drawn).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      }),
      { numRuns: 2000 },
    );
  });
});
