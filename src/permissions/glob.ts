/** Patterns of paths, commands and addresses as anchored regular expressions. */

const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
const literal = (text: string) => text.replace(SPECIAL, '\\$&');

interface Dialect {
  star: string;
  /** What `**` stands for; where absent it is two stars. */
  globstar?: string;
  question: string;
}

const PATH: Dialect = { star: '[^/]*', globstar: '.*', question: '[^/]' };

/** A path pattern: `*` and `?` stay inside one segment, `**` crosses them, `[abc]`, `{a,b}` and `\x` as in a shell. */
export function pathPattern(pattern: string, options: { ignoreCase?: boolean } = {}): RegExp {
  return new RegExp(`^${translate(pattern, PATH)}$`, options.ignoreCase ? 'isu' : 'su');
}

/** A pattern of plain text in which only `*` is special; `\*` is a star. */
export function textPattern(pattern: string, star = '.*'): string {
  return pattern.replace(/\\([*\\])|\*|[^*\\]+|\\/g, (piece, escaped?: string) =>
    escaped ? literal(escaped) : piece === '*' ? star : literal(piece),
  );
}

function translate(pattern: string, dialect: Dialect): string {
  let out = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const rest = pattern.slice(at);
    const character = pattern[at] ?? '';
    const set = /^\[(!|\^)?(\]?[^\]/]*)\]/.exec(rest);
    if (rest.startsWith('**/')) {
      out += '(?:.*/)?';
      at += 2;
    } else if (rest.startsWith('**')) {
      out += dialect.globstar;
      at += 1;
    } else if (character === '*') out += dialect.star;
    else if (character === '?') out += dialect.question;
    else if (set) {
      out += `(?!/)[${set[1] ? '^' : ''}${(set[2] ?? '').replace(/[\\\][&~^]/g, '\\$&')}]`;
      at += set[0].length - 1;
    } else if (character === '{' && pattern.includes('}', at)) {
      out += '(?:';
      depth++;
    } else if (character === '}' && depth > 0) {
      out += ')';
      depth--;
    } else if (character === ',' && depth > 0) out += '|';
    else if (character === '\\' && rest.length > 1) {
      out += literal(pattern[at + 1] ?? '');
      at += 1;
    } else out += literal(character);
  }
  return out + ')'.repeat(depth);
}
