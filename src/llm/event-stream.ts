import { createParser } from 'eventsource-parser';
import { LikeFrames } from './like-frames.js';

/** What one network read brought, beside the frames that were handed on. */
export interface FrameBatch {
  /** How many data frames it held. */
  frames: number;
  /** `[DONE]` has been read. */
  done: boolean;
  /** Text that looked like JSON and was none: the frame was damaged. */
  damaged?: string;
}

/** Text kept of a body that is no event stream, to read it as JSON or to quote it. */
const MAX_RAW = 16_000_000;

/** Bytes of a body to data frames. Also reads JSON lines without `data:`, and keeps a body that is no event stream. */
export class EventStreamReader {
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: ({ data, event }) => this.#event(data, event) });
  readonly #like = new LikeFrames();
  #batch: FrameBatch = { frames: 0, done: false };
  readonly #accept: (frame: unknown) => void;
  #sawEvent = false;
  #raw = '';

  /** @param accept is given the parsed JSON of each data frame, in order, as it is read: a long answer is never held as objects. */
  constructor(accept: (frame: unknown) => void) {
    this.#accept = accept;
  }

  /** True where at least one event was read. */
  get isEventStream(): boolean {
    return this.#sawEvent;
  }

  /** The body so far, as long as no event was read. */
  get raw(): string {
    return this.#raw;
  }

  read(bytes: Uint8Array): FrameBatch {
    return this.#feed(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The body has ended: a last event without its blank line counts. */
  end(): FrameBatch {
    const batch = this.#feed(`${this.#decoder.decode()}\n\n`);
    if (!this.#sawEvent) this.#handOn(jsonIn(this.#raw.trim()));
    return batch;
  }

  #feed(text: string): FrameBatch {
    this.#batch = { frames: 0, done: false };
    if (!this.#sawEvent && this.#raw.length < MAX_RAW) this.#raw += text;
    this.#parser.feed(text);
    if (this.#sawEvent) this.#raw = '';
    return this.#batch;
  }

  #event(data: string, event: string | undefined): void {
    const text = data.trim();
    if (text === '') return;
    this.#sawEvent = true;
    if (text === '[DONE]') {
      this.#batch.done = true;
      return;
    }
    if (event === undefined) {
      const like = this.#like.read(text);
      if (like !== undefined) {
        this.#batch.frames += 1;
        this.#accept(like);
        return;
      }
    }
    const frames = jsonIn(text);
    if (event === 'error') this.#handOn([{ error: frames[0] ?? text }]);
    else if (frames.length > 0) {
      this.#handOn(frames);
      if (event === undefined && frames.length === 1) this.#like.learn(text, frames[0]);
    } else if (/^[[{]/.test(text)) this.#batch.damaged ??= text;
  }

  #handOn(frames: unknown[]): void {
    this.#batch.frames += frames.length;
    for (const frame of frames) this.#accept(frame);
  }
}

/** One JSON value, or one a line (servers that leave out the blank line between events). */
function jsonIn(text: string): unknown[] {
  const whole = parsed(text);
  if (whole !== undefined) return [whole];
  const lines = text.split('\n').filter((line) => line.trim() !== '' && line.trim() !== '[DONE]');
  const values = lines.map(parsed);
  return lines.length > 0 && values.every((value) => value !== undefined) ? values : [];
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
