/** stdout and stderr of the process: written in order, never cut off, and quiet when the reader has gone away. */
import { FrostError } from '../errors.js';
import { MaskedText, type SecretMask } from '../text/mask.js';

/** Characters that may wait for a slow reader before the model is made to wait too. */
const MOST_WAITING = 1024 * 1024;

export class Output {
  /** What stopped stdout: the reader went away, or the disk is full. */
  broken: FrostError | undefined;
  #mask: SecretMask | undefined;
  #masked: MaskedText | undefined;
  readonly #onBroken: (error: FrostError) => void;
  #isOutOpen = false;
  #isErrOpen = false;

  /** `onBroken` is called once, when nothing more can be written. */
  constructor(onBroken: (error: FrostError) => void) {
    this.#onBroken = onBroken;
  }

  /** Node opens a stream when it is first named, which takes 2 ms: not before the request is on its way. */
  get #out(): NodeJS.WriteStream {
    if (!this.#isOutOpen) process.stdout.on('error', (error: NodeJS.ErrnoException) => this.#fail(error));
    this.#isOutOpen = true;
    return process.stdout;
  }

  get #err(): NodeJS.WriteStream {
    if (!this.#isErrOpen) process.stderr.on('error', () => {});
    this.#isErrOpen = true;
    return process.stderr;
  }

  /** From now on the values of known keys are replaced by their names. */
  use(mask: SecretMask): void {
    this.#mask = mask;
    this.#masked = new MaskedText(mask);
  }

  write(text: string): void {
    if (this.broken) return;
    this.#send(this.#masked ? this.#masked.write(text) : text);
  }

  error(text: string): void {
    this.#err.write(this.#mask ? this.#mask.mask(text) : text);
  }

  /** A promise while more waits for the reader of stdout than memory should hold. */
  drained = (): Promise<void> | undefined => {
    if (this.broken || !this.#isOutOpen || this.#out.writableLength < MOST_WAITING) return undefined;
    return new Promise((resolve) => {
      const done = () => {
        this.#out.off('drain', done).off('close', done).off('error', done);
        resolve();
      };
      this.#out.once('drain', done).once('close', done).once('error', done);
    });
  };

  /** Resolves when all that was written is with the kernel. */
  async flush(): Promise<void> {
    this.#send(this.#masked?.end() ?? '');
    await Promise.all([this.#isOutOpen && !this.broken && written(this.#out), this.#isErrOpen && written(this.#err)]);
  }

  #send(text: string): void {
    if (text !== '' && !this.broken) this.#out.write(text);
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.broken) return;
    const isGone = error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'ECONNRESET';
    this.broken = isGone
      ? new FrostError('broken_pipe', '')
      : new FrostError('failed', `stdout could not be written: ${error.code === 'ENOSPC' ? 'no space left (ENOSPC)' : error.message}`);
    this.#onBroken(this.broken);
  }
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve();
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}
