const TAGS = ['think', 'thinking', 'thought', 'reasoning'] as const;
const OPEN = new RegExp(`^<(${TAGS.join('|')})(?:\\s[^<>]*)?>`, 'i');
/** A tag whose attributes have not ended yet. */
const OPEN_CUT = new RegExp(`^<(?:${TAGS.join('|')})\\s[^<>]{0,200}$`, 'i');

/**
 * Parts a leading `<think>` block from the text of an answer, however the stream cuts it, in any case and with attributes.
 * Only a block at the very start counts: a tag that comes later is text.
 */
export class LeadingThink {
  #state: 'start' | 'inside' | 'after' | 'text' = 'start';
  #held = '';
  #close = '';

  /** True where the block was opened and not closed. */
  get isOpen(): boolean {
    return this.#state === 'inside';
  }

  write(piece: string): { text: string; reasoning: string } {
    if (this.#state === 'text') return { text: piece, reasoning: '' };
    this.#held += piece;
    let reasoning = '';
    if (this.#state === 'start') this.#open();
    if (this.#state === 'inside') reasoning = this.#readInside();
    return { text: this.#takeText(), reasoning };
  }

  /** What is still held back when the stream ends. */
  end(): { text: string; reasoning: string } {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'inside') return { text: '', reasoning: held };
    return { text: this.#state === 'after' ? held.trimStart() : held, reasoning: '' };
  }

  #open(): void {
    const start = this.#held.trimStart();
    const tag = OPEN.exec(start);
    if (tag?.[1]) {
      this.#state = 'inside';
      this.#close = `</${tag[1].toLowerCase()}>`;
      this.#held = start.slice(tag[0].length);
    } else if (!mayOpen(start)) {
      this.#state = 'text';
    }
  }

  #readInside(): string {
    const low = asciiLower(this.#held);
    const at = low.indexOf(this.#close);
    if (at >= 0) {
      const reasoning = this.#held.slice(0, at);
      this.#held = this.#held.slice(at + this.#close.length);
      this.#state = 'after';
      return reasoning;
    }
    const keep = openEnd(low, this.#close);
    const reasoning = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(this.#held.length - keep);
    return reasoning;
  }

  /** After the block the blank lines before the answer are dropped. */
  #takeText(): string {
    if (this.#state === 'start' || this.#state === 'inside') return '';
    const text = this.#state === 'after' ? this.#held.trimStart() : this.#held;
    this.#held = '';
    if (text !== '') this.#state = 'text';
    return text;
  }
}

/** Whether more of the stream may make `start` an opening tag. */
function mayOpen(start: string): boolean {
  const low = start.toLowerCase();
  return TAGS.some((name) => `<${name}>`.startsWith(low)) || OPEN_CUT.test(start);
}

/** Only ASCII, so that every character keeps its place. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** How many characters at the end of `text` may be the beginning of `mark`. */
function openEnd(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (mark.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
