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

function isCharacter(code: number): boolean {
  const private_ = code >= 57344 && code <= 63743;
  return (
    Number.isInteger(code) &&
    code >= 0x20 &&
    code <= 0x10ffff &&
    !(code >= 0x7f && code < 0xa0) &&
    !(code >= 0xd800 && code < 0xe000) &&
    !private_
  );
}

/** A key given by its code point, as `CSI code ; modifiers u` and `CSI 27 ; modifiers ; code ~` do. */
function codeKey(code: number, base: number | undefined, text: string | undefined, parameter: string | undefined): KeyEvent | undefined {
  const { other, released, ...modifiers } = modifiersOf(parameter);
  if (released || other) return undefined;
  const keypadText = KITTY_KEYPAD_TEXT[code - 57399];
  const move = KITTY_KEYPAD_MOVES[code - 57417];
  if (move) return named(move, modifiers);
  const special = CODES[code];
  if (special && special !== 'space') return named(special, modifiers);
  const character = keypadText ?? (isCharacter(code) ? String.fromCodePoint(code) : undefined);
  if (!character) return undefined;
  const types = !modifiers.ctrl && !modifiers.alt;
  const latin = !types && code > 0x7f && base !== undefined && isCharacter(base) ? String.fromCodePoint(base) : character;
  const event = named(latin === ' ' ? 'space' : latin.toLowerCase(), modifiers);
  if (event && types) event.text = text || (modifiers.shift ? character.toUpperCase() : character);
  return event;
}

function kittyKey(parameters: string[]): KeyEvent | undefined {
  const [code, shifted, base] = (parameters[0] ?? '').split(':').map((part) => (part === '' ? undefined : Number(part)));
  if (code === undefined || Number.isNaN(code)) return undefined;
  const typedCodes = (parameters[2] ?? '').split(':').filter(Boolean).map(Number).filter(isCharacter);
  const typedText = typedCodes.length === 1 ? String.fromCodePoint(...typedCodes) : undefined;
  const shift =
    modifiersOf(parameters[1]).shift && shifted !== undefined && isCharacter(shifted) ? String.fromCodePoint(shifted) : undefined;
  return codeKey(code, base, typedText ?? shift, parameters[1]);
}

function tildeKey(parameters: string[], final: string): InputEvent | 'paste' | undefined {
  const number = Number(parameters[0]);
  if (number === 200) return 'paste';
  if (number === 27 && parameters.length >= 3) return codeKey(Number(parameters[2]), undefined, undefined, parameters[1]);
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
