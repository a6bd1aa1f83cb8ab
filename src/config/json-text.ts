import { FrostError } from '../errors.js';

/** Where a value stands: its line, for complaints, and its characters `start` to `end`, for changes. */
interface Place {
  line: number;
  start: number;
  end: number;
}

export type JsonNode = Place &
  (
    | { kind: 'object'; fields: Map<string, JsonNode> }
    | { kind: 'array'; items: JsonNode[] }
    | { kind: 'scalar'; value: string | number | boolean | null }
  );

const TOKEN = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|([{}[\]:,])|("(?:[^"\\\n]|\\.)*")|([^\s{}[\]:,"/]+)/y;

interface Token {
  text: string;
  line: number;
  at: number;
}

class Reader {
  readonly #file: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #lastLine = 1;

  constructor(text: string, file: string) {
    this.#file = file;
    let line = 1;
    TOKEN.lastIndex = 0;
    for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
      const match = TOKEN.exec(text);
      if (!match)
        throw this.#wrong(line, text[at] === '"' ? 'a text is not closed on its line' : `${JSON.stringify(text[at])} is out of place`);
      const token = match[1] ?? match[2] ?? match[3];
      if (token !== undefined) this.#tokens.push({ text: token, line, at });
      line += match[0].split('\n').length - 1;
    }
    this.#lastLine = line;
  }

  #wrong(line: number, what: string): FrostError {
    return new FrostError('config', `${this.#file}:${line} is not valid JSON: ${what}.`, { file: this.#file, line });
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { text: '', line: this.#lastLine, at: 0 };
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #skip(text: string): boolean {
    if (this.#peek().text !== text) return false;
    this.#at += 1;
    return true;
  }

  #missing(expected: string): FrostError {
    const { text, line } = this.#peek();
    return this.#wrong(
      line,
      text === '' ? `the file ends where ${expected} is missing` : `${expected} is missing before ${text.slice(0, 1)}`,
    );
  }

  whole(): JsonNode {
    const node = this.#value();
    if (this.#at < this.#tokens.length) throw this.#wrong(this.#peek().line, 'there is more text after the end');
    return node;
  }

  #value(): JsonNode {
    const token = this.#next();
    if (token.text === '{') return this.#object(token);
    if (token.text === '[') return this.#array(token);
    try {
      return { kind: 'scalar', value: JSON.parse(token.text), ...this.#from(token) };
    } catch {
      this.#at -= 1;
      throw this.#missing('a value');
    }
  }

  /** From this token to the end of the one that was read last. */
  #from({ line, at }: Token): Place {
    const last = this.#tokens[this.#at - 1];
    return { line, start: at, end: last ? last.at + last.text.length : at };
  }

  #object(first: Token): JsonNode {
    const fields = new Map<string, JsonNode>();
    while (!this.#skip('}')) {
      const name = this.#next();
      if (!name.text.startsWith('"')) {
        this.#at -= 1;
        throw this.#missing('a field name in double quotes');
      }
      if (!this.#skip(':')) throw this.#missing('":"');
      fields.set(JSON.parse(name.text), this.#value());
      if (!this.#skip(',') && this.#peek().text !== '}') throw this.#missing('"," or "}"');
    }
    return { kind: 'object', fields, ...this.#from(first) };
  }

  #array(first: Token): JsonNode {
    const items: JsonNode[] = [];
    while (!this.#skip(']')) {
      items.push(this.#value());
      if (!this.#skip(',') && this.#peek().text !== ']') throw this.#missing('"," or "]"');
    }
    return { kind: 'array', items, ...this.#from(first) };
  }
}

/**
 * Reads JSON with line numbers; comments and a trailing comma are allowed. Throws FrostError `config` that names file and
 * line and never quotes a value.
 */
export function readJson(text: string, file: string): JsonNode {
  return new Reader(text, file).whole();
}

/** The plain value of a node. */
export function plain(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'array') return node.items.map(plain);
  return Object.fromEntries([...node.fields].map(([name, field]) => [name, plain(field)]));
}

/** The text with the value at `path` replaced or added; comments and layout of the rest stay. Throws as `readJson` does. */
export function withJsonValue(text: string, path: readonly [string, ...string[]], value: unknown, file: string): string {
  let node = readJson(text, file);
  const [...names] = path;
  while (node.kind === 'object') {
    const name = names.shift() ?? '';
    const inner = node.fields.get(name);
    if (inner === undefined)
      return inserted(
        text,
        node,
        name,
        names.reduceRight((held: unknown, outer) => ({ [outer]: held }), value),
      );
    node = inner;
    if (names.length === 0) break;
  }
  if (names.length > 0) throw new FrostError('config', `${file}:${node.line} must be an object to hold "${path.join('.')}".`, { file });
  return text.slice(0, node.start) + JSON.stringify(value) + text.slice(node.end);
}

/** A new first field: that needs no look at what stands at the end. */
function inserted(text: string, node: JsonNode & { kind: 'object' }, name: string, value: unknown): string {
  const comma = node.fields.size > 0 ? ',' : '';
  const rest = text.slice(node.start + 1);
  return `${text.slice(0, node.start + 1)}\n  ${JSON.stringify(name)}: ${JSON.stringify(value)}${comma}${comma === '' && !rest.startsWith('\n') ? '\n' : ''}${rest}`;
}
