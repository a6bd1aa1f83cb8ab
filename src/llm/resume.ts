import type { Message } from './messages.js';

const ASK = 'Your answer was cut off by a fault of the network. Go on exactly after its last character. Repeat nothing and add no remark.';

/** Enough characters to tell a repetition from a continuation. */
const LOOK = 48;

/** The conversation that asks for the rest of a text that was cut. */
export function withContinuation(messages: readonly Message[], text: string): Message[] {
  return [...messages, { role: 'assistant', content: text }, { role: 'user', content: ASK }];
}

/** Takes what the model repeats of the text before the cut out of what comes after it. */
export class Continuation {
  readonly #before: string;
  #held = '';
  #skip: string | undefined;
  #isOpen = true;

  constructor(before: string) {
    this.#before = before;
  }

  write(piece: string): string {
    if (!this.#isOpen && this.#skip === undefined) return piece;
    this.#held += piece;
    if (this.#isOpen && this.#held.length < LOOK) return '';
    return this.#release();
  }

  end(): string {
    const rest = this.#isOpen ? this.#release() : this.#held;
    this.#held = '';
    return rest;
  }

  #release(): string {
    if (this.#isOpen) {
      this.#isOpen = false;
      const isRestart = this.#held.length > 8 && this.#before.startsWith(this.#held.slice(0, LOOK));
      if (isRestart) this.#skip = this.#before;
      else this.#held = this.#held.slice(overlap(this.#before, this.#held));
    }
    if (this.#skip !== undefined) return this.#skipRestart(this.#skip);
    return this.#take();
  }

  /** The model began again: its text is dropped as far as it is the same. */
  #skipRestart(before: string): string {
    if (this.#held.length < before.length && before.startsWith(this.#held)) return '';
    let same = 0;
    while (same < before.length && before[same] === this.#held[same]) same++;
    this.#held = this.#held.slice(same);
    this.#skip = undefined;
    return this.#take();
  }

  #take(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }
}

/** Length of the longest end of `before` that `after` begins with; a few equal letters are chance, not repetition. */
function overlap(before: string, after: string): number {
  for (let length = Math.min(before.length, after.length); length >= 8; length--) {
    if (before.endsWith(after.slice(0, length))) return length;
  }
  return 0;
}
