/** What ends a run from outside: signals, `--timeout`, the reader of the pipe. One AbortSignal, and the verdict that goes with it. */
import { setMaxListeners } from 'node:events';
import { type ErrorKind, exitCodeOf, FrostError } from '../errors.js';
import type { Verdict } from '../print/result-object.js';

const SIGNALS: [NodeJS.Signals, ErrorKind][] = [
  ['SIGINT', 'interrupted'],
  ['SIGTERM', 'terminated'],
  ['SIGHUP', 'hangup'],
];

/** How long a stopped run may take to end in order. ms. */
const GRACE_MS = 500;

export class Interrupts {
  readonly #controller = new AbortController();
  readonly #handlers: [NodeJS.Signals, () => void][];
  #timer: NodeJS.Timeout | undefined;
  #reason: FrostError | undefined;

  constructor() {
    setMaxListeners(0, this.#controller.signal);
    this.#handlers = SIGNALS.map(([name, kind]) => [name, () => this.#onSignal(kind)]);
    for (const [name, handler] of this.#handlers) process.on(name, handler);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The verdict, once something ended the run. */
  get verdict(): Verdict | undefined {
    const reason = this.#reason;
    return reason && { exit: reason.exitCode, error: reason.toFailure() };
  }

  abort(reason: FrostError): void {
    this.#reason ??= reason;
    this.#controller.abort(reason);
    // A reader that went away, or a signal, waits for nobody: what does not end in order is ended.
    setTimeout(() => process.exit(this.#reason?.exitCode ?? 1), GRACE_MS).unref();
  }

  startTimeout(seconds: number | undefined): void {
    if (seconds === undefined) return;
    this.#timer = setTimeout(
      () => this.abort(new FrostError('timeout', `stopped after ${seconds} s (--timeout).`, { limit: 'timeout', seconds })),
      seconds * 1000,
    );
  }

  release(): void {
    clearTimeout(this.#timer);
    for (const [name, handler] of this.#handlers) process.off(name, handler);
  }

  #onSignal(kind: ErrorKind): void {
    if (this.#reason) process.exit(exitCodeOf(kind));
    this.abort(new FrostError(kind, 'stopped before the answer was complete.'));
  }
}
