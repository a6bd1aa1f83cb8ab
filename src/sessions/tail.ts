/** Both ends of a session file, read without reading what lies between. */
import fs from 'node:fs';
import path from 'node:path';
import { FrostError } from '../errors.js';
import { FORMAT_VERSION, recordOf, type SessionHeader, type SessionRecord } from './record.js';

const BLOCK = 64 * 1024;

/** What the end of a session says. */
export interface Tail {
  /** The newest record of the main agent; null where there is none. */
  leaf: string | null;
  title?: string;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The first line of a file, without its newline; all of a short file that has none. */
export function firstLine(fd: number): string {
  let bytes = Buffer.alloc(0);
  const block = Buffer.alloc(4096);
  for (;;) {
    const read = fs.readSync(fd, block, 0, block.length, bytes.length);
    const end = block.subarray(0, read).indexOf(0x0a);
    bytes = Buffer.concat([bytes, block.subarray(0, end < 0 ? read : end)]);
    if (end >= 0 || read === 0 || bytes.length >= BLOCK) return bytes.toString();
  }
}

/** A first line as a header. Throws FrostError `config`, naming the session, for one that this frost cannot read. */
export function headerOf(line: string, file: string): SessionHeader {
  const header = parsed(line) as Partial<SessionHeader> | undefined;
  const name = path.basename(file, '.jsonl');
  if (header?.type !== 'session' || typeof header.version !== 'number')
    throw new FrostError('config', `The session ${name} has no readable header; it is left as it is: ${file}`, { file });
  if (header.version > FORMAT_VERSION) {
    const versions = `format ${header.version}, this one reads up to ${FORMAT_VERSION}`;
    throw new FrostError(
      'config',
      `The session ${name} was written by a newer frost (${versions}); it is left as it is. Update frost to open it.`,
      {
        file,
      },
    );
  }
  return { type: 'session', created: 0, cwd: '', ...header, version: header.version, id: name };
}

/** Opens a session's file; `work` gets the descriptor. Throws FrostError `input_missing` where there is no such session. */
export function withFile<T>(file: string, id: string, work: (fd: number) => T): T {
  let fd: number;
  try {
    fd = fs.openSync(file, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new FrostError('input_missing', `There is no session ${id}. 'frost sessions list' shows those there are.`, { file });
    throw new FrostError('input_unreadable', `The session ${id} cannot be read: ${(error as Error).message}`, { file });
  }
  try {
    return work(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** The header of a session. Throws FrostError as `headerOf` and `withFile` do. */
export function readHeader(file: string, id: string): SessionHeader {
  return withFile(file, id, (fd) => headerOf(firstLine(fd), file));
}

/** The records of a file from the last to the first, damaged lines passed over, read block by block. */
export function* recordsBackwards(fd: number): Generator<SessionRecord> {
  let position = fs.fstatSync(fd).size;
  let rest: Buffer[] = [];
  while (position > 0) {
    const length = Math.min(BLOCK, position);
    position -= length;
    const block = Buffer.alloc(length);
    fs.readSync(fd, block, 0, length, position);
    let end = length;
    for (let newline = block.lastIndexOf(0x0a); newline >= 0; newline = newline === 0 ? -1 : block.lastIndexOf(0x0a, newline - 1)) {
      const record = recordOf(parsed(Buffer.concat([block.subarray(newline + 1, end), ...rest]).toString()));
      rest = [];
      end = newline;
      if (record) yield record;
    }
    rest = [block.subarray(0, end), ...rest];
  }
}

/** Where the conversation stands at the end of a file. */
export function readTail(file: string): Tail {
  return withFile(file, path.basename(file, '.jsonl'), (fd) => {
    let leaf: string | null | undefined;
    for (const record of recordsBackwards(fd)) {
      if (record.agent !== undefined) continue;
      leaf ??= record.id;
      const isNamed = typeof record['title'] === 'string' && (record.type === 'title' || record.type === 'run_end');
      if (isNamed) return { leaf, title: record['title'] as string };
      if (record.type === 'run_end') break;
    }
    return { leaf: leaf ?? null };
  });
}
