import fs from 'node:fs';

const WINDOW = 1024 * 1024;

/** A file read in large pieces: what lies close together is one read. */
export class FileWindow {
  readonly #fd: number;
  #buffer = Buffer.alloc(0);
  #start = 0;
  #filled = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** The bytes at `offset`, fewer at the file's end. They are valid until the next call. */
  bytes(offset: number, length: number): Buffer {
    if (offset < this.#start || offset + length > this.#start + this.#filled) this.#move(offset, length);
    const from = offset - this.#start;
    return this.#buffer.subarray(from, Math.min(from + length, this.#filled));
  }

  #move(offset: number, length: number): void {
    // A single record is read alone; the second one near it shows that more will follow.
    const follows = this.#filled > 0 && offset >= this.#start;
    const wanted = follows ? Math.max(length, WINDOW) : length;
    if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafe(wanted);
    this.#filled = fs.readSync(this.#fd, this.#buffer, 0, wanted, offset);
    this.#start = offset;
  }
}
