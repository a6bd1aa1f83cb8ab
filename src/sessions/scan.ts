/** Finds the records of a session file without parsing them. */
import fs from 'node:fs';
import { HEAD_BYTES, headOf, type RecordHead, recordOf } from './record.js';

const BLOCK = 1024 * 1024;

/** A record's head and where its line is. */
export interface Entry extends RecordHead {
  offset: number;
  /** Bytes, the newline not counted. */
  length: number;
  /** From 1, as editors count. */
  line: number;
}

export interface ScannedLine {
  bytes: Buffer;
  offset: number;
  line: number;
  /** False for a last line without its newline. */
  whole: boolean;
}

/** Calls `visit` with every line of a file, in order; the bytes are valid during the call only. Memory: a block and the longest line. */
export function eachLine(fd: number, visit: (line: ScannedLine) => void): void {
  const block = Buffer.allocUnsafe(BLOCK);
  let rest: Buffer[] = [];
  let offset = 0;
  let line = 1;
  const give = (piece: Buffer, whole: boolean) => {
    const bytes = rest.length > 0 ? Buffer.concat([...rest, piece]) : piece;
    rest = [];
    visit({ bytes, offset, line, whole });
    offset += bytes.length + 1;
    line += 1;
  };
  for (let read = fs.readSync(fd, block, 0, BLOCK, null); read > 0; read = fs.readSync(fd, block, 0, BLOCK, null)) {
    let start = 0;
    for (let end = block.indexOf(0x0a); end >= 0 && end < read; end = block.indexOf(0x0a, start)) {
      give(block.subarray(start, end), true);
      start = end + 1;
    }
    if (start < read) rest.push(Buffer.from(block.subarray(start, read)));
  }
  if (rest.length > 0) give(Buffer.alloc(0), false);
}

function parsedHead(bytes: Buffer): RecordHead | undefined {
  try {
    return recordOf(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}

/**
 * The head of one line: read off where the line has frost's own form, else by parsing it. Undefined for a damaged line; damage
 * inside a line whose head is sound shows when that record is read.
 */
export function entryOf({ bytes, offset, line, whole }: ScannedLine): Entry | undefined {
  const isClosed = whole && bytes.at(-1) === 0x7d;
  const quick = isClosed ? headOf(bytes.toString('latin1', 0, Math.min(bytes.length, HEAD_BYTES))) : undefined;
  const head = quick ?? parsedHead(bytes);
  if (!head) return undefined;
  const { id, parent, ts, type, agent } = head;
  return { id, parent, ts, type, ...(agent !== undefined && { agent }), offset, length: bytes.length, line };
}
