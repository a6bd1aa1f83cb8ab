/** Characters as a person counts them, found near one place of a text: no function here reads the whole of a long text. */
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WINDOW = 256;
/** How far back a safe place to begin is looked for. */
const LOOK_BACK = 2048;
/** A tab is drawn as this many spaces. */
export const TAB_WIDTH = 4;

const NARROW: readonly [number, number][] = [
  [0x20, 0x7e],
  [0xa1, 0xa8],
  [0xaf, 0x2ff],
  [0x391, 0x3a1],
  [0x3a3, 0x3ff],
  [0x400, 0x482],
  [0x48a, 0x52f],
  [0x5d0, 0x5ea],
  [0x620, 0x64a],
  [0x2010, 0x2027],
];
const WIDE: readonly [number, number][] = [
  [0x3001, 0x3029],
  [0x3041, 0x3096],
  [0x30a0, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xff01, 0xff60],
];

/** Columns of every code unit that is a character of its own beside another such unit; 0 for all others. */
const ALONE = new Uint8Array(0x10000);
for (const [first, last] of NARROW) ALONE.fill(1, first, last + 1);
for (const [first, last] of WIDE) ALONE.fill(2, first, last + 1);
ALONE[0x09] = TAB_WIDTH;

const standsAlone = (text: string, at: number) => ALONE[text.charCodeAt(at)] !== 0;
const isBreak = (text: string, at: number) => text.charCodeAt(at) === 0x0a;

/** The end of the character that begins at `at`, a boundary. */
export function nextBoundary(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const next = at + 1;
  if (isBreak(text, at)) return next;
  if (standsAlone(text, at) && (next === text.length || standsAlone(text, next) || isBreak(text, next))) return next;
  for (let size = WINDOW; ; size *= 4) {
    const slice = text.slice(at, at + size);
    const [first] = segmenter.segment(slice);
    const length = first?.segment.length ?? 1;
    if (length < slice.length || at + size >= text.length) return at + length;
  }
}

/** A boundary at or before `at`: near it, where two characters meet there that never join. */
function anchor(text: string, at: number): number {
  const floor = Math.max(0, at - LOOK_BACK);
  for (let index = Math.min(at, text.length - 1); index > floor; index--) {
    if (isBreak(text, index - 1) || isBreak(text, index) || (standsAlone(text, index) && standsAlone(text, index - 1))) return index;
  }
  const low = text.charCodeAt(floor) & 0xfc00;
  return floor > 0 && low === 0xdc00 ? floor - 1 : floor;
}

/** The last boundary before `at`. */
export function previousBoundary(text: string, at: number): number {
  if (at <= 0) return 0;
  let [before, index] = [0, anchor(text, at - 1)];
  while (index < at) {
    before = index;
    index = nextBoundary(text, index);
  }
  return before;
}

/** The first boundary at or after `at`. */
export function boundaryAt(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  let index = anchor(text, at);
  while (index < at) index = nextBoundary(text, index);
  return index;
}

export function* characters(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const next = nextBoundary(text, at);
    yield text.slice(at, next);
    at = next;
  }
}

const widths = new Map<string, number>();

/** Columns of one character (a grapheme), as the screen counts them. */
export function characterWidth(character: string): number {
  if (character.length === 1) {
    const width = ALONE[character.charCodeAt(0)];
    if (width) return width;
  }
  let width = widths.get(character);
  if (width === undefined) {
    if (widths.size > 10_000) widths.clear();
    width = stringWidth(character);
    widths.set(character, width);
  }
  return width;
}
