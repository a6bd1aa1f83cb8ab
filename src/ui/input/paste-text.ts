import { stripVTControlCharacters } from 'node:util';

/** Pasted bytes as text: line ends become `\n`, escape sequences and control characters are dropped, tabs stay. */
export function cleanPaste(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n');
  const plain = lines.includes('\x1b') || lines.includes('\x9b') ? stripVTControlCharacters(lines) : lines;
  return plain.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}
