/** Moves of the cursor. */
import { type EditorState, lineEnd, lineStart, moved } from './editor.js';
import { boundaryAt, nextBoundary, previousBoundary } from './graphemes.js';
import { indexAtColumn, layout, type Row } from './layout.js';
import type { PasteLabel } from './pastes.js';
import { wordEnd, wordStart } from './words.js';

export const left = (state: EditorState) => moved(state, previousBoundary(state.text, state.cursor));
export const right = (state: EditorState) => moved(state, nextBoundary(state.text, state.cursor));
export const toLineStart = (state: EditorState) => moved(state, lineStart(state.text, state.cursor));
export const toLineEnd = (state: EditorState) => moved(state, lineEnd(state.text, state.cursor));
export const toStart = (state: EditorState) => moved(state, 0);
export const toEnd = (state: EditorState) => moved(state, state.text.length);
export const wordLeft = (state: EditorState) => moved(state, boundaryAt(state.text, wordStart(state.text, state.cursor)));
export const wordRight = (state: EditorState) => moved(state, boundaryAt(state.text, wordEnd(state.text, state.cursor)));

/** One visual line up (-1) or down (1), in the same column as far as there is one; undefined where there is no such line. */
export function vertical(state: EditorState, step: -1 | 1, width: number, label?: PasteLabel): EditorState | undefined {
  const { rows, cursor } = layout(state, width, label);
  const target = rows[cursor.row + step];
  if (!target) return undefined;
  const goal = state.goal ?? cursor.column;
  return moved(state, indexInRow(state, rows, target, goal, label), goal);
}

/** The end of a row that was broken by width belongs to the next row; the last place in the row is before that. */
function indexInRow(state: EditorState, rows: readonly Row[], row: Row, column: number, label?: PasteLabel): number {
  const index = indexAtColumn(state, row, column, label);
  const next = rows[rows.indexOf(row) + 1];
  return next && next.start === index && index > row.start ? previousBoundary(state.text, index) : index;
}
