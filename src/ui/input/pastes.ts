/**
 * A long paste stands in the editor as one character, drawn as a label, and becomes its text when the input is sent.
 * The stand-ins are private-use characters of the last plane, so that moving and deleting need no special case.
 */
import { type Language, sayIn } from '../lang/lang.js';

const FIRST = 0x100000;
const STAND_IN = /[\u{100000}-\u{10fffd}]/gu;
const MAX_LINES = 5;
const MAX_CHARACTERS = 600;

/** The words of a label, for the paste's number, its lines and its characters. */
export type PasteLabel = (number: number, lines: number, characters: number) => string;

function labelIn(language: Language): PasteLabel {
  const say = sayIn(language);
  return (number, lines, characters) =>
    lines > 1 ? say('paste.lines', { number, lines }) : say('paste.characters', { number, characters });
}

/** One function a language, so that a layout knows by it that nothing changed. */
export const pasteLabels: Record<Language, PasteLabel> = { en: labelIn('en'), zh: labelIn('zh') };

export function isLongPaste(text: string): boolean {
  return text.length > MAX_CHARACTERS || lineCount(text) > MAX_LINES;
}

export function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** The stand-in of the paste with this index. */
export function standIn(index: number): string {
  return String.fromCodePoint(FIRST + index);
}

/** Which paste a character stands for; undefined for any other character. */
export function pasteIndex(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0;
  return code >= FIRST ? code - FIRST : undefined;
}

/** Text from outside, in which nothing may look like a stand-in. */
export function withoutStandIns(text: string): string {
  return text.replace(STAND_IN, '\ufffd');
}

export function expandPastes(text: string, pastes: readonly string[]): string {
  return text.replace(STAND_IN, (character) => pastes[pasteIndex(character) ?? -1] ?? '');
}
