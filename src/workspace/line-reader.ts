/** Lines out of files of any size, with bounded memory and bounded work. */
import type { FileHandle } from 'node:fs/promises';

const CHUNK = 256 * 1024;

export interface LineRange {
  text: string;
  /** Number of the first line in `text`, from 1. */
  first: number;
  last: number;
  /** True where the file goes on after `last`. */
  more: boolean;
  /** False where `scanLimit` was reached before the first line was. */
  found: boolean;
}

/**
 * Reads lines `start`..`start + count - 1`, at most `maxBytes` of them, passing over at most `scanLimit` bytes before.
 * A line that is longer than `maxBytes` by itself is cut.
 */
export async function readLines(
  handle: FileHandle,
  { start, count, maxBytes, scanLimit, signal }: { start: number; count: number; maxBytes: number; scanLimit: number; signal: AbortSignal },
): Promise<LineRange> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let line = 1;
  let scanned = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, scanned);
    if (bytesRead === 0) return rangeOf(kept, start, false, line >= start);
    scanned += bytesRead;
    let at = 0;
    while (at < bytesRead) {
      const newline = chunk.subarray(0, bytesRead).indexOf(10, at);
      const end = newline < 0 ? bytesRead : newline + 1;
      if (line >= start && line < start + count) {
        const piece = chunk.subarray(at, Math.min(end, at + maxBytes - keptBytes));
        kept.push(Buffer.from(piece));
        keptBytes += piece.length;
        if (keptBytes >= maxBytes) return rangeOf(kept, start, true, true);
      }
      if (newline >= 0) line++;
      if (line >= start + count) return rangeOf(kept, start, end < bytesRead || (await hasMore(handle, scanned)), true);
      at = end;
    }
    if (line < start && scanned >= scanLimit) return rangeOf(kept, start, true, false);
  }
}

async function hasMore(handle: FileHandle, position: number): Promise<boolean> {
  return (await handle.read(Buffer.alloc(1), 0, 1, position)).bytesRead > 0;
}

function rangeOf(kept: Buffer[], first: number, more: boolean, found: boolean): LineRange {
  const text = new TextDecoder().decode(Buffer.concat(kept));
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { text, first, last: first + Math.max(lines, 1) - 1, more, found: found && kept.length > 0 };
}
