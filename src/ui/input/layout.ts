/** Where the editor's text stands on the screen: rows of at most `width` columns, broken at spaces where there are some. */
import { characters, characterWidth, TAB_WIDTH, visitCharacters } from './graphemes.js';
import { lineCount, type PasteLabel, pasteIndex, pasteLabels } from './pastes.js';

/** One visual line: a stretch of the text, without its line end. */
export interface Row {
  start: number;
  end: number;
}

export interface Layout {
  rows: readonly Row[];
  cursor: { row: number; column: number };
}

interface Content {
  text: string;
  pastes: readonly string[];
}

/** Bidirectional controls would turn what stands beside the prompt too. */
const TURNS_TEXT = /^[\u202a-\u202e\u2066-\u2069]$/;

/** How one character is drawn. */
function drawn(character: string, pastes: readonly string[], label: PasteLabel): string {
  if (character === '\t') return ' '.repeat(TAB_WIDTH);
  if (TURNS_TEXT.test(character)) return '';
  const index = pasteIndex(character);
  const paste = index === undefined ? undefined : pastes[index];
  if (index === undefined || paste === undefined) return character;
  return label(index + 1, lineCount(paste), paste.length);
}

function widthOf(character: string, { pastes }: Content, label: PasteLabel): number {
  if (pasteIndex(character) === undefined) return characterWidth(character);
  let width = 0;
  for (const part of characters(drawn(character, pastes, label))) width += characterWidth(part);
  return width;
}

type Push = (start: number, end: number) => boolean;

/** Breaks one line of the text into rows, until `push` says false. A space never begins a row: it hangs over the end of its own. */
function wrapLine(content: Content, from: number, to: number, width: number, label: PasteLabel, push: Push): boolean {
  const { text } = content;
  let [start, column, goesOn] = [from, 0, true];
  let [breakAt, breakColumn] = [-1, 0];
  visitCharacters(text, from, to, (at, next) => {
    const character = text.slice(at, next);
    const columns = widthOf(character, content, label);
    const space = character === ' ' || character === '\t';
    if (columns > 1 && !space && at > start) [breakAt, breakColumn] = [at, column];
    while (!space && at > start && column + columns > width) {
      const end = breakAt > start ? breakAt : at;
      goesOn = push(start, end);
      if (!goesOn) return false;
      column -= breakAt > start ? breakColumn : column;
      [start, breakAt] = [end, -1];
    }
    column += columns;
    if (space || columns > 1) [breakAt, breakColumn] = [next, column];
    return true;
  });
  return goesOn && push(start, to);
}

/** Rows from `from` on, the start of a row, until `push` says false. */
function wrapFrom(content: Content, from: number, width: number, label: PasteLabel, push: Push): void {
  for (let at = from; ; ) {
    const end = content.text.indexOf('\n', at);
    if (!wrapLine(content, at, end < 0 ? content.text.length : end, width, label, push) || end < 0) return;
    at = end + 1;
  }
}

interface Wrapped extends Content {
  width: number;
  label: PasteLabel;
  rows: readonly Row[];
}

let last: Wrapped | undefined;

/** The rows of a text. What was asked before is remembered, so that a change costs no more than the rows around it. */
function wrap(content: Content, width: number, label: PasteLabel): readonly Row[] {
  const known = last && last.width === width && last.label === label && last.pastes === content.pastes ? last : undefined;
  if (known && known.text === content.text) return known.rows;
  const rows = known ? rewrap(known, content) : [];
  if (!known) wrapFrom(content, 0, width, label, (start, end) => rows.push({ start, end }) > 0);
  last = { text: content.text, pastes: content.pastes, width, label, rows };
  return rows;
}

/**
 * The rows of a changed text: those before the change, but for one that a shorter word may now reach, those around it
 * anew, and those behind it moved, from the first that begins where one began before.
 */
function rewrap(known: Wrapped, content: Content): Row[] {
  const { prefix, suffix } = sharedEnds(known.text, content.text);
  const first = Math.max(0, rowAt(known.rows, prefix) - 1);
  const rows = known.rows.slice(0, first);
  const shift = content.text.length - known.text.length;
  let rest = known.rows.length;
  wrapFrom(content, known.rows[first]?.start ?? 0, known.width, known.label, (start, end) => {
    const old = start > content.text.length - suffix ? rowAt(known.rows, start - shift) : -1;
    if (known.rows[old]?.start === start - shift) rest = old;
    else rows.push({ start, end });
    return rest === known.rows.length;
  });
  for (const { start, end } of known.rows.slice(rest)) rows.push({ start: start + shift, end: end + shift });
  return rows;
}

/** How many code units two texts share at their beginning, and, beside those, at their end. */
function sharedEnds(before: string, after: string): { prefix: number; suffix: number } {
  const most = Math.min(before.length, after.length);
  const prefix = longest(most, (length) => before.slice(0, length) === after.slice(0, length));
  const suffix = longest(most - prefix, (length) => before.slice(before.length - length) === after.slice(after.length - length));
  return { prefix, suffix };
}

/** The greatest length for which `holds`, where it holds for all shorter ones. */
function longest(most: number, holds: (length: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function rowAt(rows: readonly Row[], index: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle] as Row).start <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Rows and the cursor's place in them. `width` is at least 1; the cursor may stand in column `width`, after a full row. */
export function layout(content: Content & { cursor: number }, width: number, label: PasteLabel = pasteLabels.en): Layout {
  const columns = Math.max(1, Math.floor(width) || 1);
  const rows = wrap(content, columns, label);
  const row = rowAt(rows, content.cursor);
  let column = 0;
  visitCharacters(content.text, rows[row]?.start ?? 0, content.cursor, (at, next) => {
    column += widthOf(content.text.slice(at, next), content, label);
    return true;
  });
  return { rows, cursor: { row, column: Math.min(column, columns) } };
}

/** The boundary in a row that is nearest to a column from the left. */
export function indexAtColumn(content: Content, row: Row, column: number, label: PasteLabel = pasteLabels.en): number {
  let [index, width] = [row.start, 0];
  visitCharacters(content.text, row.start, row.end, (at, next) => {
    width += widthOf(content.text.slice(at, next), content, label);
    if (width > column) return false;
    index = next;
    return true;
  });
  return index;
}

/** A row as it is shown, cut to `width` columns. */
export function rowText(content: Content, row: Row, width: number, label: PasteLabel = pasteLabels.en): string {
  let [text, column] = ['', 0];
  visitCharacters(content.text, row.start, row.end, (at, next) => {
    for (const part of characters(drawn(content.text.slice(at, next), content.pastes, label))) {
      column += characterWidth(part);
      if (column > width) return false;
      text += part;
    }
    return true;
  });
  return text;
}
