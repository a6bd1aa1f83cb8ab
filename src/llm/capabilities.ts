import fs from 'node:fs';
import path from 'node:path';
import { type Compat, type CompatSettings, compatByHand, readCompat } from './compat.js';

/** A server is updated, a model gains a template: what was learned is asked again after a week. */
const EXPIRES_MS = 7 * 24 * 3600 * 1000;

interface Entry {
  compat: Compat;
  /** Which of the possible base URLs answers. */
  base?: number;
  /** When it was learned, ms since the epoch. */
  at: number;
}

interface CacheFile {
  version: 1;
  entries: Record<string, Entry>;
}

/** What was learned in this process, by file (or none) and by endpoint and model. */
const learned = new Map<string, Map<string, Entry>>();

function readCache(file: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  try {
    const content = JSON.parse(fs.readFileSync(file, 'utf8')) as CacheFile;
    if (content.version !== 1) return entries;
    for (const [id, entry] of Object.entries(content.entries)) {
      if (!(Date.now() - entry.at < EXPIRES_MS)) continue;
      entries.set(id, {
        at: entry.at,
        compat: readCompat({ ...entry.compat }),
        ...(typeof entry.base === 'number' && { base: entry.base }),
      });
    }
  } catch {
    // No file, or one that cannot be read: everything is learned anew.
  }
  return entries;
}

/** What one model at one endpoint is known to understand: set by hand first, then learned. */
export class Capabilities {
  readonly #file: string | undefined;
  readonly #id: string;
  readonly #byHand: Compat;
  readonly #entries: Map<string, Entry>;
  /** What is wrong with the settings by hand, until it has been said. */
  #problems: string[] = [];

  constructor(settings: CompatSettings, file: string | undefined, endpoint: string, model: string) {
    this.#file = file;
    this.#id = `${endpoint.replace(/\/+$/, '')} ${model}`;
    this.#byHand = compatByHand(settings, endpoint, model, (text) => this.#problems.push(text));
    const known = learned.get(file ?? '');
    this.#entries = known ?? (file ? readCache(file) : new Map());
    if (!known) learned.set(file ?? '', this.#entries);
  }

  get compat(): Compat {
    return { ...this.#entries.get(this.#id)?.compat, ...this.#byHand };
  }

  /** What is wrong with the settings by hand, told once. */
  takeProblems(): string[] {
    const problems = this.#problems;
    this.#problems = [];
    return problems;
  }

  get base(): number {
    return this.#entries.get(this.#id)?.base ?? 0;
  }

  /** Is this field set by hand? Then a refusal is not worked around. */
  isByHand(field: keyof Compat): boolean {
    return Object.hasOwn(this.#byHand, field);
  }

  learn(change: { compat?: Compat; base?: number }): void {
    const known = this.#entries.get(this.#id);
    const base = change.base ?? known?.base;
    this.#entries.set(this.#id, { compat: { ...known?.compat, ...change.compat }, at: Date.now(), ...(base !== undefined && { base }) });
    this.#write();
  }

  /** Another process may have learned something since: its entries stay. A file that cannot be written costs only the memory. */
  #write(): void {
    if (this.#file === undefined) return;
    const all = Object.fromEntries([...readCache(this.#file), ...this.#entries]);
    const temporary = `${this.#file}.${process.pid}`;
    try {
      fs.mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      fs.writeFileSync(temporary, `${JSON.stringify({ version: 1, entries: all } satisfies CacheFile, null, 1)}\n`, { mode: 0o600 });
      fs.renameSync(temporary, this.#file);
    } catch {
      fs.rm(temporary, { force: true }, () => {});
    }
  }
}

/** Forgets what this process has learned; the next model reads the file again. */
export function forgetLearned(): void {
  learned.clear();
}
