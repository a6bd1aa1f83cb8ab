/** The search in earlier inputs that Ctrl+R opens. Pure. */
import { MENU_SIZE } from './candidates.js';
import type { EditorState } from './editor.js';
import { keyName, pressKey } from './editor-keys.js';
import { search } from './history.js';
import type { KeyEvent } from './input-events.js';

export interface Search {
  query: EditorState;
  /** What was found, newest first. */
  found: readonly string[];
  chosen: number;
}

export function searchFor(entries: readonly string[], query: EditorState): Search {
  return { query, found: search(entries, query.text, MENU_SIZE), chosen: 0 };
}

function chosenNext(searching: Search, step: 1 | -1): Search {
  return { ...searching, chosen: Math.max(0, Math.min(searching.found.length - 1, searching.chosen + step)) };
}

/**
 * The search after a key; `accepted` where it is over: the input to put into the prompt, undefined where the person left
 * it. Undefined for a key that means nothing in a search.
 */
export function searchAfter(
  searching: Search,
  event: KeyEvent,
  entries: readonly string[],
  width: number,
): Search | { accepted: string | undefined } | undefined {
  const name = keyName(event);
  if (['escape', 'ctrl+c', 'ctrl+g'].includes(name)) return { accepted: undefined };
  if (name === 'enter' || name === 'tab') return { accepted: searching.found[searching.chosen] };
  if (['ctrl+r', 'down', 'ctrl+n'].includes(name)) return chosenNext(searching, 1);
  if (['ctrl+s', 'up', 'ctrl+p'].includes(name)) return chosenNext(searching, -1);
  const outcome = pressKey(searching.query, event, width);
  return outcome && outcome !== 'send' ? searchFor(entries, outcome.state) : undefined;
}
