const TAGS = ['think', 'thinking', 'reasoning'] as const;

/**
 * Parts a leading `<think>` block from the text of an answer, however the stream cuts it. Only a block at the very start counts:
 * a tag that comes later is text.
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
    const tag = TAGS.find((name) => start.startsWith(`<${name}>`));
    if (tag) {
      this.#state = 'inside';
      this.#close = `</${tag}>`;
      this.#held = start.slice(tag.length + 2);
    } else if (!TAGS.some((name) => `<${name}>`.startsWith(start))) {
      this.#state = 'text';
    }
  }

  #readInside(): string {
    const at = this.#held.indexOf(this.#close);
    if (at >= 0) {
      const reasoning = this.#held.slice(0, at);
      this.#held = this.#held.slice(at + this.#close.length);
      this.#state = 'after';
      return reasoning;
    }
    const keep = openEnd(this.#held, this.#close);
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

/** How many characters at the end of `text` may be the beginning of `mark`. */
function openEnd(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (mark.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
