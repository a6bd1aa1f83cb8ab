/**
 * A paste from a terminal without bracketed paste comes as a burst of keys. Where one read holds a line end with text
 * behind it, nobody typed that: the whole stretch is taken as a paste, so that its line ends do not send anything.
 */
import type { InputEvent, KeyEvent } from './input-events.js';

/** A read this soon (ms) after a burst goes on with it. */
const GOES_ON_MS = 20;

const isPlain = (key: KeyEvent) => !key.ctrl && !key.alt && !key.shift;

/** What the event adds to pasted text; undefined for a key that no text contains. */
function pastedText(event: InputEvent): string | undefined {
  if (event.kind !== 'key') return undefined;
  if (event.text !== undefined) return event.text;
  if (isPlain(event) && event.name === 'tab') return '\t';
  return isLineEnd(event) ? '\n' : undefined;
}

function isLineEnd(event: InputEvent | undefined): boolean {
  if (event?.kind !== 'key') return false;
  return (event.name === 'enter' && isPlain(event)) || (event.name === 'j' && event.ctrl && !event.alt);
}

/** The first event from `from` on that no text contains. */
function stretchEnd(events: readonly InputEvent[], from: number): number {
  let end = from;
  while (end < events.length && pastedText(events[end] as InputEvent) !== undefined) end++;
  return end;
}

function holdsBurst(stretch: readonly InputEvent[]): boolean {
  const lineEnd = stretch.findIndex(isLineEnd);
  return lineEnd >= 0 && stretch.slice(lineEnd + 1).some((event) => !isLineEnd(event));
}

export class BurstGuard {
  private lastBurst = Number.NEGATIVE_INFINITY;

  /** The events of one read, with a burst as one paste. `now` in ms. */
  fold(events: readonly InputEvent[], now: number): InputEvent[] {
    const goesOn = now - this.lastBurst <= GOES_ON_MS;
    const folded: InputEvent[] = [];
    for (let at = 0; at < events.length; ) {
      const end = stretchEnd(events, at);
      const stretch = events.slice(at, end);
      if (stretch.length > 0 && (goesOn || holdsBurst(stretch))) {
        this.lastBurst = now;
        folded.push({ kind: 'paste', text: stretch.map(pastedText).join('') });
      } else folded.push(...stretch);
      const next = events[end];
      if (next) folded.push(next);
      at = end + 1;
    }
    return folded;
  }
}
