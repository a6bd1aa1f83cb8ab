/**
 * Tool calls that a model writes as text, in the style of its training: Hermes (`<tool_call>{…}</tool_call>`), Qwen (the same, or
 * `<function=name><parameter=key>value</parameter></function>` inside), Llama (a bare JSON object). Only behind a setting, and only
 * for tools that were offered: anything else stays text.
 */
import type { TextCallDialect } from './compat.js';
import type { ToolSchema } from './port.js';

export interface TextCall {
  name: string;
  arguments: string;
}

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const LLAMA_START = ['{', '<|python_tag|>', '<function='];

/** A request for a call in words, for a model that is offered no tools. */
export function toolsAsText(dialect: TextCallDialect, tools: readonly ToolSchema[]): string {
  const list = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters })).join('\n');
  const form =
    dialect === 'llama'
      ? 'To call one, reply with nothing but a JSON object: {"name": "the tool", "parameters": {…}}'
      : `To call one, write ${OPEN}{"name": "the tool", "arguments": {…}}${CLOSE}, one block for each call.`;
  return `You can use these tools:\n${list}\n${form}\nThe result comes in the next message.`;
}

/** One call as the model would have written it. */
export function callAsText(dialect: TextCallDialect, call: TextCall): string {
  const { name, arguments: args } = call;
  return dialect === 'llama'
    ? `{"name": ${JSON.stringify(name)}, "parameters": ${args}}`
    : `${OPEN}{"name": ${JSON.stringify(name)}, "arguments": ${args}}${CLOSE}`;
}

/** Takes calls out of a text that arrives in pieces. */
export class TextCalls {
  readonly #dialect: TextCallDialect;
  readonly #names: ReadonlySet<string>;
  #held = '';
  #isText = false;

  constructor(dialect: TextCallDialect, names: Iterable<string>) {
    this.#dialect = dialect;
    this.#names = new Set(names);
  }

  /** What of the text so far is certainly no call. */
  write(piece: string): string {
    if (this.#isText) return piece;
    this.#held += piece;
    return this.#dialect === 'llama' ? this.#writeLlama() : this.#writeBlocks();
  }

  /** The rest of the text, and the calls in it. */
  end(): { text: string; calls: TextCall[] } {
    const held = this.#held;
    this.#held = '';
    const found = this.#dialect === 'llama' ? llamaCalls(held) : blockCalls(held);
    if (found.calls.length === 0 || !found.calls.every(({ name }) => this.#names.has(name))) return { text: held, calls: [] };
    return found;
  }

  /** A Llama call is the whole answer: what does not begin like one is text. */
  #writeLlama(): string {
    const start = this.#held.trimStart();
    if (start === '' || LLAMA_START.some((mark) => start.startsWith(mark) || mark.startsWith(start))) return '';
    this.#isText = true;
    return this.#takeHeld(this.#held.length);
  }

  #writeBlocks(): string {
    const at = this.#held.indexOf(OPEN);
    if (at >= 0) return this.#takeHeld(at);
    let open = Math.min(OPEN.length - 1, this.#held.length);
    while (open > 0 && !OPEN.startsWith(this.#held.slice(-open))) open--;
    return this.#takeHeld(this.#held.length - open);
  }

  #takeHeld(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return text;
  }
}

function blockCalls(text: string): { text: string; calls: TextCall[] } {
  const calls: TextCall[] = [];
  const rest = text.replace(/<tool_call>([\s\S]*?)(?:<\/tool_call>|(?=<tool_call>)|$)/g, (block, inside: string) => {
    const call = xmlCall(inside) ?? jsonCall(inside);
    if (call) calls.push(call);
    return call ? '' : block;
  });
  return { text: rest.trim() === '' ? '' : rest, calls };
}

function llamaCalls(text: string): { text: string; calls: TextCall[] } {
  const body = text
    .trim()
    .replace(/^<\|python_tag\|>/, '')
    .replace(/<\|(eom|eot)_id\|>$/, '')
    .trim();
  const tagged = /^<function=([\w.-]+)>([\s\S]*?)<\/function>$/.exec(body);
  const pieces = tagged ? [] : body.split(/;\s*(?=\{)/);
  const calls = tagged?.[1] ? [jsonCall(`{"name":${JSON.stringify(tagged[1])},"parameters":${tagged[2]}}`)] : pieces.map(jsonCall);
  return calls.every((call) => call !== undefined) ? { text: '', calls } : { text, calls: [] };
}

function jsonCall(text: string): TextCall | undefined {
  try {
    const value = JSON.parse(text.trim()) as Record<string, unknown> | null;
    const name = value?.['name'];
    const args = value?.['arguments'] ?? value?.['parameters'] ?? {};
    if (typeof name !== 'string') return undefined;
    return { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
  } catch {
    return undefined;
  }
}

function xmlCall(text: string): TextCall | undefined {
  const [, name, body = ''] = /^\s*<function=([^>\s]+)>([\s\S]*?)(?:<\/function>)?\s*$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const values = [...body.matchAll(/<parameter=([^>\s]+)>\n?([\s\S]*?)\n?<\/parameter>/g)].map(([, key, value = '']) => [
    key,
    parameterValue(value),
  ]);
  return { name, arguments: JSON.stringify(Object.fromEntries(values)) };
}

/** Numbers, booleans and structures are written as JSON, texts as they are. */
function parameterValue(text: string): unknown {
  if (!/^\s*([[{]|-?\d|true\b|false\b|null\b)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
