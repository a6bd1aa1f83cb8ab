/** A regular expression from a stranger, run so that it can be stopped: some patterns take for ever on some lines. */
import vm from 'node:vm';
import { FrostError } from '../errors.js';

const TIMEOUT_MS = 2000;

/** Index of the text in the batch, index of the line in the text. */
export type LineHit = [text: number, line: number];

export interface LineMatcher {
  /** The first lines that match, at most `limit`. Throws FrostError where the pattern takes too long. */
  match(texts: readonly string[], limit: number): LineHit[];
}

/** `(?i)` at the start ignores case. Throws FrostError for a pattern that is no regular expression. */
export function lineMatcher(pattern: string): LineMatcher {
  const ignoreCase = pattern.startsWith('(?i)');
  const source = ignoreCase ? pattern.slice(4) : pattern;
  const context = vm.createContext(Object.create(null));
  Object.assign(context, { source, flags: ignoreCase ? 'i' : '' });
  try {
    vm.runInContext(PREPARE, context);
  } catch (error) {
    throw new FrostError('failed', `«${pattern}» is not a regular expression: ${(error as Error).message}`);
  }
  const script = new vm.Script('search(texts, limit)');
  return {
    match(texts, limit) {
      Object.assign(context, { texts: texts.join('\0'), limit });
      try {
        return JSON.parse(script.runInContext(context, { timeout: TIMEOUT_MS })) as LineHit[];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        throw new FrostError('failed', `«${pattern}» takes too long to match; write it without nested repetitions.`);
      }
    },
  };
}

/** Only strings cross the border in both directions. A text never holds a NUL, since binary files are not searched. */
const PREPARE = `
  const compile = () => { try { return new RegExp(source, flags + 'u'); } catch { return new RegExp(source, flags); } };
  const expression = compile();
  function search(texts, limit) {
    const hits = [];
    texts.split('\\0').forEach((text, index) => {
      if (hits.length >= limit) return;
      text.split('\\n').some((line, number) => expression.test(line) && hits.push([index, number]) >= limit);
    });
    return JSON.stringify(hits);
  }`;
