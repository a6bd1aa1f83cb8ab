/** What the chat holds beside the view: what is open over the prompt, and what was typed ahead. */
import type { ChildRow } from './view-state.js';

export interface Choice {
  id: string;
  label: string;
  /** Dim, behind the label. */
  note?: string;
}

/** Something that takes the keys instead of the prompt. */
export type Overlay =
  /** `search`: what was typed narrows the choices. `chosen`: index into the choices that match. */
  | { kind: 'picker'; title: string; choices: readonly Choice[]; search: string; chosen: number; canSearch: boolean }
  /** `reason`: the answer is no, and its reason is being written. */
  | { kind: 'approval'; chosen: number; reason?: string; scroll?: number }
  /** `scroll`: rows up from the end. */
  | { kind: 'child'; run: string; scroll: number }
  /** One line to fill in; `secret` is not shown. */
  | { kind: 'question'; title: string; text: string; secret: boolean; problem?: string };

export interface UiState {
  readonly overlay?: Overlay;
  /** One line that goes away with the next key. */
  readonly hint?: string;
  readonly queued: readonly string[];
  readonly stopping: boolean;
  /** A command of the person's own that takes its time. */
  readonly working?: { text: string; startedAt: number; canStop: boolean };
}

export const NEW_UI: UiState = { queued: [], stopping: false };

/** The choices of a picker that match what was typed: every word, anywhere. */
export function matching(overlay: Extract<Overlay, { kind: 'picker' }>): Choice[] {
  const words = overlay.search.toLowerCase().split(/\s+/).filter(Boolean);
  return overlay.choices.filter(({ label, note = '' }) => {
    const text = `${label} ${note}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Rows of a nested list, parents before their children, with their depth. */
export function nested(rows: readonly ChildRow[]): { row: ChildRow; depth: number }[] {
  const known = new Set(rows.map(({ run }) => run));
  const below = (parent: string | undefined, depth: number): { row: ChildRow; depth: number }[] =>
    rows
      .filter((row) => (row.parent !== undefined && known.has(row.parent) ? row.parent : undefined) === parent)
      .flatMap((row) => [{ row, depth }, ...below(row.run, depth + 1)]);
  return below(undefined, 0);
}
