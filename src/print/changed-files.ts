/** The files that a run changed, its children's included, as `--output json` lists them. */
import type { AgentEvent } from '../agent/events.js';

export interface ChangedFile {
  /** Relative to the workspace. */
  path: string;
  /** Unified diffs, one a change, in their order. */
  diff: string;
  added: number;
  removed: number;
}

export class ChangedFiles {
  readonly #files = new Map<string, ChangedFile>();

  /** A reader of the event stream. */
  readonly sink = (event: AgentEvent): void => {
    if (event.type !== 'tool_end' || event.details?.kind !== 'diff') return;
    const { path, diff, added, removed } = event.details;
    const before = this.#files.get(path);
    if (!before) this.#files.set(path, { path, diff, added, removed });
    else this.#files.set(path, { path, diff: before.diff + diff, added: before.added + added, removed: before.removed + removed });
  };

  get list(): ChangedFile[] {
    return [...this.#files.values()];
  }
}
