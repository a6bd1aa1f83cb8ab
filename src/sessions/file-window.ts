import { isAscii } from 'node:buffer';
import fs from 'node:fs';

/** As text of this size lies outside of the heap, parsing a slice of it copies nothing. */
const WINDOW = 2 * 1024 * 1024;

/** Texts of a file, read and decoded in large pieces: what lies close together is one read. */
export class FileWindow {
  readonly #fd: number;
  #buffer = Buffer.alloc(0);
  #start = 0;
  #filled = 0;
  /** The whole window, where a character is a byte. */
  #ascii: string | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** The text of the bytes at `offset`, fewer at the file's end. */
  text(offset: number, length: number): string {
    if (offset < this.#start || offset + length > this.#start + this.#filled) this.#move(offset, length);
    const from = offset - this.#start;
    const to = Math.min(from + length, this.#filled);
    return this.#ascii?.slice(from, to) ?? this.#buffer.toString('utf8', from, to);
  }

  #move(offset: number, length: number): void {
    // A single record is read alone; the second one near it shows that more will follow.
    const follows = this.#filled > 0 && offset >= this.#start;
    const wanted = follows ? Math.max(length, WINDOW) : length;
    if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafe(wanted);
    this.#filled = fs.readSync(this.#fd, this.#buffer, 0, wanted, offset);
    this.#start = offset;
    const filled = this.#buffer.subarray(0, this.#filled);
    this.#ascii = isAscii(filled) ? filled.toString('latin1') : undefined;
  }
}
