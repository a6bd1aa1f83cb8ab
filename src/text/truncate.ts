/** Keeping long texts short without breaking a character. Sizes are in bytes of UTF-8. */

/** What a tool may hand to the model, in bytes (64 KiB, as FrostAgent has it). */
export const TOOL_TEXT_BYTES = 64 * 1024;

/** `text` from its start, at most `bytes` long, ending at a whole character. */
export function headBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return text;
  let end = bytes;
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return buffer.toString('utf8', 0, end);
}

/** `text` from its end, at most `bytes` long, beginning at a whole character. */
export function tailBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return text;
  let start = buffer.length - bytes;
  while (start < buffer.length && ((buffer[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return buffer.toString('utf8', start);
}

/** Caps `text`: head and tail are kept, a line between them says how much is left out. `bytes` is the whole length. */
export function capText(text: string, most = TOOL_TEXT_BYTES): { text: string; truncated: boolean; bytes: number } {
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return { text, truncated: false, bytes };
  const share = Math.floor((most - 100) / 2);
  const [head, tail] = [headBytes(text, share), tailBytes(text, share)];
  const left = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return { text: `${head}\n[… ${left} of ${bytes} bytes left out …]\n${tail}`, truncated: true, bytes };
}

/** The first line of `text`, at most `length` characters, with an ellipsis where something is missing. */
export function firstLine(text: string, length = 100): string {
  const whole = text.trim();
  const line = whole.split('\n', 1)[0] ?? '';
  const characters = Array.from(line);
  if (characters.length <= length && line === whole) return line;
  return `${characters.slice(0, length - 1).join('')}…`;
}
