/** Which key does what in the editor: readline's keys, and those that every text field has. */
import * as editor from './editor.js';
import type { KeyEvent } from './input-events.js';
import * as motion from './motion.js';
import type { PasteLabel } from './pastes.js';

type Step = (state: editor.EditorState) => editor.EditorState;

const lineBreak: Step = (state) => editor.insert(state, '\n');

/** Modifiers stand before the name in the order ctrl, alt, shift. */
const STEPS: Record<string, Step> = {
  left: motion.left,
  right: motion.right,
  'ctrl+b': motion.left,
  'ctrl+f': motion.right,
  home: motion.toLineStart,
  end: motion.toLineEnd,
  'ctrl+a': motion.toLineStart,
  'ctrl+e': motion.toLineEnd,
  'ctrl+home': motion.toStart,
  'ctrl+end': motion.toEnd,
  'alt+<': motion.toStart,
  'alt+>': motion.toEnd,
  'alt+b': motion.wordLeft,
  'alt+f': motion.wordRight,
  'alt+left': motion.wordLeft,
  'alt+right': motion.wordRight,
  'ctrl+left': motion.wordLeft,
  'ctrl+right': motion.wordRight,
  backspace: editor.deleteBackward,
  'shift+backspace': editor.deleteBackward,
  'ctrl+h': editor.deleteBackward,
  delete: editor.deleteForward,
  'shift+delete': editor.deleteForward,
  'ctrl+d': editor.deleteForward,
  'ctrl+w': editor.killToSpace,
  'alt+backspace': editor.killWordBackward,
  'ctrl+backspace': editor.killWordBackward,
  'alt+d': editor.killWordForward,
  'alt+delete': editor.killWordForward,
  'ctrl+delete': editor.killWordForward,
  'ctrl+u': editor.killToStart,
  'ctrl+k': editor.killToEnd,
  'ctrl+y': editor.yank,
  'alt+y': editor.yankOlder,
  'ctrl+_': editor.undo,
  'ctrl+/': editor.undo,
  'alt+_': editor.redo,
  'alt+e': editor.unfoldPaste,
  'shift+enter': lineBreak,
  'alt+enter': lineBreak,
  'ctrl+enter': lineBreak,
  'ctrl+j': lineBreak,
};

/** A key as the table names it, for example `ctrl+alt+left`. Shift is left out where the character already says it. */
export function keyName(key: KeyEvent): string {
  const shift = key.shift && key.name.length > 1;
  return `${key.ctrl ? 'ctrl+' : ''}${key.alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${key.name}`;
}

/** `send`: Enter asked for it. `undefined`: the key is none of the editor's (Up in the first line, Tab, Escape …). */
export type Outcome = { state: editor.EditorState } | 'send' | undefined;

export function pressKey(state: editor.EditorState, key: KeyEvent, width: number, label?: PasteLabel): Outcome {
  if (key.text !== undefined && !key.ctrl && !key.alt) return { state: editor.type(state, key.text) };
  const name = keyName(key);
  if (name === 'enter') return state.text[state.cursor - 1] === '\\' ? { state: breakAtBackslash(state) } : 'send';
  if (name === 'ctrl+d' && state.text === '') return undefined;
  const step = STEPS[name];
  if (step) return { state: step(state) };
  const direction = name === 'up' || name === 'ctrl+p' ? -1 : name === 'down' || name === 'ctrl+n' ? 1 : undefined;
  const next = direction && motion.vertical(state, direction, width, label);
  return next && { state: next };
}

/** A backslash before Enter breaks the line, where no other key can. */
function breakAtBackslash(state: editor.EditorState): editor.EditorState {
  return editor.replaceRange(state, state.cursor - 1, state.cursor, '\n');
}
