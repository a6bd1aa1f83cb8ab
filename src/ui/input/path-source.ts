/** Names of files and folders for `@`, from a walk that goes on behind the keys. */
import { ranked } from './completion.js';

/** A walk is trusted this long (ms). */
const FRESH_MS = 5_000;
/** A key waits at most this long (ms) for a walk; it gets what was found until then. */
const WAIT_MS = 120;
const MOST_NAMES = 50_000;
const MOST_ANSWERS = 50;

/**
 * Answers what was typed with the best names. `walk` yields files relative to the folder, `/` between the parts, without
 * those that git ignores; the folders on the way are names too, with a `/` at their end.
 */
export function pathSource(walk: () => AsyncIterable<string>, now: () => number = Date.now): (typed: string) => Promise<string[]> {
  let names = new Set<string>();
  let startedAt = Number.NEGATIVE_INFINITY;
  let walking: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    const fresh = new Set<string>();
    if (names.size === 0) names = fresh;
    try {
      for await (const file of walk()) {
        for (let at = file.indexOf('/'); at >= 0; at = file.indexOf('/', at + 1)) fresh.add(file.slice(0, at + 1));
        if (fresh.add(file).size > MOST_NAMES) break;
      }
      names = fresh;
    } catch {
      // A folder that cannot be read has no names to offer.
    }
    walking = undefined;
  }

  return async (typed) => {
    if (!walking && now() - startedAt > FRESH_MS) {
      startedAt = now();
      walking = refresh();
    }
    if (walking) await Promise.race([walking, new Promise((resolve) => setTimeout(resolve, WAIT_MS))]);
    return ranked([...names], typed.replace(/^\.\//, ''), (name) => name, MOST_ANSWERS);
  };
}
