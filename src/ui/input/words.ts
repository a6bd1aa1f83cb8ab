/** Words, for Alt+B and its kin: letters and digits by the language's rules, so that Chinese words are found too. */
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Words are looked for this far from the cursor. */
const REACH = 256;

/** The start of the word at or before the cursor. */
export function wordStart(text: string, cursor: number): number {
  let from = Math.max(0, cursor - REACH);
  if (from > 0 && (text.charCodeAt(from) & 0xfc00) === 0xdc00) from--;
  let start = from;
  for (const { index, isWordLike } of segmenter.segment(text.slice(from, cursor))) {
    if (isWordLike) start = from + index;
  }
  return start;
}

/** The end of the word at or after the cursor. */
export function wordEnd(text: string, cursor: number): number {
  for (const { segment, index, isWordLike } of segmenter.segment(text.slice(cursor, cursor + REACH))) {
    if (isWordLike) return cursor + index + segment.length;
  }
  return Math.min(text.length, cursor + REACH);
}
