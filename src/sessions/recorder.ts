import fs from 'node:fs';
import path from 'node:path';
import type { AgentEvent, EventSink } from '../agent/events.js';
import { LineFile } from './append.js';
import { type Lock, takeLock } from './lock.js';
import { keptOf } from './payload.js';
import { FORMAT_VERSION, lineOf, type SessionHeader } from './record.js';
import { newRecordId, newSessionId } from './session-id.js';
import { readHeader, readTail } from './tail.js';

export interface RecorderOptions {
  /** The folder of all sessions; made when the first record is. */
  dir: string;
  cwd: string;
  /** An existing session to go on with; absent for a new one. */
  id?: string;
  /** Told once when the session cannot be saved, with the reason. */
  warn(text: string): void;
  /** Masks the values of known keys in what is written. */
  mask?(text: string): string;
}

export interface Recorder {
  readonly id: string;
  readonly path: string;
  /** The newest record of the main agent, or null in an empty session. */
  readonly leaf: string | null;
  /** True where what was told so far is in the file, or nothing was told yet. */
  readonly saving: boolean;
  /** The name that the user gave the session. */
  readonly title: string | undefined;
  /** Reads the event stream; never throws. */
  readonly sink: EventSink;
  /** Adds a record of any type, to the main agent or to a child. Returns its id. */
  record(type: string, payload: object, at?: { id?: string; agent?: string }): string;
  /** The conversation goes on after this record; null for its beginning. Later records stay in the file. */
  rewind(leaf: string | null): void;
  rename(title: string): void;
  close(): void;
}

/** Folder and file of the sessions belong to their user alone. */
function prepareFolder(dir: string): void {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { mode, uid } = fs.statSync(dir);
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) fs.chmodSync(dir, 0o700);
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ENOSPC: 'no space left',
    EROFS: 'read-only file system',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    ENOTDIR: 'a part of the path is not a folder',
    EEXIST: 'a part of the path is not a folder',
    EDQUOT: 'disk quota exceeded',
  };
  return code && known[code] ? `${known[code]}, ${code}` : (code ?? message);
}

class FileRecorder implements Recorder {
  readonly id: string;
  readonly path: string;
  readonly #options: RecorderOptions;
  readonly #isNew: boolean;
  readonly #leaves = new Map<string | undefined, string | null>();
  #title: string | undefined;
  #file: LineFile | undefined;
  #lock: Lock | undefined;
  #isOff = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#isNew = options.id === undefined;
    this.id = options.id ?? newSessionId();
    this.path = path.join(options.dir, `${this.id}.jsonl`);
    if (!this.#isNew) this.#resume();
  }

  get leaf(): string | null {
    return this.#leaves.get(undefined) ?? null;
  }

  get saving(): boolean {
    return !this.#isOff;
  }

  get title(): string | undefined {
    return this.#title;
  }

  readonly sink: EventSink = (event) => this.#take(event);

  record(type: string, payload: object, at: { id?: string; agent?: string } = {}): string {
    const id = at.id ?? newRecordId();
    const { agent } = at;
    const parent = this.#leaves.get(agent) ?? (agent === undefined ? null : this.leaf);
    this.#write(lineOf({ id, parent, ts: Date.now(), type, ...(agent !== undefined && { agent }) }, payload));
    this.#leaves.set(agent, id);
    return id;
  }

  rewind(leaf: string | null): void {
    this.#leaves.set(undefined, leaf);
    this.record('leaf', {});
    this.#file?.sync();
  }

  rename(title: string): void {
    this.#title = title;
    this.record('title', { title });
    this.#file?.sync();
  }

  close(): void {
    this.#isOff = true;
    this.#file?.close();
    this.#lock?.release();
    this.#file = undefined;
    this.#lock = undefined;
  }

  #take(event: AgentEvent): void {
    const kept = keptOf(event);
    if (kept) {
      const title = event.type === 'run_end' && this.#title !== undefined ? { title: this.#title } : {};
      const id = this.record(event.type, { ...kept.payload, ...title }, kept);
      if (event.type === 'agent_start') this.#leaves.set(event.run, id);
      if (event.type === 'agent_end') this.#leaves.delete(event.run);
    }
    const isEnd = event.type === 'turn_end' || event.type === 'run_end';
    if (isEnd && event.agent === undefined) this.#file?.sync();
  }

  /** Takes the lock first, then looks where the conversation stands: nobody can write in between. */
  #resume(): void {
    readHeader(this.path, this.id);
    this.#guarded(() => {
      this.#lock = takeLock(`${this.path}.lock`, this.id);
      this.#file = new LineFile(this.path, 'a');
    });
    const tail = readTail(this.path);
    this.#leaves.set(undefined, tail.leaf);
    this.#title = tail.title;
  }

  #create(): LineFile {
    const { dir, cwd } = this.#options;
    prepareFolder(dir);
    this.#lock = takeLock(`${this.path}.lock`, this.id);
    const file = new LineFile(this.path, 'ax');
    const header: SessionHeader = { type: 'session', version: FORMAT_VERSION, id: this.id, cwd, created: Date.now() };
    file.append(`${JSON.stringify(header)}\n`);
    return file;
  }

  #write(line: string): void {
    this.#guarded(() => {
      this.#file ??= this.#create();
      this.#file.append(this.#options.mask?.(line) ?? line);
    });
  }

  /** A file system that refuses costs the recording, with one warning, and not the answer. A lock held by another is thrown. */
  #guarded(work: () => void): void {
    if (this.#isOff) return;
    try {
      work();
    } catch (error) {
      this.close();
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      this.#options.warn(
        `This session is not saved from here on: cannot write ${this.path} (${reasonOf(error)}). Answers are not affected.`,
      );
    }
  }
}

/**
 * Records a session from the event stream. A new session's file is made with its first record. For `id`, throws FrostError where
 * the session does not exist, is of a newer version, has no readable header (`config`, `input_missing`) or is in use by another
 * process (`failed`); the file is untouched then.
 */
export function openRecorder(options: RecorderOptions): Recorder {
  return new FileRecorder(options);
}
