import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';

/** Crockford's base 32: no letters that look like digits, and in the order of their values. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

function base32(value: number, digits: number): string {
  let text = '';
  for (let left = digits, rest = value; left > 0; left--, rest = Math.floor(rest / 32)) text = ALPHABET.charAt(rest % 32) + text;
  return text;
}

/** Random bytes from the system itself where it offers them as a file: loading node:crypto costs a start 2 ms. */
function randomBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  try {
    const source = fs.openSync('/dev/urandom', 'r');
    try {
      if (fs.readSync(source, bytes) === count) return bytes;
    } finally {
      fs.closeSync(source);
    }
  } catch {
    // No such file on this system.
  }
  return randomFillSync(bytes);
}

function randomText(digits: number): string {
  return Array.from(randomBytes(digits), (byte) => ALPHABET.charAt(byte % 32)).join('');
}

/** A new session id: ten characters of time (so that names sort by age) and 80 random bits (so that none can be guessed). */
export function newSessionId(now = Date.now()): string {
  return base32(now, 10) + randomText(16);
}

/** A new record id, unique within its session. */
export function newRecordId(): string {
  return randomText(12);
}

const SESSION_ID = /^[0-9a-z][0-9a-z-]{0,63}$/;

/** True for what may stand in a session's file name. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}
