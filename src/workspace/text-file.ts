/** Files as text: what is binary, which encoding, which line endings. */
/** True for content that is no text: a NUL byte near its start, UTF-16 with a byte order mark aside. */
export function isBinary(start: Buffer): boolean {
  return utf16Of(start) === undefined && start.subarray(0, 8192).includes(0);
}

/** The encoding that a UTF-16 byte order mark tells. */
export function utf16Of(start: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** Text with the byte order mark taken off; bytes that are no UTF-8 become U+FFFD. */
export function decode(content: Buffer): string {
  return new TextDecoder(utf16Of(content) ?? 'utf-8').decode(content);
}

/** A text file that can be changed and written back with its byte order mark as it was. */
export interface EditableText {
  text: string;
  bom: boolean;
  crlf: boolean;
}

/** Undefined where the content is not UTF-8, so that writing it back would damage it. */
export function editable(content: Buffer): EditableText | undefined {
  if (utf16Of(content) || isBinary(content)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    const bom = text.startsWith('\ufeff');
    const lineFeeds = text.match(/\n/g)?.length ?? 0;
    return { text: bom ? text.slice(1) : text, bom, crlf: lineFeeds > 0 && (text.match(/\r\n/g)?.length ?? 0) * 2 > lineFeeds };
  } catch {
    return undefined;
  }
}

export const encode = (text: string, bom: boolean) => Buffer.from(bom ? `\ufeff${text}` : text);
