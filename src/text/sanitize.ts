/**
 * Text from models, tools and files is data, never instructions to the terminal: control characters and escape sequences
 * are taken out before it is drawn. The visible letters around them stay.
 */

/** CSI, OSC, DCS/SOS/PM/APC and two-character escapes, 7-bit and C1 forms, after ECMA-48. An unfinished string ends with the text. */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;

/** C0 but tab and newline, DEL, C1, and the marks that reorder text or hide in it. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]/g;

/** Whether `text` has anything for `forTerminal` to take out; most text has not. */
const SUSPECT = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]/;

/** `text` without control and escape sequences; CR LF becomes LF, a lone CR becomes LF too, so that nothing is overwritten. */
export function forTerminal(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(SEQUENCES, '').replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}

/** The same on one line: for names, arguments and other short facts. */
export function lineForTerminal(text: string): string {
  return forTerminal(text).replace(/[\n\t]+/g, ' ');
}

/** How much of an unfinished sequence is kept back while waiting for its end, in characters. */
const LONGEST_HELD = 4096;

/** An unfinished sequence, or the first half of CR LF, at the end of a piece. */
const UNFINISHED =
  /(?:\x1b(?:[ -/]*|\[[0-?]*[ -/]*|\][^\x07\x1b\x9c]*\x1b?|[PX^_][^\x1b\x9c]*\x1b?)|\x9b[0-?]*[ -/]*|\x9d[^\x07\x1b\x9c]*\x1b?|[\x90\x98\x9e\x9f][^\x1b\x9c]*\x1b?|\r)$/;

/** `forTerminal` for text that arrives in pieces, where a sequence may be cut anywhere. */
export class TerminalText {
  #held = '';

  /** The part of all that was pushed which is ready to be drawn. */
  push(piece: string): string {
    const text = this.#held + piece;
    const cut = UNFINISHED.exec(text)?.index ?? text.length;
    const isTooLong = text.length - cut > LONGEST_HELD;
    this.#held = isTooLong ? '' : text.slice(cut);
    return forTerminal(isTooLong ? text : text.slice(0, cut));
  }

  /** What is left at the end of the text. */
  end(): string {
    const rest = forTerminal(this.#held);
    this.#held = '';
    return rest;
  }
}
