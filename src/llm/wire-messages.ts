/** The strict writer: whatever happened before, what goes out is a conversation that the strictest server takes. */
import type { Compat } from './compat.js';
import type { AssistantMessage, ContentPart, ImagePart, Message, ToolCall, ToolMessage } from './messages.js';
import { callAsText } from './text-calls.js';
import { freeId } from './tool-call-deltas.js';

export type WireMessage = { role: string; content: unknown } & Record<string, unknown>;

const MISSING_RESULT = 'cancelled: the call was stopped before it finished, its result is not known';
const NO_OUTPUT = '(no output)';
const BETWEEN = '(continued)';

/** The arguments as a JSON object text; anything else becomes `{}`, since the result already says what was wrong. */
export function validArguments(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {}
  return '{}';
}

/** A name that every server takes, also where the model invented one. */
const validName = (name: string) => name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';

const imagePart = ({ url }: ImagePart) => ({ type: 'image_url', image_url: { url } });

function contentOf(content: string | ContentPart[], compat: Compat): unknown {
  if (typeof content === 'string') return content;
  if (content.every((part) => part.type === 'text') || compat.images === false) {
    return content.map((part) => (part.type === 'text' ? part.text : '[an image, which this model cannot see]')).join('\n');
  }
  return content.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : imagePart(part)));
}

const partsOf = (content: unknown): unknown[] => (Array.isArray(content) ? content : [{ type: 'text', text: String(content) }]);

function joinedContent(a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') return a === '' || b === '' ? a + b : `${a}\n\n${b}`;
  return [...partsOf(a), ...partsOf(b)];
}

const wireCall = (call: ToolCall, id: string) => ({
  id,
  type: 'function',
  function: { name: validName(call.name), arguments: validArguments(call.arguments) },
});

class Writer {
  readonly #messages: WireMessage[] = [];
  readonly #system: string[] = [];
  readonly #ids = new Set<string>();
  readonly #compat: Compat;
  /** Where the running turn begins: after the last thing the user said. */
  readonly #turnStart: number;
  readonly #source: readonly Message[];

  constructor(source: readonly Message[], compat: Compat) {
    this.#source = source;
    this.#compat = compat;
    this.#turnStart = source.findLastIndex((message) => message.role === 'user');
  }

  write(): WireMessage[] {
    this.#source.forEach((message, at) => {
      if (message.role === 'system') this.#system.push(message.content);
      else if (message.role === 'user') this.#user(contentOf(message.content, this.#compat));
      else if (message.role === 'assistant') this.#assistant(message, at);
    });
    this.#putSystem();
    return this.#messages;
  }

  #putSystem(): void {
    const system = this.#system.filter((text) => text !== '').join('\n\n');
    if (system === '') return;
    const role = this.#compat.systemRole ?? 'system';
    const first = this.#messages[0];
    if (role !== 'user') this.#messages.unshift({ role, content: system });
    else if (first?.role === 'user') first.content = joinedContent(system, first.content);
    else this.#messages.unshift({ role: 'user', content: system });
  }

  #user(content: unknown): void {
    const last = this.#messages.at(-1);
    if (last?.role === 'user') last.content = joinedContent(last.content, content);
    else {
      if (last?.role === 'tool' && this.#compat.alternate) this.#messages.push({ role: 'assistant', content: BETWEEN });
      this.#messages.push({ role: 'user', content });
    }
  }

  #assistant(message: AssistantMessage, at: number): void {
    const calls = message.toolCalls ?? [];
    if (calls.length === 0 && message.content === '') return;
    if (calls.length > 0 && this.#compat.tools === false) return this.#callsAsText(message, calls, at);
    const content = joinedContent(this.#takeBackText(), message.content);
    const results = this.#resultsAfter(at);
    const pairs = calls.map((call) => ({ call, id: freeId(call.id, this.#ids), result: results.get(call.id)?.shift() }));
    this.#messages.push({
      role: 'assistant',
      content: content === '' ? null : content,
      ...this.#reasoning(message, at),
      ...(pairs.length > 0 && { tool_calls: pairs.map(({ call, id }) => wireCall(call, id)) }),
    });
    for (const { id, result } of pairs) {
      this.#messages.push({ role: 'tool', tool_call_id: id, content: result ? result.content || NO_OUTPUT : MISSING_RESULT });
    }
    this.#images(pairs.flatMap(({ result }) => result?.images ?? []));
  }

  /** The text of an assistant message just before, which the next one takes in: two of them in a row are refused by many. */
  #takeBackText(): string {
    const last = this.#messages.at(-1);
    if (last?.role !== 'assistant' || last['tool_calls']) return '';
    this.#messages.pop();
    return String(last.content);
  }

  /** Tool results are text for most servers: what a tool shows comes as the user's. */
  #images(images: ImagePart[]): void {
    if (images.length === 0 || this.#compat.images === false) return;
    this.#user([{ type: 'text', text: 'Images from the tool results above:' }, ...images.map(imagePart)]);
  }

  /** For a model that is not offered tools: earlier calls and results become plain text. */
  #callsAsText(message: AssistantMessage, calls: ToolCall[], at: number): void {
    const results = this.#resultsAfter(at);
    const dialect = this.#compat.textToolCalls ?? 'hermes';
    const made = calls.map(({ name, arguments: args }) => callAsText(dialect, { name, arguments: validArguments(args) })).join('\n');
    const said = joinedContent(this.#takeBackText(), message.content);
    this.#messages.push({ role: 'assistant', content: joinedContent(said, made) });
    this.#user(calls.map((call) => `[result of ${call.name}]\n${results.get(call.id)?.shift()?.content ?? MISSING_RESULT}`).join('\n\n'));
  }

  #resultsAfter(at: number): Map<string, ToolMessage[]> {
    const results = new Map<string, ToolMessage[]>();
    for (const message of this.#source.slice(at + 1)) {
      if (message.role === 'assistant') break;
      if (message.role !== 'tool') continue;
      results.set(message.callId, [...(results.get(message.callId) ?? []), message]);
    }
    return results;
  }

  #reasoning(message: AssistantMessage, at: number): Record<string, unknown> {
    const { reasoningBack = 'turn' } = this.#compat;
    const { reasoning } = message;
    if (reasoningBack === false || reasoning?.field === 'think') return {};
    if (reasoningBack === 'all') return { [reasoning?.field ?? 'reasoning_content']: reasoning?.text ?? '' };
    return reasoning && message.toolCalls && at > this.#turnStart ? { [reasoning.field]: reasoning.text } : {};
  }
}

/**
 * The messages as they go over the wire. System texts become one first message; turns of one role are joined; every call is
 * answered once, right after its message, by unique ids and with arguments that are JSON objects; results without a call and
 * empty assistant messages are left out.
 */
export function writeMessages(messages: readonly Message[], compat: Compat): WireMessage[] {
  return new Writer(messages, compat).write();
}
