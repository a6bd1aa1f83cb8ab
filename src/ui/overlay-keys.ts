/** Keys in what is open over the prompt: choices to pick from, and one line to fill in. Pure. */
import type { InputEvent, KeyEvent } from './input/input-events.js';
import { type Choice, matching, type Overlay } from './ui-state.js';

type Picker = Extract<Overlay, { kind: 'picker' }>;
type Question = Extract<Overlay, { kind: 'question' }>;

const PAGE = 8;

export const keyOf = (key: KeyEvent): string => `${key.ctrl ? 'ctrl+' : ''}${key.alt ? 'alt+' : ''}${key.name}`;

/** What the key types into a line. */
const typedBy = (event: InputEvent): string | undefined => {
  if (event.kind === 'paste') return event.text.trim().replace(/\s+/g, ' ');
  return event.kind === 'key' && !event.ctrl && !event.alt ? event.text : undefined;
};

/** `text` after the event, as a one-line field: typing, pasting, Backspace, Ctrl+U. */
export function lineAfter(text: string, event: InputEvent): string {
  const typed = typedBy(event);
  if (typed !== undefined) return text + typed;
  if (event.kind !== 'key') return text;
  if (keyOf(event) === 'backspace') return Array.from(text).slice(0, -1).join('');
  return keyOf(event) === 'ctrl+u' ? '' : text;
}

const STEPS: Record<string, number> = { up: -1, 'ctrl+p': -1, down: 1, 'ctrl+n': 1, tab: 1, pageup: -PAGE, pagedown: PAGE };

export type Picked = { overlay: Picker } | { picked: Choice | undefined };

export function pickerKey(overlay: Picker, event: InputEvent): Picked {
  const found = matching(overlay);
  if (event.kind === 'key') {
    const name = keyOf(event);
    const step = STEPS[name];
    if (name === 'escape') return { picked: undefined };
    if (name === 'enter') return found.length > 0 ? { picked: found[overlay.chosen] } : { overlay };
    if (step !== undefined) return { overlay: { ...overlay, chosen: Math.max(0, Math.min(found.length - 1, overlay.chosen + step)) } };
    const numbered = overlay.canSearch ? undefined : found[Number(event.text ?? Number.NaN) - 1];
    if (numbered) return { picked: numbered };
  }
  if (!overlay.canSearch) return { overlay };
  const search = lineAfter(overlay.search, event);
  return { overlay: search === overlay.search ? overlay : { ...overlay, search, chosen: 0 } };
}

export type Answered = { overlay: Question } | { answer: string | undefined };

export function questionKey(overlay: Question, event: InputEvent): Answered {
  const name = event.kind === 'key' ? keyOf(event) : '';
  if (name === 'escape') return { answer: undefined };
  if (name === 'enter') return { answer: overlay.text.trim() };
  return { overlay: { ...overlay, text: lineAfter(overlay.text, event) } };
}
