import { Readable } from 'node:stream';

/**
 * The stdin that Ink is given: a terminal that never says anything. The bytes go to the key parser instead, because
 * Ink's own parser takes Backspace for Delete and types the rest of a sequence that came in two reads.
 */
export class InkInput extends Readable {
  readonly isTTY = true;

  override _read(): void {}

  setRawMode(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** As Ink's options want it. */
  asStdin(): NodeJS.ReadStream {
    return this as unknown as NodeJS.ReadStream;
  }
}
