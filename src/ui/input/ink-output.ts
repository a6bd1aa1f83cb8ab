/**
 * The stdout that Ink is given. It puts the terminal's cursor where the text is, after every frame: Ink's own `useCursor`
 * forgets the place in each frame in which its component was not drawn anew, and hides the cursor. It also writes a frame
 * in one piece, erases what a narrower window broke into more rows, and keeps Ink silent while another program has the
 * terminal.
 */
import { Writable } from 'node:stream';
import stringWidth from 'string-width';

const BEGIN_FRAME = '\x1b[?2026h';
const END_FRAME = '\x1b[?2026l';
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/** How Ink erases its last frame: line by line, upwards. */
const ERASING = /^(?:\x1b\[2K|\x1b\[1A|\x1b\[G)*/;
const ERASE_LINE = '\x1b[2K';
const ERASE_AND_UP = '\x1b[2K\x1b[1A';

/** Where the cursor belongs: rows above the row below the frame, and the column from 0. */
export interface CursorPlace {
  up: number;
  column: number;
}

export class InkOutput extends Writable {
  readonly isTTY = true;
  /** Asked after each frame; undefined hides the cursor. */
  locate: () => CursorPlace | undefined = () => undefined;
  /** What Ink drew last. */
  private frame = '';
  private place: CursorPlace | undefined;
  /** Rows from the cursor down to where Ink believes it to be. */
  private down = 0;
  private collected: string[] | undefined;
  /** What the frame would look like by now, while another program has the terminal. */
  private away: string | undefined;
  private silent = false;
  private lastColumns: number;

  constructor(private readonly stdout: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.lastColumns = this.columns;
    stdout.on('resize', this.resized);
  }

  get columns(): number {
    return this.stdout.columns || 80;
  }

  get rows(): number {
    return this.stdout.rows || 24;
  }

  /** As Ink's options want it. */
  asStdout(): NodeJS.WriteStream {
    return this as unknown as NodeJS.WriteStream;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.take(String(chunk));
    done();
  }

  /** For Ink's `onRender`: after a frame that changed nothing but the cursor's place, of which Ink writes nothing. */
  readonly frameRendered = (): void => {
    queueMicrotask(() => {
      const place = this.locate();
      if (this.silent || this.away !== undefined || samePlace(place, this.place)) return;
      this.put('', place);
    });
  };

  /** Writes a sequence that moves nothing (a title, a bell). */
  aside(sequence: string): void {
    if (!this.silent && this.away === undefined) this.stdout.write(sequence);
  }

  /** Takes the frame off the screen and keeps Ink's writing back, until `takeBack`. */
  giveAway(): void {
    if (this.silent || this.away !== undefined) return;
    const lines = this.frame.split('\n').length;
    this.stdout.write(`${this.toBottom()}${ERASE_AND_UP.repeat(lines - 1)}${ERASE_LINE}\r${SHOW_CURSOR}`);
    this.place = undefined;
    this.away = this.frame;
  }

  /** Draws what Ink wrote meanwhile. */
  takeBack(): void {
    if (this.silent || this.away === undefined) return;
    const text = this.away;
    this.away = undefined;
    this.put(`\r${text}`, this.locate());
  }

  /** Leaves the cursor below the frame; whatever Ink writes afterwards is dropped. */
  close(): void {
    if (this.silent) return;
    this.stdout.off('resize', this.resized);
    if (this.away === undefined) this.stdout.write(`${this.toBottom()}${SHOW_CURSOR}`);
    this.silent = true;
  }

  private take(text: string): void {
    if (this.silent) return;
    if (text === BEGIN_FRAME) this.collected = [];
    else if (text === END_FRAME) {
      const pieces = this.collected ?? [];
      this.collected = undefined;
      if (this.away === undefined && pieces.length > 0) this.put(pieces.join(''), this.locate(), true);
    } else if (text !== '') this.piece(text);
  }

  private piece(text: string): void {
    const erasing = ERASING.exec(text)?.[0] ?? '';
    const content = text.slice(erasing.length);
    const isMode = content === SHOW_CURSOR || content === HIDE_CURSOR;
    if (!isMode) this.frame = content;
    if (this.away !== undefined) this.away = isMode ? this.away : erased(this.away, erasing) + content;
    else if (this.collected) this.collected.push(text);
    else this.put(text, this.locate());
  }

  private put(text: string, place: CursorPlace | undefined, atOnce = false): void {
    const toBottom = this.toBottom();
    this.place = place;
    this.down = place ? Math.max(0, place.up - (this.frame.endsWith('\n') ? 0 : 1)) : 0;
    const up = this.down > 0 ? `\x1b[${this.down}A` : '';
    const toPlace = place ? `${up}\x1b[${place.column + 1}G${SHOW_CURSOR}` : '';
    this.stdout.write(`${atOnce ? BEGIN_FRAME : ''}${toBottom}${text}${toPlace}${atOnce ? END_FRAME : ''}`);
  }

  /** From where the cursor was put, back to the place that Ink knows of. */
  private toBottom(): string {
    return this.place ? `${HIDE_CURSOR}${this.down > 0 ? `\x1b[${this.down}B` : ''}\r` : '';
  }

  /** A narrower window breaks the frame's lines into more rows than Ink will erase: the rest is erased here. */
  private readonly resized = (): void => {
    const columns = this.columns;
    if (columns < this.lastColumns && !this.silent && this.away === undefined) this.eraseBrokenRows(columns);
    this.lastColumns = columns;
    this.emit('resize');
  };

  private eraseBrokenRows(columns: number): void {
    const lines = this.frame.split('\n').slice(0, this.frame.endsWith('\n') ? -1 : undefined);
    const cursorLine = this.place ? lines.length - this.place.up : -1;
    // Not every terminal breaks the line that the cursor is in; to erase too little does less harm.
    const rows = lines.map((line, index) => (index === cursorLine ? 1 : Math.max(1, Math.ceil(stringWidth(line) / columns))));
    const extra = rows.reduce((sum, count) => sum + count - 1, 0);
    if (extra === 0) return;
    if (this.place) this.down = rows.slice(cursorLine).reduce((sum, count) => sum + count, 0);
    this.stdout.write(`${this.toBottom()}${ERASE_AND_UP.repeat(Math.min(extra, this.rows))}`);
    this.place = undefined;
  }
}

function samePlace(a: CursorPlace | undefined, b: CursorPlace | undefined): boolean {
  return a?.up === b?.up && a?.column === b?.column;
}

/** A text after the erasing of its last lines. */
function erased(text: string, erasing: string): string {
  if (erasing === '') return text;
  const lines = text.split('\n');
  const left = lines.slice(0, Math.max(0, lines.length - erasing.split('\x1b[1A').length));
  return left.map((line) => `${line}\n`).join('');
}
