import { FrostError } from '../errors.js';

const ZERO_WIDTH = '\\u200B-\\u200F\\u2060-\\u2064\\uFEFF\\u00AD';
const EDGES = new RegExp(`^[\\s${ZERO_WIDTH}]+|[\\s${ZERO_WIDTH}]+$`, 'gu');

const KINDS: [kind: string, pattern: RegExp][] = [
  ['a line break', /[\r\n\u0085\u2028\u2029]/u],
  ['a zero-width character', new RegExp(`[${ZERO_WIDTH}]`, 'u')],
  ['a space', /\s/u],
  ['a control character', /[\p{Cc}\p{Cf}]/u],
  ['a typographic quote or dash', /[\u2010-\u201F\u2026]/u],
  ['a full-width character', /[\uFF00-\uFFEF]/u],
  ['a character outside ASCII', /[^\x21-\x7e]/u],
];

const withoutQuotes = (text: string) => /^(["'])(.*)\1$/su.exec(text)?.[2] ?? text;

/**
 * A key as it may stand in a request header. White space, zero-width characters and quotes around it come from copying and
 * are dropped. Throws FrostError `auth` that names the variable and the kind of character, never the key.
 */
export function cleanKey(name: string, raw: string): string {
  const key = withoutQuotes(raw.replace(EDGES, '')).replace(EDGES, '');
  const kind = KINDS.find(([, pattern]) => pattern.test(key))?.[0];
  if (kind !== undefined) {
    const prefix = /^bearer\s/i.test(key) ? ' Give the key alone, without the word "Bearer".' : ' Copy the key again and set it anew.';
    throw new FrostError('auth', `${name} cannot be used as a key: it contains ${kind}.${prefix}`, { variable: name, character: kind });
  }
  return key;
}
