/**
 * Notices a model that goes in circles. Two signs: one and the same call with one and the same result, and calls that
 * differ in numbers only. The first time, the model gets a note; when it goes on, the run ends as `limit`.
 */

/** The same call with the same result, one after the other. */
const SAME_TIMES = 3;

/** The same shape of call and result (digits aside), one after the other. */
const SHAPE_TIMES = 8;

export type GuardVerdict = { verdict: 'fine' } | { verdict: 'note'; note: string } | { verdict: 'stop'; reason: string };

interface Finished {
  name: string;
  arguments: string;
  result: string;
}

const shapeOf = (text: string) => text.replace(/\d+/g, '#');

/** Counts how often a fingerprint came in a row. */
class Streak {
  #last: string | undefined;
  count = 0;

  add(fingerprint: string): number {
    this.count = fingerprint === this.#last ? this.count + 1 : 1;
    this.#last = fingerprint;
    return this.count;
  }
}

export class LoopGuard {
  #same = new Streak();
  #shape = new Streak();

  /** Judges one model turn: all calls of one message together with their results. */
  check(calls: readonly Finished[]): GuardVerdict {
    const text = JSON.stringify(calls.map((call) => [call.name, call.arguments, call.result]));
    const same = this.#same.add(text);
    const shape = this.#shape.add(shapeOf(text));
    const names = [...new Set(calls.map((call) => call.name))].join(', ');
    if (same > SAME_TIMES) return { verdict: 'stop', reason: `called ${names} ${same} times with the same arguments and the same result` };
    if (shape > SHAPE_TIMES) return { verdict: 'stop', reason: `called ${names} ${shape} times in a row with nothing but numbers changed` };
    if (same === SAME_TIMES || shape === SHAPE_TIMES) {
      return {
        verdict: 'note',
        note: `Note: you have now made this call ${Math.max(same, shape)} times in a row without anything new coming of it. Do something else, or give your answer now; another repetition ends the run.`,
      };
    }
    return { verdict: 'fine' };
  }
}
