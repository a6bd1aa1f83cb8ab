/** Searching without ripgrep: files are read in windows, matched in batches, and never held whole. */
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { lineMatcher } from './line-matcher.js';
import type { Workspace } from './workspace.js';

const WINDOW = 1024 * 1024;

export interface Match {
  /** Relative to the root. */
  name: string;
  line: number;
  text: string;
}

interface Piece {
  name: string;
  text: string;
  firstLine: number;
}

/** Yields matching lines of the files, in their order. Binary files and files that cannot be read are passed over. */
export async function* searchFiles(
  workspace: Workspace,
  files: AsyncIterable<string> | Iterable<string>,
  pattern: string,
  signal: AbortSignal,
): AsyncGenerator<Match> {
  const matcher = lineMatcher(pattern);
  let batch: Piece[] = [];
  let size = 0;
  const flush = function* (): Generator<Match> {
    const texts = batch.map(({ text }) => text);
    for (const [at, line] of matcher.match(texts, 1000)) {
      const piece = batch[at];
      if (piece) yield { name: piece.name, line: piece.firstLine + line, text: piece.text.split('\n')[line]?.replace(/\r$/, '') ?? '' };
    }
    batch = [];
    size = 0;
  };
  for await (const file of files) {
    signal.throwIfAborted();
    for (const piece of piecesOf(workspace, file)) {
      batch.push(piece);
      size += piece.text.length + 256;
      if (size < WINDOW) continue;
      yield* flush();
      // Reading is synchronous, so others get their turn, and an abort arrives, between two windows.
      await new Promise(setImmediate);
      signal.throwIfAborted();
    }
  }
  yield* flush();
}

const buffer = Buffer.allocUnsafe(WINDOW);

/** The text of a regular file in windows that end at a line's end; a line longer than a window is cut into several. */
function* piecesOf(workspace: Workspace, file: string): Generator<Piece> {
  const fd = openRegular(file);
  if (fd === undefined) return;
  try {
    const name = workspace.nameOf(file);
    let rest = '';
    let line = 1;
    const decoder = new TextDecoder();
    for (let position = 0; ; ) {
      const bytes = readSync(fd, buffer, 0, WINDOW, position);
      const window = buffer.subarray(0, bytes);
      if (window.includes(0)) return;
      position += bytes;
      const text = rest + decoder.decode(window, { stream: bytes === WINDOW });
      const end = bytes < WINDOW ? text.length : text.lastIndexOf('\n') + 1 || text.length;
      const whole = text.slice(0, end);
      if (whole) yield { name, text: whole.endsWith('\n') ? whole.slice(0, -1) : whole, firstLine: line };
      if (bytes < WINDOW) return;
      line += whole.split('\n').length - 1;
      rest = text.slice(end);
    }
  } finally {
    closeSync(fd);
  }
}

function openRegular(file: string): number | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const moved = process.platform === 'linux' && readlinkSync(`/proc/self/fd/${fd}`) !== file;
    if (!moved && fstatSync(fd).isFile()) return fd;
  } catch {
    // Unreadable or gone since it was listed: passed over like a binary file.
  }
  if (fd !== undefined) closeSync(fd);
  return undefined;
}
