/**
 * Puts frames on the terminal with as few bytes as it can. Ink lays a frame out; this class writes what changed of it,
 * moves finished lines into the scrollback, and never clears the screen. Ink's own writer repaints every live line
 * whenever a finished one is added, erases the scrollback when the live part is taller than the window, and leaves
 * wrapped remains behind after a resize; hence this one.
 */
import { clip, widthOf } from './wrap.js';

/** Where the terminal's cursor belongs: row and column from the frame's upper left corner. */
export interface Cursor {
  row: number;
  column: number;
}

export interface Terminal {
  write(text: string): unknown;
  /** Columns and rows; 80 × 24 where the terminal does not say. */
  size(): { columns: number; rows: number };
  /**
   * Where the cursor is after the terminal wrapped its lines anew: with its text (most terminals), or lower, by the rows
   * that the lines below it gained (xterm.js, as in VS Code).
   */
  readonly reflow?: 'with-text' | 'xterm.js';
}

const SYNC_BEGIN = '\x1b[?2026h';
const SYNC_END = '\x1b[?2026l';
const HIDE = '\x1b[?25l';
const SHOW = '\x1b[?25h';
/** From here to the window's end. Not ESC[J in the first cell of the window: tmux moves what that erases into the scrollback. */
const ERASE_BELOW = '\x1b7\x1b[K\x1b[B\x1b[J\x1b8';
const ERASE_LINE = '\x1b[K';
const SEQUENCE = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;:]*m/g;

const bare = (line: string): string => line.replace(SEQUENCE, '');
/** Columns of a line that holds looks and links beside its text. */
export const lineWidth = (line: string): number => widthOf(bare(line));

/** Length of the common beginning that may stay on the screen: it ends neither in a sequence nor in a character. */
function commonLength(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const cut = Math.max(after.lastIndexOf('\x1b', at - 1), 0);
  const inside = after.slice(cut, at);
  if (inside.startsWith('\x1b') && bare(inside) === inside) at = cut;
  // A mark that combines with the last common character, or half of a pair, would be drawn in the wrong cell.
  while (at > 0 && at < Math.max(before.length, after.length) && !isPlainEdge(before, at, after)) at -= 1;
  return at;
}

/** Characters that stand alone: nothing after them can change them, and they change nothing before them. */
const ALONE =
  /[\x1b-~\u00a1-\u02ff\u0391-\u0482\u2010-\u2027\u2500-\u257f\u2800-\u28ff\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]/;
const isPlain = (char: string | undefined): boolean => char === undefined || ALONE.test(char);
const isPlainLine = (line: string): boolean => Array.from(bare(line)).every((char) => ALONE.test(char));
const isPlainEdge = (before: string, at: number, after: string): boolean =>
  isPlain(after[at - 1]) && isPlain(after[at]) && isPlain(before[at]);

/** Where only a stretch inside the line differs, and is as wide as before: that stretch alone. */
function rewriteInside(before: string, after: string, at: number): string | undefined {
  let same = 0;
  while (same < after.length - at && same < before.length - at && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const [old, now] = [before.slice(at, before.length - same), after.slice(at, after.length - same)];
  const isFit = same > 8 && !old.includes('\x1b') && !now.includes('\x1b') && widthOf(old) === widthOf(now);
  if (!isFit) return undefined;
  const kept = after.slice(0, at);
  const column = lineWidth(kept);
  const looks = (kept.match(SEQUENCE) ?? []).join('');
  return `\r${column > 0 ? `\x1b[${column}C` : ''}${looks}${now}${looks === '' ? '' : '\x1b[0m'}`;
}

/** What rewrites `before` into `after` from the first column that differs. The cursor may be anywhere on the line. */
function rewrite(before: string, after: string): string {
  // Terminals do not agree on the width of some characters: such a line is written whole, on an empty one.
  if (!isPlainLine(before) || !isPlainLine(after)) return `\r${ERASE_LINE}${after}`;
  const at = commonLength(before, after);
  const inside = rewriteInside(before, after, at);
  if (inside !== undefined) return inside;
  const kept = after.slice(0, at);
  const column = lineWidth(kept);
  const looks = (kept.match(SEQUENCE) ?? []).join('');
  const rest = after.slice(at);
  const erase = lineWidth(before) > lineWidth(after) ? ERASE_LINE : '';
  const reset = erase !== '' && /\x1b\[[0-9;:]*m/.test(after) ? '\x1b[0m' : '';
  const short = `\r${column > 0 ? `\x1b[${column}C` : ''}${looks}${rest}${reset}${erase}`;
  const whole = `\r${after}${reset}${erase}`;
  return short.length < whole.length ? short : whole;
}

/** Row by row: some terminals take «erase below» in the first row for clearing, and keep what was there. */
function eraseRows(rows: number): string {
  return `${Array(rows).fill(ERASE_LINE).join('\x1b[B')}${rows > 1 ? `\x1b[${rows - 1}A` : ''}`;
}

export class Screen {
  readonly #terminal: Terminal;
  /** The lines of the live part as they stand on the terminal. */
  #lines: string[] = [];
  /** The cursor's row in the live part. */
  #row = 0;
  #column = 0;
  #cursorShown = true;
  #pending: string[] = [];
  #frame = '';
  #cursor: Cursor | undefined;
  #columns: number;
  #stopped = false;
  #away = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#columns = terminal.size().columns;
  }

  /** Lines that are finished; they go above the live part with the next paint, once. */
  commit(lines: readonly string[]): void {
    this.#pending.push(...lines);
  }

  /** The live part as it shall be. It is cut to the window, whatever it is given. */
  setFrame(frame: string): void {
    this.#frame = frame;
  }

  /** Where the cursor shall be; undefined hides it. */
  setCursor(cursor: Cursor | undefined): void {
    this.#cursor = cursor;
  }

  /** Writes what changed. */
  paint(): void {
    if (this.#stopped || this.#away) return;
    const body = this.#body();
    if (body === '') return;
    const hide = this.#cursorShown ? HIDE : '';
    const show = this.#cursor ? SHOW : '';
    this.#cursorShown = this.#cursor !== undefined;
    this.#terminal.write(SYNC_BEGIN + hide + body + show + SYNC_END);
  }

  #body(): string {
    const { columns, rows } = this.#terminal.size();
    this.#columns = columns;
    const fitted = this.#fitted(columns, rows);
    const moved = this.#canPush(fitted, columns, rows) ? this.#push(fitted) : this.#repaint(fitted);
    const cursor = this.#cursor && this.#clamped(this.#cursor);
    if (
      moved === '' &&
      (!cursor || (this.#row === cursor.row && this.#column === cursor.column)) &&
      this.#cursorShown === (cursor !== undefined)
    )
      return '';
    return moved + (cursor ? this.#moveTo(cursor) : '');
  }

  /** The window keeps one row for itself, so that nothing scrolls while the live part is drawn. */
  #fitted(columns: number, rows: number): string[] {
    const lines = this.#frame === '' ? [] : this.#frame.split('\n');
    const most = Math.max(1, rows - 1);
    const drop = Math.max(0, lines.length - most);
    if (drop > 0 && this.#cursor) this.#cursor = { ...this.#cursor, row: Math.max(0, this.#cursor.row - drop) };
    return lines.slice(drop).map((line) => (lineWidth(line) > columns ? clip(bare(line), columns) : line));
  }

  #clamped({ row, column }: Cursor): Cursor {
    return { row: Math.max(0, Math.min(row, this.#lines.length - 1)), column: Math.max(0, Math.min(column, this.#columns - 1)) };
  }

  #up(rows: number): string {
    return rows > 0 ? `\x1b[${rows}A` : rows < 0 ? `\x1b[${-rows}B` : '';
  }

  #moveTo({ row, column }: Cursor): string {
    const sequence = `${this.#up(this.#row - row)}\r${column > 0 ? `\x1b[${column}C` : ''}`;
    [this.#row, this.#column] = [row, column];
    return sequence;
  }

  /** Whether finished lines and live part fit the window together, each line on a row of its own for certain. */
  #canPush(lines: readonly string[], columns: number, rows: number): boolean {
    if (this.#pending.length === 0) return true;
    if (lines.length === 0 || this.#lines.length === 0 || this.#pending.length + lines.length >= rows) return false;
    return this.#pending.every((line) => !line.includes('\t') && lineWidth(line) * (isPlainLine(line) ? 1 : 2) < columns);
  }

  /** Finished lines mostly stand where they are already: only what differs is written, and they are let go of. */
  #push(lines: string[]): string {
    const pushed = this.#pending.length;
    const out = this.#update([...this.#pending, ...lines]);
    this.#pending = [];
    this.#lines = lines;
    this.#row -= pushed;
    return out;
  }

  /** Everything from the top of the live part: finished lines first, then the new live part. */
  #repaint(lines: string[]): string {
    const text = [...this.#pending, ...lines].join('\r\n');
    const end = lines.length === 0 ? '\r\n' : '';
    const sequence = `${this.#up(this.#row)}\r${eraseRows(Math.max(1, this.#lines.length))}${text}${end}`;
    this.#pending = [];
    this.#settle(lines);
    return sequence;
  }

  #settle(lines: string[]): void {
    this.#lines = lines;
    this.#row = Math.max(0, lines.length - 1);
    this.#column = -1;
  }

  /** Makes room for what comes in above lines that stay: those move down as they are. */
  #shift(lines: readonly string[]): { out: string; before: string[] } {
    const before = this.#lines;
    const more = lines.length - before.length;
    let same = 0;
    while (same < before.length && before.at(-1 - same) === lines.at(-1 - same)) same += 1;
    if (more <= 0 || same === 0) return { out: '', before };
    const at = before.length - same;
    const down = `${this.#up(this.#row - (before.length - 1))}\r${'\n'.repeat(more)}`;
    const insert = `${this.#up(before.length - 1 + more - at)}\x1b[${more}L`;
    this.#row = at;
    return { out: down + insert, before: [...before.slice(0, at), ...Array<string>(more).fill(''), ...before.slice(at)] };
  }

  /** Only the lines that differ. */
  #update(lines: string[]): string {
    if (this.#lines.length === lines.length && this.#lines.every((line, at) => line === lines[at])) return '';
    const shifted = this.#shift(lines);
    const { before } = shifted;
    let { out } = shifted;
    const shared = Math.min(before.length, lines.length);
    for (let at = 0; at < shared; at += 1) {
      const [old = '', now = ''] = [before[at], lines[at]];
      if (old === now) continue;
      out += this.#up(this.#row - at) + rewrite(old, now);
      this.#row = at;
    }
    if (lines.length < before.length) {
      const gone = before.length - lines.length;
      out += `${this.#up(this.#row - lines.length)}\r${eraseRows(gone)}`;
      this.#row = lines.length;
    } else if (lines.length > before.length) {
      out += before.length > 0 ? `${this.#up(this.#row - (before.length - 1))}\r\n` : '\r';
      out += lines.slice(before.length).join('\r\n');
      this.#row = lines.length - 1;
    }
    this.#lines = lines;
    this.#column = -1;
    return out;
  }

  /**
   * To be called when the window has a new size, before the next paint. Terminals wrap the lines they show anew, so the
   * live part may take more rows than it did: all of them are erased.
   */
  resized(): void {
    if (this.#stopped || this.#away) return;
    const { columns, rows } = this.#terminal.size();
    const rowsOf = (line: string) => Math.max(1, Math.ceil(lineWidth(line) / columns));
    const sum = (lines: string[]) => lines.reduce((all, line) => all + rowsOf(line), 0);
    const row = Math.max(0, this.#row);
    const above = sum(this.#lines.slice(0, row));
    const below = this.#lines.slice(row + 1);
    const column = this.#column === -1 ? lineWidth(this.#lines[row] ?? '') - 1 : this.#column;
    const lower = this.#terminal.reflow === 'xterm.js' ? sum(below) - below.length : Math.floor(Math.max(0, column) / columns);
    this.#terminal.write(`${this.#up(Math.min(above + lower, rows - 1))}\r${ERASE_BELOW}`);
    this.#lines = [];
    this.#row = 0;
    this.#column = 0;
    this.#columns = columns;
  }

  /** Takes the live part away and writes nothing until `takeBack`: another program has the terminal. */
  giveAway(): void {
    if (this.#stopped) return;
    this.erase();
    this.#away = true;
  }

  /** The next paint writes the whole live part, below whatever the other program left. */
  takeBack(): void {
    this.#away = false;
  }

  /** Takes the live part away; `paint` brings it back. */
  erase(): void {
    this.#terminal.write(`${this.#up(this.#row)}\r${ERASE_BELOW}${SHOW}`);
    this.#cursorShown = true;
    this.#settle([]);
    this.#row = 0;
  }

  /** Writes what is finished, takes the live part away and writes nothing more. */
  stop(): void {
    if (this.#stopped) return;
    this.#away = false;
    this.#frame = '';
    this.#cursor = { row: 0, column: 0 };
    this.paint();
    if (!this.#cursorShown) this.#terminal.write(SHOW);
    this.#stopped = true;
  }
}
