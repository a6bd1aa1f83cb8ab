/** When frames are drawn: at once for a key, seldom enough while text streams, steadily while something is at work. */

/** Frames while text streams: 15 a second, fewer where drawing one takes long, so that drawing never takes the machine. */
const FRAME_MS = 66;
const SLOWEST_FRAME_MS = 120;
/** The pause before the next frame, in times of what the last ones took. */
const REST_PER_WORK = 15;
/** How often the spinner moves. */
const TICK_MS = 120;

export class Frames {
  readonly #draw: () => void;
  #timer: NodeJS.Timeout | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #lastAt = 0;
  #gap = FRAME_MS;
  #stopped = false;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Draws at once (in this turn of the event loop), or when the next frame is due; what happens until then is one frame. */
  schedule(when: 'soon' | 'now'): void {
    if (this.#stopped) return;
    if (when === 'now' && this.#timer) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.#timer ??= setTimeout(() => this.draw(), when === 'now' ? 0 : Math.max(0, this.#lastAt + this.#gap - Date.now()));
  }

  /** Draws again and again while something moves. */
  tick(isMoving: boolean): void {
    if (!isMoving || this.#stopped) {
      clearInterval(this.#ticker);
      this.#ticker = undefined;
    } else this.#ticker ??= setInterval(() => this.schedule('soon'), TICK_MS);
  }

  draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#stopped) return;
    this.#lastAt = Date.now();
    const startedAt = performance.now();
    this.#draw();
    const took = performance.now() - startedAt;
    this.#gap = Math.min(SLOWEST_FRAME_MS, Math.max(FRAME_MS, (this.#gap + REST_PER_WORK * took) / 2));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.tick(false);
  }
}
