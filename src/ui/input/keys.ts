/**
 * What a terminal sends, as events. `KeyParser` is incremental: bytes go in as they are read, in any cut, and the same
 * events come out. An unknown sequence is swallowed, never typed.
 */
import type { InputEvent, KeyEvent } from './input-events.js';
import { csiKey, linuxFunctionKey, ss3Key } from './key-sequences.js';
import { cleanPaste } from './paste-text.js';

/** What the parser waits for: nothing, whatever may follow an ESC, the rest of a sequence or character, or the end of a paste. */
export type Pending = 'nothing' | 'escape' | 'sequence' | 'paste';

const ESC = 0x1b;
const PASTE_END = Buffer.from('\x1b[201~');
/** A sequence longer than this is no key; it is dropped as it comes. */
const MAX_SEQUENCE = 4096;

const CONTROL_NAMES: Record<number, string> = { 0: 'space', 28: '\\', 29: ']', 30: '^', 31: '_' };

export function key(name: string, modifiers: Partial<Pick<KeyEvent, 'ctrl' | 'alt' | 'shift' | 'text'>> = {}): KeyEvent {
  return { kind: 'key', name, ctrl: false, alt: false, shift: false, ...modifiers };
}

/** A key that types `text`. */
export function typed(text: string): KeyEvent {
  if (text === ' ') return key('space', { text });
  const name = text.toLowerCase();
  return key(name, { shift: name !== text, text });
}

function controlKey(byte: number): KeyEvent {
  if (byte === 0x0d) return key('enter');
  if (byte === 0x09) return key('tab');
  if (byte === 0x7f || byte === 0x08) return key('backspace');
  if (byte === ESC) return key('escape');
  return key(CONTROL_NAMES[byte] ?? String.fromCharCode(byte + 0x60), { ctrl: true });
}

const isControl = (byte: number) => byte < 0x20 || byte === 0x7f;

/** Bytes of the UTF-8 character that begins with this byte; 0 where none does. */
function characterLength(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

/** How a string sequence (OSC, DCS, SOS, PM, APC) begins after its ESC. */
const STRING_OPENERS = new Set([0x5d, 0x50, 0x58, 0x5e, 0x5f]);

export class KeyParser {
  /** An unfinished escape sequence, from its ESC on. */
  private sequence: number[] = [];
  /** An unfinished UTF-8 character. */
  private character: number[] = [];
  private paste: Buffer[] | undefined;
  /** Bytes of an X10 mouse report still to be swallowed. */
  private mouse = 0;

  get pending(): Pending {
    if (this.paste) return 'paste';
    if (this.sequence.length === 0) return this.character.length > 0 || this.mouse > 0 ? 'sequence' : 'nothing';
    return this.sequence.every((byte) => byte === ESC) ? 'escape' : 'sequence';
  }

  push(bytes: Uint8Array): InputEvent[] {
    const events: InputEvent[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.paste) at = this.pasteBytes(bytes, at, events);
      else this.byte(bytes[at++] as number, events);
    }
    return events;
  }

  /** No more bytes came in time: a lone ESC was the key, `ESC [` was Alt+[, anything longer is given up. */
  flush(): InputEvent[] {
    if (this.paste) return [];
    const [sequence, events] = [this.sequence, [] as InputEvent[]];
    this.reset();
    if (sequence.length === 1) events.push(key('escape'));
    else if (sequence.length === 2) this.altKey(sequence[1] as number, events);
    return events;
  }

  /** Forgets whatever is unfinished, a paste without an end too. */
  reset(): void {
    this.sequence = [];
    this.character = [];
    this.mouse = 0;
    this.paste = undefined;
  }

  private byte(byte: number, events: InputEvent[]): void {
    if (this.mouse > 0) this.mouse--;
    else if (this.sequence.length > 0) this.sequenceByte(byte, events);
    else if (byte === ESC) {
      this.character = [];
      this.sequence = [ESC];
    } else this.textByte(byte, false, events);
  }

  private textByte(byte: number, alt: boolean, events: InputEvent[]): void {
    if (byte >= 0x80 && byte < 0xc0 && this.character.length > 0) this.character.push(byte);
    else if (isControl(byte)) {
      this.character = [];
      events.push({ ...controlKey(byte), alt });
      return;
    } else this.character = characterLength(byte) > 0 ? [byte] : [];
    if (this.character.length === 0 || this.character.length < characterLength(this.character[0] as number)) return;
    const text = Buffer.from(this.character).toString('utf8');
    this.character = [];
    if (/^[\u0080-\u009f\ufffd]/.test(text)) return;
    const event = typed(text);
    if (alt) delete event.text;
    events.push({ ...event, alt });
  }

  private altKey(byte: number, events: InputEvent[]): void {
    if (byte === ESC) events.push(key('escape', { alt: true }));
    else this.textByte(byte, byte < 0x80, events);
  }

  private sequenceByte(byte: number, events: InputEvent[]): void {
    const sequence = this.sequence;
    const opener = sequence[1];
    if (opener === undefined) this.afterEscape(byte, events);
    else if (opener === ESC) this.afterTwoEscapes(byte, events);
    else if (STRING_OPENERS.has(opener)) this.stringByte(byte, events);
    else if (opener === 0x4f) this.ss3Byte(byte, events);
    else this.csiByte(byte, events);
  }

  private afterEscape(byte: number, events: InputEvent[]): void {
    if (byte === 0x5b || byte === 0x4f || byte === ESC || STRING_OPENERS.has(byte)) this.sequence.push(byte);
    else {
      this.sequence = [];
      this.altKey(byte, events);
    }
  }

  /** rxvt writes Alt with an ESC before the whole sequence; otherwise the first ESC was a key of its own. */
  private afterTwoEscapes(byte: number, events: InputEvent[]): void {
    if (this.sequence.length === 2 && (byte === 0x5b || byte === 0x4f)) {
      this.sequence = [ESC, byte, -1];
      return;
    }
    events.push(key('escape'));
    this.sequence = [ESC];
    this.sequenceByte(byte, events);
  }

  private stringByte(byte: number, events: InputEvent[]): void {
    const previous = this.sequence.at(-1);
    if (byte === 0x07 || (previous === ESC && byte === 0x5c && this.sequence.length > 2)) this.sequence = [];
    else if (previous === ESC && this.sequence.length > 2) {
      this.sequence = [ESC];
      this.sequenceByte(byte, events);
    } else if (this.sequence.length < MAX_SEQUENCE || byte === ESC) this.sequence.push(byte);
  }

  private ss3Byte(byte: number, events: InputEvent[]): void {
    if (byte >= 0x30 && byte <= 0x39) {
      this.sequence.push(byte);
      return;
    }
    this.finish(byte, events, (body, final) => ss3Key(body, final));
  }

  private csiByte(byte: number, events: InputEvent[]): void {
    const body = this.body();
    if (body === '[') this.finish(byte, events, (_, final) => linuxFunctionKey(final));
    else if (byte === 0x5b && body === '') this.sequence.push(byte);
    else if (body === '' && byte === 0x4d) {
      this.sequence = [];
      this.mouse = 3;
    } else if (byte === 0x24 && /^\d+$/.test(body)) this.finish(byte, events, csiKey);
    else if (byte >= 0x20 && byte < 0x40) {
      if (this.sequence.length < MAX_SEQUENCE) this.sequence.push(byte);
    } else this.finish(byte, events, csiKey);
  }

  /** What stands between the opener and now, without the mark for a doubled ESC. */
  private body(): string {
    return String.fromCharCode(...this.sequence.slice(2).filter((byte) => byte >= 0));
  }

  private finish(byte: number, events: InputEvent[], meaning: (body: string, final: string) => InputEvent | 'paste' | undefined): void {
    const alt = this.sequence[2] === -1;
    const body = this.body();
    this.sequence = [];
    if (isControl(byte) || byte >= 0x80) {
      this.byte(byte, events);
      return;
    }
    const event = meaning(body, String.fromCharCode(byte));
    // Alt changes a key; before anything else, the ESC was a key of its own.
    if (alt && event && (event === 'paste' || event.kind !== 'key')) events.push(key('escape'));
    if (event === 'paste') this.paste = [];
    else if (event) events.push(event.kind === 'key' && alt ? { ...event, alt: true } : event);
  }

  /** Takes paste bytes from `at`; returns where the paste's end marker ended, or the end of the bytes. */
  private pasteBytes(bytes: Uint8Array, at: number, events: InputEvent[]): number {
    const pieces = this.paste ?? [];
    const fresh = Buffer.from(bytes.subarray(at));
    const tail = pieces.length > 0 ? lastBytes(pieces, PASTE_END.length - 1) : Buffer.alloc(0);
    const found = Buffer.concat([tail, fresh.subarray(0)]).indexOf(PASTE_END);
    pieces.push(fresh);
    this.paste = pieces;
    if (found < 0) return bytes.length;
    const all = Buffer.concat(pieces);
    const end = all.length - fresh.length - tail.length + found;
    this.paste = undefined;
    events.push({ kind: 'paste', text: cleanPaste(all.toString('utf8', 0, end)) });
    return at + end + PASTE_END.length - (all.length - fresh.length);
  }
}

function lastBytes(pieces: readonly Buffer[], count: number): Buffer {
  let tail = Buffer.alloc(0);
  for (let at = pieces.length - 1; at >= 0 && tail.length < count; at--) tail = Buffer.concat([pieces[at] as Buffer, tail]);
  return tail.subarray(Math.max(0, tail.length - count));
}
