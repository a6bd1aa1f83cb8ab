/** Places for work side by side: whoever finds none free waits its turn, in order, or until its signal aborts. */
export class Slots {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves to the function that gives the place back; after an abort it resolves at once, holding none. */
  async take(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return () => {};
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#turn(signal))) return () => {};
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }

  #turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== enter);
        resolve(false);
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
