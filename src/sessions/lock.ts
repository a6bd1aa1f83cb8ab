/**
 * One writer a session. The lock is a file beside the session that names its owner. It is written by hand because the known
 * lock packages judge by age alone: after a crash the session would stay shut for their grace time, and nobody could be told
 * which process has it. Here an owner that is gone frees the lock at once.
 */
import fs from 'node:fs';
import os from 'node:os';
import { FrostError } from '../errors.js';

interface Owner {
  pid: number;
  host: string;
  /** When the process started, in the system's own count, where it can tell: a pid that was given out again is another process. */
  started?: string;
}

export interface Lock {
  release(): void;
}

/** Writing a lock and taking one over last microseconds; what is unfinished for longer was left by a process that died at it. */
const GRACE_MS = 5000;

function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function self(): Owner {
  const started = startOf(process.pid);
  return { pid: process.pid, host: os.hostname(), ...(started !== undefined && { started }) };
}

function isAlive(owner: Owner): boolean {
  if (owner.host !== os.hostname()) return true;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return owner.started === undefined || owner.started === (startOf(owner.pid) ?? owner.started);
}

/** The owner that a lock file names; null where the file is gone, undefined where it names nobody. */
function ownerOf(file: string): Owner | null | undefined {
  try {
    const owner = JSON.parse(fs.readFileSync(file, 'utf8')) as Owner;
    return typeof owner.pid === 'number' ? owner : undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : undefined;
  }
}

const isExisting = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Creates the lock with its content in one step, so that nobody ever reads half an owner. False where it exists. */
function create(file: string): boolean {
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  fs.writeFileSync(draft, JSON.stringify(self()), { mode: 0o600, flag: 'wx' });
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if (isExisting(error)) return false;
    return createWithoutLinks(file);
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** For a file system that has no hard links. */
function createWithoutLinks(file: string): boolean {
  try {
    fs.writeFileSync(file, JSON.stringify(self()), { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (isExisting(error)) return false;
    throw error;
  }
}

/** True where nobody holds the lock any more: its owner is gone, or died before it could write its name. */
function isStale(file: string): boolean {
  const owner = ownerOf(file);
  return owner ? !isAlive(owner) : owner === undefined && ageOf(file) > GRACE_MS;
}

function ageOf(file: string): number {
  return Date.now() - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

/** Removes the lock of a dead owner, one process at a time: between looking and removing nobody else may have taken it. */
function removeStale(file: string): void {
  const guard = `${file}.takeover`;
  try {
    fs.mkdirSync(guard);
  } catch (error) {
    if (!isExisting(error)) throw error;
    if (ageOf(guard) < GRACE_MS) return;
    fs.rmdirSync(guard);
    removeStale(file);
    return;
  }
  try {
    if (isStale(file)) fs.rmSync(file, { force: true });
  } finally {
    fs.rmdirSync(guard);
  }
}

function refusal(file: string, id: string): FrostError {
  const owner = ownerOf(file);
  const who = owner ? `process ${owner.pid}${owner.host === os.hostname() ? '' : ` on ${owner.host}`}` : 'another process';
  const isElsewhere = owner && owner.host !== os.hostname();
  const advice = isElsewhere ? `If it is gone, delete ${file}.` : 'Wait for it, end it, or start a session of your own.';
  return new FrostError('failed', `The session ${id} is in use by ${who}, and only one process may write it. ${advice}`, {
    ...(owner && { pid: owner.pid, host: owner.host }),
  });
}

/**
 * Takes the lock of a session. Throws FrostError `failed`, naming the owner, where a living process has it; other errors are
 * those of the file system.
 */
export function takeLock(file: string, id: string): Lock {
  if (!create(file)) {
    if (isStale(file)) removeStale(file);
    if (!create(file)) throw refusal(file, id);
  }
  const remove = () => fs.rmSync(file, { force: true });
  process.once('exit', remove);
  return {
    release() {
      process.removeListener('exit', remove);
      remove();
    },
  };
}
