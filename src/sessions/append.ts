/** An append-only file of whole lines. */
import fs from 'node:fs';

export class LineFile {
  readonly #fd: number;
  #endsInNewline: boolean;
  #isDirty = false;
  #syncing = false;
  #closing = false;

  /** Opens for appending only; the errors are those of the file system. `flag`: `ax` for a file that must be new. */
  constructor(file: string, flag: 'a' | 'ax') {
    this.#fd = fs.openSync(file, flag, 0o600);
    this.#endsInNewline = flag === 'ax' || isWhole(file);
  }

  /** Appends one line (with its newline) in one write where the system allows it. A torn line before it is closed first. */
  append(line: string | Buffer): void {
    const given = typeof line === 'string' ? Buffer.from(line) : line;
    const bytes = this.#endsInNewline ? given : Buffer.concat([Buffer.from('\n'), given]);
    this.#endsInNewline = false;
    this.#isDirty = true;
    for (let written = 0; written < bytes.length; ) written += fs.writeSync(this.#fd, bytes, written);
    this.#endsInNewline = true;
  }

  /** Brings what was appended to the disk, without waiting for it. */
  sync(): void {
    if (this.#syncing || this.#closing) return;
    this.#syncing = true;
    this.#isDirty = false;
    fs.fdatasync(this.#fd, () => {
      this.#syncing = false;
      if (this.#closing) fs.closeSync(this.#fd);
    });
  }

  /** Waits until what was appended is on the disk: the process may end right after. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    if (this.#isDirty || this.#syncing) this.#settle();
    if (!this.#syncing) fs.closeSync(this.#fd);
  }

  #settle(): void {
    try {
      fs.fdatasyncSync(this.#fd);
    } catch {
      // The lines are written; a file system that cannot be made to promise more is no failure of the session.
    }
  }
}

function isWhole(file: string): boolean {
  const fd = fs.openSync(file, 'r');
  try {
    const { size } = fs.fstatSync(fd);
    const last = Buffer.alloc(1);
    return size === 0 || (fs.readSync(fd, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
  } finally {
    fs.closeSync(fd);
  }
}
