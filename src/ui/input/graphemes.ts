/** Characters as a person counts them, found near one place of a text: no function here reads the whole of a long text. */
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Code units read for one character at first; few characters have more. */
const WINDOW = 64;
/** How far back a safe place to begin is looked for. */
const LOOK_BACK = 512;
/** Code units that are given to the segmenter at once. */
const RUN = 512;
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

/** True where a character surely ends: between two units that never join. */
function isCertain(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  if (isBreak(text, at) || isBreak(text, at - 1)) return true;
  return standsAlone(text, at) && standsAlone(text, at - 1);
}

/** The end of the character that begins at `at`, a boundary. */
export function nextBoundary(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (isBreak(text, at) || (standsAlone(text, at) && isCertain(text, at + 1))) return at + 1;
  for (let size = WINDOW; ; size *= 4) {
    const length = segmenter.segment(text.slice(at, at + size)).containing(0)?.segment.length ?? 1;
    if (length < size || at + size >= text.length) return at + length;
  }
}

/** A boundary at or before `at`: near it, where two characters meet there that never join. */
function anchor(text: string, at: number): number {
  const floor = Math.max(0, at - LOOK_BACK);
  for (let index = at; index > floor; index--) if (isCertain(text, index)) return index;
  const isInsidePair = (text.charCodeAt(floor) & 0xfc00) === 0xdc00;
  return floor > 0 && isInsidePair ? floor - 1 : floor;
}

/** The start of the character that a code unit belongs to. */
function startOf(text: string, at: number): number {
  const from = anchor(text, at);
  if (from === at) return at;
  return from + (segmenter.segment(text.slice(from, at + WINDOW)).containing(at - from)?.index ?? 0);
}

/** The last boundary before `at`. */
export function previousBoundary(text: string, at: number): number {
  return at <= 0 ? 0 : startOf(text, at - 1);
}

/** The first boundary at or after `at`. */
export function boundaryAt(text: string, at: number): number {
  if (at <= 0) return 0;
  if (isCertain(text, at)) return Math.min(at, text.length);
  const start = startOf(text, at);
  return start === at ? at : nextBoundary(text, start);
}

/** Visits the characters of a stretch that begins at a boundary, until `visit` says false. */
export function visitCharacters(text: string, from: number, to: number, visit: (start: number, end: number) => boolean): void {
  let at = from;
  while (at < to) {
    const end = runEnd(text, at, to);
    if (end === at) {
      if (!visit(at, at + 1)) return;
      at++;
      continue;
    }
    const whole = end === to || isCertain(text, end);
    const start = at;
    for (const { index, segment } of segmenter.segment(text.slice(start, end))) {
      const next = start + index + segment.length;
      if (next === end && !whole && index > 0) break;
      at = next === end && !whole ? nextBoundary(text, start) : next;
      if (!visit(start + index, at)) return;
    }
  }
}

/** Where a stretch ends that only the segmenter can part; `at` itself where the unit there is a character of its own. */
function runEnd(text: string, at: number, to: number): number {
  const most = Math.min(to, at + RUN);
  if ((isBreak(text, at) || standsAlone(text, at)) && (at + 1 === to || isCertain(text, at + 1))) return at;
  let end = at + 1;
  while (end < most && !isCertain(text, end)) end++;
  return end;
}

export function characters(text: string): string[] {
  const all: string[] = [];
  visitCharacters(text, 0, text.length, (start, end) => all.push(text.slice(start, end)) > 0);
  return all;
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
