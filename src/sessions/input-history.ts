/** What the person typed in earlier chats, over all sessions. */
import fs from 'node:fs';
import path from 'node:path';
import { FrostError } from '../errors.js';
import { LineFile } from './append.js';
import { type Lock, takeLock } from './lock.js';

export interface InputHistoryOptions {
  file: string;
  /** Masks the values of known keys in what is written. */
  mask?(text: string): string;
  /** How many entries are kept; the oldest go first. */
  most?: number;
}

const MOST_ENTRIES = 1000;
/** The file is shortened when it has grown past this many times what is kept. */
const SLACK = 2;
const LOCK_TRIES = 50;
const LOCK_PAUSE_MS = 4;

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A file in the state folder: one JSON line an entry, appended by every chat that runs. */
export class InputHistory {
  readonly #options: InputHistoryOptions;

  constructor(options: InputHistoryOptions) {
    this.#options = options;
  }

  /** The newest entries, oldest first, each text once (at its newest place). None where the file cannot be read. */
  entries(): string[] {
    const texts = this.#lines().flatMap((line) => textOf(line) ?? []);
    return [...new Set(texts.reverse())].slice(0, this.#most).reverse();
  }

  /** Adds an entry. A file system that refuses costs the entry and nothing else. */
  add(text: string): void {
    if (text.trim() === '') return;
    const { file, mask } = this.#options;
    const line = `${JSON.stringify({ ts: Date.now(), text })}\n`;
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      const lock = this.#lock();
      try {
        const lines = new LineFile(file, 'a');
        lines.append(mask?.(line) ?? line);
        lines.close();
        if (lock) this.#shorten();
      } finally {
        lock?.release();
      }
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
    }
  }

  get #most(): number {
    return this.#options.most ?? MOST_ENTRIES;
  }

  #lines(): string[] {
    try {
      return fs.readFileSync(this.#options.file, 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  }

  /** The lock is held for an append; whoever does not get it in time appends all the same, which is safe, and shortens nothing. */
  #lock(): Lock | undefined {
    for (let left = LOCK_TRIES; left > 0; left--) {
      try {
        return takeLock(`${this.#options.file}.lock`, 'input history');
      } catch (error) {
        if (!(error instanceof FrostError)) throw error;
        pause(LOCK_PAUSE_MS);
      }
    }
    return undefined;
  }

  #shorten(): void {
    const lines = this.#lines();
    if (lines.length <= this.#most * SLACK) return;
    const draft = `${this.#options.file}.new`;
    fs.writeFileSync(draft, lines.slice(-this.#most).join('\n').concat('\n'), { mode: 0o600 });
    fs.renameSync(draft, this.#options.file);
  }
}

function textOf(line: string): string | undefined {
  try {
    const text: unknown = (JSON.parse(line) as { text?: unknown } | null)?.text;
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
