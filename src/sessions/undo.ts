/**
 * Undo: what the files were before a turn changed them. Beside the session lies a folder with the former contents and a journal
 * of what was changed and what it became; a file that is no longer what frost left is never touched.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { EventSink } from '../agent/events.js';
import { LineFile } from './append.js';
import { takeLock } from './lock.js';
import { newRecordId } from './session-id.js';

/** One line of the journal. Hashes are SHA-256 of contents; null stands for a file that does not exist. */
type Entry =
  | { type: 'before'; turn: string; path: string; hash: string | null; mode?: number }
  | { type: 'after'; turn: string; path: string; hash: string | null }
  | { type: 'undone'; turn: string; path: string };

/** One file as a turn found and left it. */
interface Change {
  turn: string;
  path: string;
  before: string | null;
  mode?: number;
  /** Absent where frost was stopped before it could say. */
  after?: string | null;
}

export interface UndoResult {
  /** Absolute paths that are what they were before. */
  restored: string[];
  /** Those left alone, and why. */
  refused: { path: string; reason: string }[];
}

const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');

function modeOf(file: string): { mode?: number } {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat ? { mode: stat.mode & 0o7777 } : {};
}

export class UndoStore {
  readonly #folder: string;
  readonly #warn: (text: string) => void;
  #turn = newRecordId();
  #seen = new Set<string>();
  #journal: LineFile | undefined;
  #isOff = false;

  constructor({ dir, session, warn }: { dir: string; session: string; warn?: (text: string) => void }) {
    this.#folder = path.join(dir, `${session}.undo`);
    this.#warn = warn ?? (() => {});
  }

  /** Reads the event stream: every run of the main agent is one step to undo. */
  readonly sink: EventSink = (event) => {
    if (event.type !== 'run_start' || event.agent !== undefined) return;
    this.#turn = newRecordId();
    this.#seen = new Set();
  };

  /** Called before a file is changed, with its content; undefined for a file that is new. Keeps the first of a turn. */
  beforeChange(file: string, former: Buffer | undefined): void {
    if (this.#seen.has(file)) return;
    this.#guarded(() => {
      const hash = former === undefined ? null : this.#keep(former);
      this.#note({ type: 'before', turn: this.#turn, path: file, hash, ...modeOf(file) });
      this.#seen.add(file);
    });
  }

  /** Called after the change, with what the file now is; undefined for one that was removed. */
  afterChange(file: string, content: Buffer | undefined): void {
    const hash = content === undefined ? null : hashOf(content);
    this.#guarded(() => this.#note({ type: 'after', turn: this.#turn, path: file, hash }));
  }

  /** Takes back the last turn that changed files and was not taken back. Undefined where there is none. */
  undo(): UndoResult | undefined {
    const changes = this.#lastTurn();
    if (changes.length === 0) return undefined;
    const result: UndoResult = { restored: [], refused: [] };
    for (const change of changes) {
      const reason = this.#restore(change);
      if (reason !== undefined) result.refused.push({ path: change.path, reason });
      else result.restored.push(change.path);
    }
    if (result.restored.length > 0)
      for (const { turn, path: file } of changes) this.#guarded(() => this.#note({ type: 'undone', turn, path: file }));
    return result;
  }

  close(): void {
    this.#journal?.close();
    this.#journal = undefined;
  }

  /** Puts one file back. Returns the reason where it is left alone. */
  #restore(change: Change): string | undefined {
    const stat = fs.lstatSync(change.path, { throwIfNoEntry: false });
    if (stat && !stat.isFile()) return 'it is no longer a regular file';
    try {
      const now = stat ? hashOf(fs.readFileSync(change.path)) : null;
      if (now === change.before) return undefined;
      if (change.after === undefined)
        return `frost was stopped while it changed it; its former content is kept in ${this.#folder}/${change.before}`;
      if (now !== change.after) return stat ? 'it was changed since' : 'it was deleted since';
      if (change.before === null) fs.rmSync(change.path);
      else this.#putBack(change.path, change.before, change.mode ?? 0o644);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  #putBack(file: string, hash: string, mode: number): void {
    const content = fs.readFileSync(path.join(this.#folder, hash));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const draft = path.join(path.dirname(file), `.${path.basename(file)}.${newRecordId()}`);
    try {
      fs.writeFileSync(draft, content, { flag: 'wx', mode });
      fs.chmodSync(draft, mode);
      fs.renameSync(draft, file);
    } finally {
      fs.rmSync(draft, { force: true });
    }
  }

  #lastTurn(): Change[] {
    const changes = new Map<string, Change>();
    const keyOf = (entry: Entry) => JSON.stringify([entry.turn, entry.path]);
    for (const entry of this.#entries()) {
      const key = keyOf(entry);
      const change = changes.get(key);
      if (entry.type === 'undone') changes.delete(key);
      else if (entry.type === 'after' && change) change.after = entry.hash;
      else if (entry.type === 'before' && !change) {
        const { turn, path: file, hash, mode } = entry;
        changes.set(key, { turn, path: file, before: hash, ...(mode !== undefined && { mode }) });
      }
    }
    const open = [...changes.values()].filter((change) => change.before !== change.after);
    const turn = open.at(-1)?.turn;
    return open.filter((change) => change.turn === turn);
  }

  #entries(): Entry[] {
    let text: string;
    try {
      text = fs.readFileSync(path.join(this.#folder, 'journal.jsonl'), 'utf8');
    } catch {
      return [];
    }
    return text.split('\n').flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as Entry];
      } catch {
        return [];
      }
    });
  }

  /** Keeps a content under its hash. A file there is whole: it got its name last. */
  #keep(content: Buffer): string {
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const hash = hashOf(content);
    const file = path.join(this.#folder, hash);
    if (!fs.existsSync(file)) {
      fs.writeFileSync(`${file}.new`, content, { mode: 0o600 });
      fs.renameSync(`${file}.new`, file);
    }
    return hash;
  }

  #note(entry: Entry): void {
    if (!this.#journal) {
      fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#journal = new LineFile(path.join(this.#folder, 'journal.jsonl'), 'a');
    }
    this.#journal.append(`${JSON.stringify(entry)}\n`);
  }

  #guarded(work: () => void): void {
    if (this.#isOff) return;
    try {
      work();
    } catch (error) {
      this.#isOff = true;
      this.#warn(`Changes of this session cannot be undone from here on: cannot write ${this.#folder} (${(error as Error).message}).`);
    }
  }
}

/**
 * Takes back the last turn of a session that changed files, from outside of it. Undefined where there is none. Throws FrostError
 * `failed` where a process is at work in the session.
 */
export function undoLastTurn(dir: string, session: string): UndoResult | undefined {
  const lock = takeLock(path.join(dir, `${session}.jsonl.lock`), session);
  const store = new UndoStore({ dir, session });
  try {
    return store.undo();
  } finally {
    store.close();
    lock.release();
  }
}
