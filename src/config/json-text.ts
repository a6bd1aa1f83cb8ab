import { FrostError } from '../errors.js';

/** A JSON value that knows on which line it stands, so that a complaint can say where. */
export type JsonNode =
  | { kind: 'object'; line: number; fields: Map<string, JsonNode> }
  | { kind: 'array'; line: number; items: JsonNode[] }
  | { kind: 'scalar'; line: number; value: string | number | boolean | null };

const TOKEN = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|([{}[\]:,])|("(?:[^"\\\n]|\\.)*")|([^\s{}[\]:,"/]+)/y;

interface Token {
  text: string;
  line: number;
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
      if (token !== undefined) this.#tokens.push({ text: token, line });
      line += match[0].split('\n').length - 1;
    }
    this.#lastLine = line;
  }

  #wrong(line: number, what: string): FrostError {
    return new FrostError('config', `${this.#file}:${line} is not valid JSON: ${what}.`, { file: this.#file, line });
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { text: '', line: this.#lastLine };
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
    const { text, line } = this.#next();
    if (text === '{') return this.#object(line);
    if (text === '[') return this.#array(line);
    try {
      return { kind: 'scalar', line, value: JSON.parse(text) };
    } catch {
      this.#at -= 1;
      throw this.#missing('a value');
    }
  }

  #object(line: number): JsonNode {
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
    return { kind: 'object', line, fields };
  }

  #array(line: number): JsonNode {
    const items: JsonNode[] = [];
    while (!this.#skip(']')) {
      items.push(this.#value());
      if (!this.#skip(',') && this.#peek().text !== ']') throw this.#missing('"," or "]"');
    }
    return { kind: 'array', line, items };
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
