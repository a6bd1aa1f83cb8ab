import fs from 'node:fs';
import path from 'node:path';
import { FrostError } from '../errors.js';
import { LineFile } from './append.js';
import { type LoadedSession, loadSession } from './load.js';
import { takeLock } from './lock.js';
import { FORMAT_VERSION, type SessionHeader } from './record.js';
import type { Entry } from './scan.js';
import { newSessionId } from './session-id.js';

/** The records on the way to a leaf, and those of every child that was started on it, in the order of the file. */
function branchOf(session: LoadedSession, leaf: string | null): Entry[] {
  const way = new Set(session.pathTo(leaf).map((entry) => entry.id));
  const runs = new Set<string>();
  return session.entries.filter((entry) => {
    const isOnIt = entry.agent === undefined ? way.has(entry.id) : runs.has(entry.agent);
    if (isOnIt && entry.type === 'agent_start') runs.add(String(session.read(entry)?.['run']));
    return isOnIt;
  });
}

/**
 * Copies a session up to `leaf` (default: where it stands) into a new one, which goes on by itself; the first is left as it is.
 * Returns the new id. Throws FrostError as `loadSession` does, and `usage` for a leaf that the session does not have.
 */
export function forkSession(dir: string, id: string, leaf?: string | null): string {
  const session = loadSession(dir, id);
  const at = leaf === undefined ? session.leaf : leaf;
  if (at !== null && !session.entry(at)) throw new FrostError('usage', `The session ${id} has no record ${at} to fork from.`);
  const fork = newSessionId();
  const { cwd } = session.header;
  const header: SessionHeader = {
    type: 'session',
    version: FORMAT_VERSION,
    id: fork,
    cwd,
    created: Date.now(),
    forked: { session: id, record: at },
  };
  const file = new LineFile(path.join(dir, `${fork}.jsonl`), 'ax');
  const source = fs.openSync(session.path, 'r');
  try {
    file.append(`${JSON.stringify(header)}\n`);
    for (const entry of branchOf(session, at)) {
      const line = Buffer.alloc(entry.length + 1, '\n');
      fs.readSync(source, line, 0, entry.length, entry.offset);
      file.append(line);
    }
    file.sync();
  } finally {
    fs.closeSync(source);
    file.close();
  }
  return fork;
}

/**
 * Deletes a session with all that belongs to it. Throws FrostError `input_missing` where there is none, `failed` where a process
 * is writing it.
 */
export function removeSession(dir: string, id: string): void {
  const file = path.join(dir, `${id}.jsonl`);
  if (!fs.existsSync(file))
    throw new FrostError('input_missing', `There is no session ${id}. 'frost sessions list' shows those there are.`);
  const lock = takeLock(`${file}.lock`, id);
  try {
    for (const name of fs.readdirSync(dir))
      if (name.startsWith(`${id}.`) && !name.endsWith('.lock')) fs.rmSync(path.join(dir, name), { recursive: true, force: true });
  } finally {
    lock.release();
  }
}
