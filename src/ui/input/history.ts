/** Earlier inputs: a walk through them that keeps the draft, and a search from the newest back. Pure. */
import { type EditorState, withText } from './editor.js';

/** A walk through earlier inputs; `entries` is oldest first. */
export interface History {
  readonly entries: readonly string[];
  /** Where the walk is; undefined while the draft is in the editor. */
  readonly at: number | undefined;
  readonly draft: EditorState | undefined;
}

export const noHistory: History = { entries: [], at: undefined, draft: undefined };

/** The history with one more input; one that repeats the newest is not kept twice. The walk ends. */
export function withEntry({ entries }: History, text: string): History {
  const isNew = text.trim() !== '' && entries.at(-1) !== text;
  return { entries: isNew ? [...entries, text] : entries, at: undefined, draft: undefined };
}

export interface Walked {
  history: History;
  editor: EditorState;
}

/** The next older input that differs from what is shown; undefined at the oldest. */
export function older(history: History, editor: EditorState): Walked | undefined {
  let at = (history.at ?? history.entries.length) - 1;
  while (at >= 0 && history.entries[at] === editor.text) at--;
  const text = history.entries[at];
  if (text === undefined) return undefined;
  const draft = history.at === undefined ? editor : history.draft;
  return { history: { ...history, at, draft }, editor: withText(editor, text) };
}

/** The next newer input, and after the newest the draft; undefined where no walk is on. */
export function newer(history: History, editor: EditorState): Walked | undefined {
  if (history.at === undefined) return undefined;
  const at = history.at + 1;
  const text = history.entries[at];
  if (text !== undefined) return { history: { ...history, at }, editor: withText(editor, text) };
  return { history: { ...history, at: undefined, draft: undefined }, editor: history.draft ?? withText(editor, '') };
}

/** Inputs that contain every word of the query, newest first, each once. */
export function search(entries: readonly string[], query: string, most: number): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Set<string>();
  for (let at = entries.length - 1; at >= 0 && found.size < most; at--) {
    const entry = entries[at] as string;
    const text = entry.toLowerCase();
    if (words.every((word) => text.includes(word))) found.add(entry);
  }
  return [...found];
}
