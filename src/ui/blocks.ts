/**
 * Cuts an answer that is still streaming into blocks that will not change any more (a paragraph, a list item, a line of
 * code, a table) and a short open rest. Finished blocks go to the scrollback once; only the rest is drawn again.
 */

/** One finished block of Markdown. `indent` is in columns: what stood before it in the source, for blocks inside a list. */
export type Piece =
  | { kind: 'heading'; depth: number; markdown: string }
  /** `continues`: cut for its length, the next paragraph is the same one. */
  | { kind: 'paragraph'; indent: number; markdown: string; continues?: true }
  | { kind: 'item'; indent: number; marker: string; markdown: string; continues?: true }
  | { kind: 'table'; markdown: string }
  | { kind: 'quote'; markdown: string }
  | { kind: 'rule' }
  /** The start of fenced code. */
  | { kind: 'fence'; lang: string }
  /** Whole lines of code, without the fence's own indentation. `before` is the code above them, for the highlighter. */
  | { kind: 'code'; lang: string; before: string; code: string }
  | { kind: 'fence_end' };

interface Fence {
  mark: string;
  indent: number;
  lang: string;
  code: string;
}

/** Where the cutter is. `lines` are the finished lines of the open block, `partial` the line that has no end yet. */
export interface Cutter {
  readonly lines: readonly string[];
  readonly partial: string;
  readonly fence?: Fence;
  /** The open block goes on with a paragraph that was cut for its length. */
  readonly goesOn?: { indent: number };
}

export const NEW_CUTTER: Cutter = { lines: [], partial: '' };

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/;
const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^`]*)$/;

/** A paragraph of more lines than this is cut where no emphasis or code span is open. */
const LONGEST_PARAGRAPH = 3;

const columnsOf = (space: string): number => space.replaceAll('\t', '    ').length;
const withoutIndent = (line: string): string => line.replace(/^[ \t]+/, '');

/** Whether no code span, emphasis or link is open at the end of `text`, as far as counting can tell. */
function isBalanced(text: string): boolean {
  const marks = (pattern: RegExp) => (text.match(pattern) ?? []).length;
  return marks(/`/g) % 2 === 0 && marks(/\*\*/g) % 2 === 0 && marks(/__/g) % 2 === 0 && marks(/\[/g) === marks(/\]/g);
}

/** What the finished lines of one block are. */
function pieceOf({ lines, goesOn }: Pick<Cutter, 'lines' | 'goesOn'>): Piece | undefined {
  const [first] = lines;
  if (first === undefined) return undefined;
  if (goesOn) return { kind: 'paragraph', indent: goesOn.indent, markdown: lines.map(withoutIndent).join('\n') };
  if (/^ {0,3}>/.test(first)) return { kind: 'quote', markdown: lines.join('\n') };
  if (/^\s*\|/.test(first)) return { kind: 'table', markdown: lines.join('\n') };
  const item = ITEM.exec(first);
  if (item && !RULE.test(first)) {
    const [, space = '', marker = '-', text = ''] = item;
    return { kind: 'item', indent: columnsOf(space), marker, markdown: [text, ...lines.slice(1).map(withoutIndent)].join('\n') };
  }
  const indent = columnsOf(/^[ \t]*/.exec(first)?.[0] ?? '');
  return { kind: 'paragraph', indent, markdown: lines.map(withoutIndent).join('\n') };
}

/** Whether `line` begins a block of its own rather than going on with the open one. */
function beginsBlock(line: string, open: readonly string[]): boolean {
  const isTable = /^\s*\|/.test(line);
  const isQuote = /^ {0,3}>/.test(line);
  const first = open[0] ?? '';
  if (isTable !== /^\s*\|/.test(first)) return true;
  if (isQuote !== /^ {0,3}>/.test(first)) return isQuote;
  return ITEM.test(line);
}

/** Takes in one finished line; what it finishes is put into `out`. */
function takeLine(cutter: Cutter, line: string, out: Piece[]): Cutter {
  const { fence, lines } = cutter;
  if (fence) return takeCodeLine(cutter, fence, line, out);
  if (cutter.goesOn && lines.length === 0 && line.trim() !== '') return { lines: [line], partial: '', goesOn: cutter.goesOn };
  const close = (): void => {
    const piece = pieceOf(cutter);
    if (piece) out.push(piece);
  };
  const opened = FENCE.exec(line);
  if (opened) {
    close();
    const [, space = '', mark = '```', info = ''] = opened;
    const lang = info.trim().split(/\s+/)[0] ?? '';
    out.push({ kind: 'fence', lang });
    return { lines: [], partial: '', fence: { mark, indent: columnsOf(space), lang, code: '' } };
  }
  if (line.trim() === '') {
    close();
    return { lines: [], partial: '' };
  }
  const heading = HEADING.exec(line);
  const isUnderline = lines.length === 1 && /^ {0,3}(?:-+|=+)[ \t]*$/.test(line) && pieceOf(cutter)?.kind === 'paragraph';
  if (heading || (RULE.test(line) && !isUnderline)) {
    close();
    out.push(heading ? { kind: 'heading', depth: (heading[1] ?? '#').length, markdown: heading[2] ?? '' } : { kind: 'rule' });
    return { lines: [], partial: '' };
  }
  if (isUnderline) {
    out.push({ kind: 'heading', depth: line.includes('=') ? 1 : 2, markdown: (lines[0] ?? '').trim() });
    return { lines: [], partial: '' };
  }
  if (lines.length > 0 && beginsBlock(line, lines)) {
    close();
    return { lines: [line], partial: '' };
  }
  return cutLong({ ...cutter, lines: [...lines, line] }, out);
}

/** Keeps an open paragraph short, so that the live part of the screen stays short too. */
function cutLong(cutter: Cutter, out: Piece[]): Cutter {
  const piece = pieceOf(cutter);
  if (piece?.kind === 'paragraph' && cutter.lines.length > LONGEST_PARAGRAPH && isBalanced(piece.markdown)) {
    out.push({ ...piece, continues: true });
    return { lines: [], partial: '', goesOn: { indent: piece.indent } };
  }
  return { ...cutter, partial: '' };
}

function takeCodeLine(cutter: Cutter, fence: Fence, line: string, out: Piece[]): Cutter {
  const closing = FENCE.exec(line);
  if (closing && closing[3]?.trim() === '' && closing[2]?.startsWith(fence.mark)) {
    out.push({ kind: 'fence_end' });
    return { lines: [], partial: '' };
  }
  const code = `${withoutFenceIndent(line, fence.indent)}\n`;
  const last = out.at(-1);
  if (last?.kind === 'code') last.code += code;
  else out.push({ kind: 'code', lang: fence.lang, before: fence.code, code });
  return { ...cutter, fence: { ...fence, code: fence.code + code } };
}

/** The line without the indentation that its fence has; it may have less. */
function withoutFenceIndent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && (line[at] === ' ' || line[at] === '\t')) at += 1;
  return line.slice(at);
}

/** Adds `text` to the answer: the blocks it finished, and the cutter that goes on. */
export function cut(cutter: Cutter, text: string): { pieces: Piece[]; cutter: Cutter } {
  const pieces: Piece[] = [];
  const lines = (cutter.partial + text).split('\n');
  const partial = lines.pop() ?? '';
  let next = cutter;
  for (const line of lines) next = takeLine(next, line.replace(/\r$/, ''), pieces);
  return { pieces, cutter: { ...next, partial } };
}

/** What is left when the answer ends, or is broken off. */
export function finish(cutter: Cutter): Piece[] {
  const pieces: Piece[] = [];
  const last = cutter.partial === '' ? cutter : takeLine(cutter, cutter.partial, pieces);
  const piece = pieceOf(last);
  if (piece) pieces.push(piece);
  if (last.fence) pieces.push({ kind: 'fence_end' });
  return pieces;
}

/** The open rest as pieces, to be drawn and thrown away: nothing of it is final. */
export function openRest(cutter: Cutter): Piece[] {
  return finish(cutter).filter((piece) => piece.kind !== 'fence_end');
}

/** Places where a row may end: behind a space, and between characters of Chinese or Japanese. */
const BREAKS = /[ \n]+|[\u3001-\u30fa\u4e00-\u9fff\uff01-\uff60](?=[\u3041-\u30fa\u4e00-\u9fff])/g;

/**
 * Where the open paragraph or list item takes more rows than `most`: its first rows as a piece of their own, cut where the
 * line breaks anyhow, so that it looks the same. Undefined where there is nothing to cut. `rowsOf` lays a piece out.
 */
export function cutRows(cutter: Cutter, most: number, rowsOf: (piece: Piece) => number): { piece: Piece; cutter: Cutter } | undefined {
  if (cutter.fence) return undefined;
  const source = [...cutter.lines, cutter.partial].join('\n');
  const pieceOfText = (text: string): Piece | undefined => pieceOf({ ...cutter, lines: text.split('\n') });
  const whole = pieceOfText(source);
  if ((whole?.kind !== 'paragraph' && whole?.kind !== 'item') || rowsOf(whole) <= most) return undefined;
  const ends = [...source.matchAll(BREAKS)].map((found) => found.index + found[0].length);
  const fits = (end: number): boolean => {
    const piece = pieceOfText(source.slice(0, end).trimEnd());
    return piece !== undefined && rowsOf(piece) <= most - 1;
  };
  let at = lastThat(ends, fits);
  while (at >= 0 && !isBalanced(source.slice(0, ends[at]))) at -= 1;
  const end = ends[at];
  const head = end === undefined ? undefined : pieceOfText(source.slice(0, end).trimEnd());
  if (end === undefined || !head || (head.kind !== 'paragraph' && head.kind !== 'item')) return undefined;
  const [partial = '', ...lines] = source.slice(end).split('\n').reverse();
  const indent = head.kind === 'item' ? head.indent + head.marker.length + 1 : head.indent;
  return { piece: { ...head, continues: true }, cutter: { lines: lines.reverse(), partial, goesOn: { indent } } };
}

/** The last index for which `holds`, where it holds for all before it too; -1 where it holds for none. */
function lastThat(items: readonly number[], holds: (item: number) => boolean): number {
  let [low, high] = [-1, items.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(items[middle] ?? 0)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Cuts a whole text, such as a message of an old session. */
export function cutWhole(text: string): Piece[] {
  const { pieces, cutter } = cut(NEW_CUTTER, text);
  return [...pieces, ...finish(cutter)];
}
