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

  /** `onBroken` is called once, when nothing more can be written. */
  constructor(onBroken: (error: FrostError) => void) {
    this.#onBroken = onBroken;
    process.stdout.on('error', (error: NodeJS.ErrnoException) => this.#fail(error));
    process.stderr.on('error', () => {});
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
    process.stderr.write(this.#mask ? this.#mask.mask(text) : text);
  }

  /** A promise while more waits for the reader of stdout than memory should hold. */
  drained = (): Promise<void> | undefined => {
    if (this.broken || process.stdout.writableLength < MOST_WAITING) return undefined;
    return new Promise((resolve) => {
      const done = () => {
        process.stdout.off('drain', done).off('close', done).off('error', done);
        resolve();
      };
      process.stdout.once('drain', done).once('close', done).once('error', done);
    });
  };

  /** Resolves when all that was written is with the kernel. */
  async flush(): Promise<void> {
    this.#send(this.#masked?.end() ?? '');
    await Promise.all([this.broken ? undefined : written(process.stdout), written(process.stderr)]);
  }

  #send(text: string): void {
    if (text !== '' && !this.broken) process.stdout.write(text);
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
