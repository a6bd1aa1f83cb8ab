import fs from 'node:fs';
import path from 'node:path';
import { summaryMessage } from '../agent/summary.js';
import type { TrimLimits } from '../agent/trim.js';
import type { Message } from '../llm/messages.js';
import { FileWindow } from './file-window.js';
import { recordOf, type SessionHeader, type SessionRecord } from './record.js';
import { type Entry, eachLine, entryOf } from './scan.js';
import { headerOf, withFile } from './tail.js';

const isMessage = (entry: Entry) => entry.type === 'message';

/** A child's run, as the session knows it. */
export interface ChildRun {
  run: string;
  name: string;
  task: string;
  model: string;
  host: string;
  /** The run id of the child that delegated it; absent where the main agent did. */
  parent?: string;
  /** How it ended; absent where the process ended first. */
  status?: string;
  started: number;
}

/** Shorter histories are read whole: a person may want to look back, or rewind. */
const READ_ANYWAY = 1000;
/** A record's own fields, and the most bytes that a character takes in JSON. */
const FRAME_BYTES = 250;
const CHARACTER_BYTES = 6;

/** The newest messages that requests within the limits could carry, with ample room. */
function newestWithin(messages: readonly Entry[], { maxMessages, maxChars }: TrimLimits): readonly Entry[] {
  const most = Math.max(READ_ANYWAY, 2 * (maxMessages ?? Number.POSITIVE_INFINITY));
  let chars = 2 * (maxChars ?? Number.POSITIVE_INFINITY);
  let from = messages.length;
  while (from > 0 && messages.length - from < most && (chars > 0 || messages.length - from < READ_ANYWAY)) {
    from -= 1;
    chars -= Math.max(0, ((messages[from]?.length ?? 0) - FRAME_BYTES) / CHARACTER_BYTES);
  }
  return messages.slice(from);
}

/**
 * A session as it is on disk. Loading reads every line's head and parses nothing else: records are read from the file when
 * they are asked for, so that the memory taken depends on what is looked at and not on the file's size.
 */
export class LoadedSession {
  readonly header: SessionHeader;
  readonly path: string;
  /** Heads of all records, in the order of the file. */
  readonly entries: readonly Entry[];
  /** What was damaged and passed over, each with its line number; grows where reading a record finds more. */
  readonly warnings: string[] = [];
  readonly #byId = new Map<string, number>();
  readonly #reported = new Set<number>();

  constructor(file: string) {
    this.path = file;
    const entries: Entry[] = [];
    let header: SessionHeader | undefined;
    withFile(file, path.basename(file, '.jsonl'), (fd) => {
      eachLine(fd, (line) => {
        if (!header) header = headerOf(line.bytes.toString(), file);
        else if (line.bytes.length > 0) this.#add(entryOf(line), line, entries);
      });
    });
    this.header = header ?? headerOf('', file);
    this.entries = entries;
  }

  /** The record that the conversation stands at, or null in an empty session. */
  get leaf(): string | null {
    return this.entries.findLast((entry) => entry.agent === undefined)?.id ?? null;
  }

  /** The name the user gave the session. */
  get title(): string | undefined {
    const entry = this.entries.findLast((candidate) => candidate.type === 'title');
    const title = entry && this.read(entry)?.['title'];
    return typeof title === 'string' ? title : undefined;
  }

  /** Records parsed one by one as they are taken, damaged ones left out. */
  *records(entries: readonly Entry[] = this.entries): Generator<SessionRecord> {
    const fd = fs.openSync(this.path, 'r');
    const window = new FileWindow(fd);
    try {
      for (const entry of entries) {
        const record = this.#readFrom(window, entry);
        if (record) yield record;
      }
    } finally {
      fs.closeSync(fd);
    }
  }

  /** One record, or undefined (with a warning) where its line is damaged. */
  read(entry: Entry): SessionRecord | undefined {
    return withFile(this.path, this.header.id, (fd) => this.#readFrom(new FileWindow(fd), entry));
  }

  entry(id: string): Entry | undefined {
    const index = this.#byId.get(id);
    return index === undefined ? undefined : this.entries[index];
  }

  /** The way from the first record to `leaf` (default: where the conversation stands), the main agent's records only. */
  pathTo(leaf: string | null = this.leaf): Entry[] {
    const way: Entry[] = [];
    let index = leaf === null ? undefined : this.#byId.get(leaf);
    while (index !== undefined) {
      const entry: Entry = this.entries[index] as Entry;
      way.push(entry);
      index = this.#before(entry, index);
    }
    return way.reverse();
  }

  /** The records on the way to `leaf`, parsed; damaged ones are left out. */
  recordsAt(leaf: string | null = this.leaf): SessionRecord[] {
    return this.#readAll(this.pathTo(leaf));
  }

  /**
   * The main agent's history at `leaf`, as the next request would go on from: what was compacted is its summary. With `limits`,
   * what is so old that no request within them could carry it is not read.
   */
  messagesAt(leaf: string | null = this.leaf, limits: TrimLimits = {}): Message[] {
    const way = this.pathTo(leaf);
    for (let at = way.length - 1; at >= 0; at--) {
      const compaction = way[at]?.type === 'compaction' ? this.read(way[at] as Entry) : undefined;
      if (typeof compaction?.['summary'] !== 'string') continue;
      const count = typeof compaction['kept'] === 'number' ? compaction['kept'] : 0;
      const kept = count > 0 ? way.slice(0, at).filter(isMessage).slice(-count) : [];
      return [summaryMessage(compaction['summary']), ...this.#messages([...kept, ...way.slice(at)])];
    }
    return this.#messages(newestWithin(way.filter(isMessage), limits));
  }

  /** A child's records, its `agent_start` first. */
  recordsOf(run: string): SessionRecord[] {
    const start = this.#starts().find((record) => record['run'] === run);
    return [
      ...(start ? [start] : []),
      ...this.#readAll(this.entries.filter((entry) => entry.agent === run && entry.type !== 'agent_start')),
    ];
  }

  /** A child's own messages. */
  messagesOf(run: string): Message[] {
    return this.#messages(this.entries.filter((entry) => entry.agent === run));
  }

  /** Every child of the session, nested ones included, in the order of their start. */
  children(): ChildRun[] {
    const ends = new Map(
      this.#readAll(this.entries.filter((entry) => entry.type === 'agent_end')).map((end) => [end['run'], end['status']]),
    );
    return this.#starts().map((start) => {
      const { run, name, task, model, host } = start as Record<string, unknown>;
      const status = ends.get(run);
      return {
        run: String(run),
        name: String(name),
        task: String(task),
        model: String(model),
        host: String(host),
        started: start.ts,
        ...(start.agent !== undefined && { parent: start.agent }),
        ...(status !== undefined && { status: String(status) }),
      };
    });
  }

  #starts(): SessionRecord[] {
    return this.#readAll(this.entries.filter((entry) => entry.type === 'agent_start'));
  }

  #messages(entries: readonly Entry[]): Message[] {
    return this.#readAll(entries.filter(isMessage)).flatMap((record) => (record.message ? [record.message] : []));
  }

  #readAll(entries: readonly Entry[]): SessionRecord[] {
    return entries.length > 0 ? [...this.records(entries)] : [];
  }

  #readFrom(window: FileWindow, entry: Entry): SessionRecord | undefined {
    try {
      const record = recordOf(JSON.parse(window.text(entry.offset, entry.length)));
      if (record) return record;
    } catch {
      // Reported below, like any other line that is no record.
    }
    this.#damaged(entry.line);
    return undefined;
  }

  #add(entry: Entry | undefined, line: { line: number; whole: boolean }, entries: Entry[]): void {
    if (entry) this.#byId.set(entry.id, entries.push(entry) - 1);
    else if (line.whole) this.#damaged(line.line);
    else this.warnings.push(`line ${line.line}, the last of the session, is cut off and was skipped`);
  }

  #damaged(line: number): void {
    if (this.#reported.has(line)) return;
    this.#reported.add(line);
    this.warnings.push(`line ${line} of the session is damaged and was skipped`);
  }

  /** The index of the record before this one: its parent, or where that was lost with a damaged line, the nearest older record. */
  #before(entry: Entry, index: number): number | undefined {
    if (entry.parent === null) return undefined;
    const parent = this.#byId.get(entry.parent);
    if (parent !== undefined && parent < index) return parent;
    const older = this.entries.slice(0, index).findLastIndex((candidate) => candidate.agent === undefined);
    return older < 0 ? undefined : older;
  }
}

/**
 * Loads a session. Throws FrostError: `input_missing` where there is none of this id, `config` for a newer version or a file
 * without a readable header, `input_unreadable` where the file cannot be read.
 */
export function loadSession(dir: string, id: string): LoadedSession {
  return new LoadedSession(path.join(dir, `${id}.jsonl`));
}
