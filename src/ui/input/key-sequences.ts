/** The meaning of CSI and SS3 sequences, in the dialects of xterm, tmux, rxvt, the Linux console and the kitty protocol. */
import type { InputEvent, KeyEvent } from './input-events.js';

type Modifiers = Pick<KeyEvent, 'ctrl' | 'alt' | 'shift'>;

const NONE: Modifiers = { ctrl: false, alt: false, shift: false };

/** `CSI … letter` and `SS3 letter`. */
const LETTERS: Record<string, string> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'begin',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

/** `CSI number ~` (rxvt ends it with `$` for Shift, `^` for Ctrl, `@` for both). */
const NUMBERS: Record<number, string> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

/** The keypad's keys in application mode (SS3). */
const KEYPAD = 'jklmnopqrstuvwxy';
const KEYPAD_TEXT = '*+,-./0123456789';

/** Keys that the kitty protocol and modifyOtherKeys name by a code of their own. */
const CODES: Record<number, string> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  32: 'space',
  127: 'backspace',
  57414: 'enter',
};
/** Kitty's keypad: 57399 is 0; 57417 is the first of the moving keys. */
const KITTY_KEYPAD_TEXT = '0123456789./*-+';
const KITTY_KEYPAD_MOVES = ['left', 'right', 'up', 'down', 'pageup', 'pagedown', 'home', 'end', 'insert', 'delete'];

function modifiersOf(parameter: string | undefined): Modifiers & { other: boolean; released: boolean } {
  const [mask = '1', event = '1'] = (parameter ?? '').split(':');
  const bits = Math.max(0, (Number(mask) || 1) - 1);
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 34) !== 0,
    ctrl: (bits & 4) !== 0,
    other: (bits & 24) !== 0,
    released: event === '3',
  };
}

function named(name: string | undefined, modifiers: Modifiers): KeyEvent | undefined {
  if (!name) return undefined;
  const { ctrl, alt, shift } = modifiers;
  return { kind: 'key', name, ctrl, alt, shift };
}

/** The character with this code point; undefined for a control, half of a pair, or a key's private number. */
function characterOf(code = Number.NaN): string | undefined {
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const isReserved = code >= 0xd800 && code <= 0xf8ff;
  return Number.isInteger(code) && code <= 0x10ffff && !isControl && !isReserved ? String.fromCodePoint(code) : undefined;
}

/** Keys that Ctrl has always made of these; programs that can tell them apart treat them alike. */
const SAME_AS: Record<string, string> = { i: 'tab', m: 'enter', '[': 'escape' };

/** A key given by its code point, as `CSI code ; modifiers u` and `CSI 27 ; modifiers ; code ~` do. */
function codeKey(
  code: number,
  parameter: string | undefined,
  more: { base?: string; shifted?: string; text?: string } = {},
): KeyEvent | undefined {
  const { other, released, ...modifiers } = modifiersOf(parameter);
  if (released || other) return undefined;
  const move = KITTY_KEYPAD_MOVES[code - 57417];
  if (move) return named(move, modifiers);
  const special = CODES[code];
  if (special && special !== 'space') return named(special, modifiers);
  const character = KITTY_KEYPAD_TEXT[code - 57399] ?? characterOf(code);
  if (!character) return undefined;
  if (!modifiers.ctrl && !modifiers.alt) return typedKey(character, modifiers, more);
  const latin = character > '\x7f' ? (more.base ?? character) : modifiers.shift ? (more.shifted ?? character) : character;
  const name = latin === ' ' ? 'space' : latin.toLowerCase();
  const same = modifiers.ctrl && !modifiers.alt && !modifiers.shift ? SAME_AS[name] : undefined;
  return same ? named(same, NONE) : named(name, modifiers);
}

function typedKey(character: string, modifiers: Modifiers, { shifted, text }: { shifted?: string; text?: string }): KeyEvent {
  const types = text ?? (modifiers.shift ? (shifted ?? character.toUpperCase()) : character);
  return { kind: 'key', name: character === ' ' ? 'space' : character.toLowerCase(), ...modifiers, text: types };
}

function kittyKey(parameters: string[]): KeyEvent | undefined {
  const [code, shifted, base] = (parameters[0] ?? '').split(':').map((part) => (part === '' ? Number.NaN : Number(part)));
  if (code === undefined || Number.isNaN(code)) return undefined;
  const typed = (parameters[2] ?? '').split(':').filter(Boolean).map(Number);
  const more = Object.entries({
    shifted: characterOf(shifted),
    base: characterOf(base),
    text: typed.length === 1 ? characterOf(typed[0]) : undefined,
  });
  return codeKey(code, parameters[1], Object.fromEntries(more.filter(([, character]) => character !== undefined)));
}

function tildeKey(parameters: string[], final: string): InputEvent | 'paste' | undefined {
  const number = Number(parameters[0]);
  if (number === 200) return 'paste';
  if (number === 27 && parameters.length >= 3) return codeKey(Number(parameters[2]), parameters[1]);
  const { other, released, ...modifiers } = modifiersOf(parameters[1]);
  if (other || released) return undefined;
  const shift = modifiers.shift || final === '$' || final === '@';
  const ctrl = modifiers.ctrl || final === '^' || final === '@';
  return named(NUMBERS[number], { ...modifiers, shift, ctrl });
}

/** The event of `CSI body final`; `paste` where it opens a bracketed paste. */
export function csiKey(body: string, final: string): InputEvent | 'paste' | undefined {
  if (!/^[\d;:]*$/.test(body)) return undefined;
  const parameters = body.split(';');
  if (final === 'I' && body === '') return { kind: 'focus' };
  if (final === 'O' && body === '') return { kind: 'blur' };
  if (final === 'u') return kittyKey(parameters);
  if ('~$^@'.includes(final)) return tildeKey(parameters, final);
  if (final === 'Z') return named('tab', { ...modifiersOf(parameters[1]), shift: true });
  if (/^[a-d]$/.test(final)) return named(LETTERS[final.toUpperCase()], { ...NONE, shift: true });
  const { other, released, ...modifiers } = modifiersOf(parameters[1]);
  return other || released ? undefined : named(LETTERS[final], modifiers);
}

/** The event of `SS3 body final`. */
export function ss3Key(body: string, final: string): KeyEvent | undefined {
  const modifiers = modifiersOf(body || undefined);
  if (final === 'M') return named('enter', modifiers);
  if (/^[a-d]$/.test(final)) return named(LETTERS[final.toUpperCase()], { ...NONE, ctrl: true });
  const text = KEYPAD_TEXT[KEYPAD.indexOf(final)];
  if (text && KEYPAD.includes(final)) return { kind: 'key', name: text, ...NONE, text };
  return named(LETTERS[final], modifiers);
}

/** The Linux console sends F1 to F5 as `CSI [ A` to `CSI [ E`. */
export function linuxFunctionKey(final: string): KeyEvent | undefined {
  const index = 'ABCDE'.indexOf(final);
  return index >= 0 ? named(`f${index + 1}`, NONE) : undefined;
}
