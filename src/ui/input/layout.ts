/** Where the editor's text stands on the screen: rows of at most `width` columns, broken at spaces where there are some. */
import { characters, characterWidth, nextBoundary, TAB_WIDTH } from './graphemes.js';
import { englishPasteLabel, lineCount, type PasteLabel, pasteIndex } from './pastes.js';

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

/** Breaks one line of the text into rows. A space never begins a row: it hangs over the end of its own. */
function wrapLine(content: Content, from: number, to: number, width: number, label: PasteLabel, rows: Row[]): void {
  const { text } = content;
  let [start, column] = [from, 0];
  let [breakAt, breakColumn] = [-1, 0];
  for (let at = from; at < to; ) {
    const next = Math.min(to, nextBoundary(text, at));
    const character = text.slice(at, next);
    const columns = widthOf(character, content, label);
    const space = character === ' ' || character === '\t';
    if (columns > 1 && !space && at > start) [breakAt, breakColumn] = [at, column];
    while (!space && at > start && column + columns > width) {
      const end = breakAt > start ? breakAt : at;
      rows.push({ start, end });
      column -= breakAt > start ? breakColumn : column;
      [start, breakAt] = [end, -1];
    }
    column += columns;
    if (space || columns > 1) [breakAt, breakColumn] = [next, column];
    at = next;
  }
  rows.push({ start, end: to });
}

interface Wrapped extends Content {
  width: number;
  label: PasteLabel;
  rows: Row[];
}

let last: Wrapped | undefined;

/** The rows of a text; asked again for the same text, it answers from memory. */
function wrap(content: Content, width: number, label: PasteLabel): Row[] {
  const known = last;
  if (known && known.text === content.text && known.width === width && known.label === label && known.pastes === content.pastes) {
    return known.rows;
  }
  const rows: Row[] = [];
  for (let from = 0; ; ) {
    const end = content.text.indexOf('\n', from);
    wrapLine(content, from, end < 0 ? content.text.length : end, width, label, rows);
    if (end < 0) break;
    from = end + 1;
  }
  last = { text: content.text, pastes: content.pastes, width, label, rows };
  return rows;
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
export function layout(content: Content & { cursor: number }, width: number, label: PasteLabel = englishPasteLabel): Layout {
  const columns = Math.max(1, Math.floor(width) || 1);
  const rows = wrap(content, columns, label);
  const row = rowAt(rows, content.cursor);
  const start = rows[row]?.start ?? 0;
  let column = 0;
  for (let at = start; at < content.cursor; ) {
    const next = nextBoundary(content.text, at);
    column += widthOf(content.text.slice(at, next), content, label);
    at = next;
  }
  return { rows, cursor: { row, column: Math.min(column, columns) } };
}

/** The boundary in a row that is nearest to a column from the left. */
export function indexAtColumn(content: Content, row: Row, column: number, label: PasteLabel = englishPasteLabel): number {
  let [at, width] = [row.start, 0];
  while (at < row.end) {
    const next = nextBoundary(content.text, at);
    width += widthOf(content.text.slice(at, next), content, label);
    if (width > column || next > row.end) break;
    at = next;
  }
  return at;
}

/** A row as it is shown, cut to `width` columns. */
export function rowText(content: Content, row: Row, width: number, label: PasteLabel = englishPasteLabel): string {
  let [text, column] = ['', 0];
  for (let at = row.start; at < row.end; ) {
    const next = nextBoundary(content.text, at);
    for (const part of characters(drawn(content.text.slice(at, next), content.pastes, label))) {
      column += characterWidth(part);
      if (column > width) return text;
      text += part;
    }
    at = next;
  }
  return text;
}
