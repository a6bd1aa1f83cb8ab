import type { ToolCall } from './messages.js';

interface Draft {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

interface Delta {
  index?: unknown;
  id?: unknown;
  name?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
  arguments?: unknown;
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Nine letters and digits: the strictest form of an id that a server is known to ask for. */
function newId(): string {
  return Array.from({ length: 9 }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('');
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const argumentsText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);

/** The form in which two calls are compared: JSON without regard to spaces. */
function plainArguments(call: Draft): string {
  try {
    return JSON.stringify(JSON.parse(call.arguments));
  } catch {
    return call.arguments;
  }
}

const isWholeJson = (json: string): boolean => {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
};

/** Builds tool calls from deltas as servers really send them: without index, with repeated ids and names, whole, or in pieces. */
export class ToolCallDeltas {
  #drafts: Draft[] = [];
  #started: string[] = [];

  get isEmpty(): boolean {
    return this.#drafts.length === 0;
  }

  get count(): number {
    return this.#drafts.length;
  }

  /** Names of the calls that began since the last time. */
  takeStarted(): string[] {
    const started = this.#started;
    this.#started = [];
    return started;
  }

  add(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const delta = value as Delta;
    const name = text(delta.function?.name) || text(delta.name);
    const args = argumentsText(delta.function?.arguments ?? delta.arguments);
    const id = text(delta.id) || (typeof delta.id === 'number' ? String(delta.id) : '');
    const index = typeof delta.index === 'number' ? delta.index : undefined;
    const draft = this.#draftFor(index, id, name) ?? this.#begin(index, id);
    if (name !== '' && draft.name === '') {
      draft.name = name;
      this.#started.push(name);
    } else if (name !== draft.name && name.startsWith(draft.name)) {
      draft.name = name; // a name that grows
    } else if (name !== '' && name !== draft.name && draft.arguments === '' && !draft.name.endsWith(name)) {
      draft.name += name; // a name in pieces
    }
    if (draft.id === '') draft.id = id;
    draft.arguments = joined(draft.arguments, args);
  }

  /** The draft that a delta continues, or undefined where it begins a call. */
  #draftFor(index: number | undefined, id: string, name: string): Draft | undefined {
    const last = this.#drafts.at(-1);
    if (index !== undefined) {
      const same = this.#drafts.findLast((draft) => draft.index === index);
      // Some servers send every call under index 0: a new id with a name of its own begins another one.
      const isOther = same && id !== '' && same.id !== '' && id !== same.id && name !== '';
      return isOther ? undefined : same;
    }
    if (!last) return undefined;
    if (id !== '') {
      const same = this.#drafts.findLast((draft) => draft.id === id);
      if (same) return name !== '' && same.arguments !== '' && isWholeJson(same.arguments) ? undefined : same;
      return last.id === '' && last.name === '' ? last : undefined;
    }
    const beginsAnother = name !== '' && last.name !== '' && (name !== last.name || isWholeJson(last.arguments));
    return beginsAnother ? undefined : last;
  }

  #begin(index: number | undefined, id: string): Draft {
    const draft: Draft = { index, id, name: '', arguments: '' };
    this.#drafts.push(draft);
    return draft;
  }

  /** True where every call has a name and arguments that are whole JSON (or none). */
  get isWhole(): boolean {
    return this.#drafts.every((draft) => draft.name !== '' && (draft.arguments.trim() === '' || isWholeJson(draft.arguments)));
  }

  /**
   * The calls, each with an id that is not in `taken` (which grows). A call that was sent again under another index, with the
   * same id, name and arguments, counts once.
   */
  finish(taken: Set<string>): ToolCall[] {
    const kept = this.#drafts.filter((draft, at) => {
      if (draft.name === '' && draft.arguments.trim() === '') return false;
      const same = (other: Draft) =>
        draft.id !== '' && other.id === draft.id && other.name === draft.name && plainArguments(other) === plainArguments(draft);
      return !this.#drafts.slice(0, at).some(same);
    });
    return kept.map((draft) => ({
      id: freeId(draft.id, taken),
      name: draft.name || 'unnamed',
      arguments: draft.arguments.trim() === '' ? '{}' : draft.arguments,
    }));
  }
}

export function freeId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  while (id === '' || taken.has(id)) id = newId();
  taken.add(id);
  return id;
}

/** Servers that repeat the whole arguments at the end would else give them twice. */
function joined(before: string, piece: string): string {
  if (before !== '' && piece === before && piece.length > 2 && isWholeJson(before)) return before;
  return before + piece;
}
