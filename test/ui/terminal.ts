/** A terminal to draw on: xterm without a window. Gives back what a person would see, scrollback and all. */
import headless from '@xterm/headless';

export class TestTerminal {
  readonly #xterm: InstanceType<typeof headless.Terminal>;
  readonly #columns: { columns: number; rows: number };
  readonly reflow = 'xterm.js';
  bytes = 0;
  written = '';

  constructor(columns: number, rows: number) {
    this.#columns = { columns, rows };
    this.#xterm = new headless.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
  }

  write(text: string): void {
    this.bytes += Buffer.byteLength(text);
    this.written += text;
    this.#xterm.write(text);
  }

  size(): { columns: number; rows: number } {
    return this.#columns;
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.settled();
    Object.assign(this.#columns, { columns, rows });
    this.#xterm.resize(columns, rows);
  }

  settled(): Promise<void> {
    return new Promise((done) => this.#xterm.write('', done));
  }

  /** Logical lines, from the top of the scrollback to the last one that is not empty. */
  async lines(): Promise<string[]> {
    await this.settled();
    const buffer = this.#xterm.buffer.active;
    const out: string[] = [];
    for (let at = 0; at < buffer.length; at += 1) {
      const line = buffer.getLine(at);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped && out.length > 0) out[out.length - 1] += text;
      else out.push(text);
    }
    while (out.at(-1) === '') out.pop();
    return out;
  }

  async cursor(): Promise<{ row: number; column: number }> {
    await this.settled();
    const buffer = this.#xterm.buffer.active;
    return { row: buffer.baseY + buffer.cursorY, column: buffer.cursorX };
  }
}
