/**
 * The line editor: pure functions over its state. The cursor is an index into `text` (UTF-16) and always stands between
 * two characters as a person counts them.
 */
import { boundaryAt, nextBoundary, previousBoundary } from './graphemes.js';
import { cleanPaste } from './paste-text.js';
import { expandPastes, isLongPaste, standIn, withoutStandIns } from './pastes.js';
import { wordEnd, wordStart } from './words.js';

interface Snapshot {
  readonly text: string;
  readonly cursor: number;
}

export interface EditorState extends Snapshot {
  /** The texts of long pastes, in the order of their numbers; see pastes.ts. */
  readonly pastes: readonly string[];
  /** What was cut, the newest last. */
  readonly killRing: readonly string[];
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
  /** The column that up and down keep to. */
  readonly goal: number | undefined;
  /** What the last step was, where the next may join it. */
  readonly last: 'typing' | 'killing' | 'yanking' | undefined;
  /** Where the text that was last yanked begins, and its place in the kill ring. */
  readonly yanked: { start: number; ring: number } | undefined;
}

const MAX_UNDO = 300;
/** Code units that all of them may hold together. */
const MAX_UNDO_LENGTH = 10_000_000;
const MAX_RING = 32;

export const emptyEditor: EditorState = {
  text: '',
  cursor: 0,
  pastes: [],
  killRing: [],
  undo: [],
  redo: [],
  goal: undefined,
  last: undefined,
  yanked: undefined,
};

/** What the input means when it is sent: every long paste in full. */
export function fullText(state: EditorState): string {
  return expandPastes(state.text, state.pastes);
}

/** The steps that can be taken back, this state the newest: fewer of them where the text is long. */
function snapshots(state: EditorState): Snapshot[] {
  const most = Math.max(10, Math.min(MAX_UNDO, Math.floor(MAX_UNDO_LENGTH / (state.text.length + 1))));
  return [...state.undo.slice(1 - most), { text: state.text, cursor: state.cursor }];
}

/** The state after its text became `text`; the cursor is put on a boundary. */
function changed(state: EditorState, text: string, cursor: number, last?: EditorState['last'], join = false): EditorState {
  return {
    ...state,
    text,
    cursor: boundaryAt(text, cursor),
    undo: join ? state.undo : snapshots(state),
    redo: [],
    goal: undefined,
    last,
    yanked: undefined,
  };
}

/** The state with the cursor elsewhere; `cursor` must be a boundary. */
export function moved(state: EditorState, cursor: number, goal?: number): EditorState {
  return { ...state, cursor, goal, last: undefined, yanked: undefined };
}

export function insert(state: EditorState, text: string, last?: EditorState['last'], join = false): EditorState {
  const clean = withoutStandIns(text);
  return replaceRange(state, state.cursor, state.cursor, clean, last, join);
}

/** Puts `text` in place of a stretch, as a completion does; the cursor goes behind it. */
export function replaceRange(
  state: EditorState,
  from: number,
  to: number,
  text: string,
  last?: EditorState['last'],
  join = false,
): EditorState {
  return changed(state, state.text.slice(0, from) + text + state.text.slice(to), from + text.length, last, join);
}

/** One typed character: a word's characters are one step of undo. */
export function type(state: EditorState, text: string): EditorState {
  const join = state.last === 'typing' && !/\s/.test(text) && state.undo.length > 0;
  return insert(state, text, 'typing', join);
}

/** Pasted text: long text stands as one character until it is sent. */
export function paste(state: EditorState, text: string): EditorState {
  const clean = withoutStandIns(text);
  if (!isLongPaste(clean)) return insert(state, clean);
  const next = replaceRange(state, state.cursor, state.cursor, standIn(state.pastes.length));
  return { ...next, pastes: [...state.pastes, clean] };
}

/** Puts the text of the paste at the cursor, or right before it, in place of its label. */
export function unfoldPaste(state: EditorState): EditorState {
  for (const from of [previousBoundary(state.text, state.cursor), state.cursor]) {
    const to = nextBoundary(state.text, from);
    const short = state.text.slice(from, to);
    const full = expandPastes(short, state.pastes);
    if (full !== short) return replaceRange(state, from, to, full);
  }
  return state;
}

function remove(state: EditorState, from: number, to: number): EditorState {
  return from === to ? moved(state, state.cursor) : replaceRange(state, from, to, '');
}

export function deleteBackward(state: EditorState): EditorState {
  return remove(state, previousBoundary(state.text, state.cursor), state.cursor);
}

export function deleteForward(state: EditorState): EditorState {
  return remove(state, state.cursor, nextBoundary(state.text, state.cursor));
}

/** Cuts a stretch that ends or begins at the cursor; kills in a row are one entry of the ring. */
function kill(state: EditorState, from: number, to: number): EditorState {
  if (from === to) return moved(state, state.cursor);
  const cut = state.text.slice(from, to);
  const join = state.last === 'killing';
  const newest = state.killRing.at(-1) ?? '';
  const entry = !join ? cut : to === state.cursor ? cut + newest : newest + cut;
  const killRing = [...(join ? state.killRing.slice(0, -1) : state.killRing), entry].slice(-MAX_RING);
  return { ...replaceRange(state, from, to, '', 'killing'), killRing };
}

export function lineStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

export function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

/** Cuts to the end of the line; at its end, the line break. */
export function killToEnd(state: EditorState): EditorState {
  const end = lineEnd(state.text, state.cursor);
  return kill(state, state.cursor, end === state.cursor ? Math.min(end + 1, state.text.length) : end);
}

/** Cuts to the start of the line; at its start, the line break before it. */
export function killToStart(state: EditorState): EditorState {
  const start = lineStart(state.text, state.cursor);
  return kill(state, start === state.cursor ? Math.max(0, start - 1) : start, state.cursor);
}

/** Cuts back to a space, as Ctrl+W does. */
export function killToSpace(state: EditorState): EditorState {
  const before = state.text.slice(0, state.cursor);
  return kill(state, before.length - (/\S*\s*$/.exec(before.slice(-4096))?.[0].length ?? 0), state.cursor);
}

export function killWordBackward(state: EditorState): EditorState {
  return kill(state, wordStart(state.text, state.cursor), state.cursor);
}

export function killWordForward(state: EditorState): EditorState {
  return kill(state, state.cursor, wordEnd(state.text, state.cursor));
}

export function yank(state: EditorState): EditorState {
  const text = state.killRing.at(-1);
  if (!text) return state;
  const start = state.cursor;
  const next = replaceRange(state, start, start, text, 'yanking');
  return { ...next, yanked: { start, ring: state.killRing.length - 1 } };
}

/** Puts the entry before in place of what was just yanked. */
export function yankOlder(state: EditorState): EditorState {
  if (state.last !== 'yanking' || !state.yanked || state.killRing.length < 2) return state;
  const ring = (state.yanked.ring + state.killRing.length - 1) % state.killRing.length;
  const next = replaceRange(state, state.yanked.start, state.cursor, state.killRing[ring] ?? '', 'yanking', true);
  return { ...next, yanked: { start: state.yanked.start, ring } };
}

export function undo(state: EditorState): EditorState {
  const before = state.undo.at(-1);
  if (!before) return state;
  const redo = [...state.redo, { text: state.text, cursor: state.cursor }];
  return { ...moved(state, 0), ...before, undo: state.undo.slice(0, -1), redo };
}

export function redo(state: EditorState): EditorState {
  const after = state.redo.at(-1);
  if (!after) return state;
  return { ...moved(state, 0), ...after, undo: snapshots(state), redo: state.redo.slice(0, -1) };
}

/** A new text with the cursor at its end, as history and an outside editor give one; undo goes back to the old one. */
export function withText(state: EditorState, text: string): EditorState {
  const clean = cleanPaste(withoutStandIns(text));
  return changed(state, clean, clean.length);
}

/** An empty editor that still knows what was cut. */
export function cleared(state: EditorState): EditorState {
  return { ...emptyEditor, killRing: state.killRing.map((entry) => expandPastes(entry, state.pastes)) };
}
