/** Reads one answer from data frames as servers really send them, and says at its end what it was. Knows no network. */
import { LeadingThink } from './leading-think.js';
import type { AssistantMessage } from './messages.js';
import type { Usage } from './port.js';
import type { TextCalls } from './text-calls.js';
import { ToolCallDeltas } from './tool-call-deltas.js';
import { readUsage } from './usage.js';

type Fields = Record<string, unknown>;
type ReasoningField = NonNullable<AssistantMessage['reasoning']>['field'];

/** An error that the server sent inside a stream or a body. */
export interface ServerError {
  message: string;
  code?: string | number;
  type?: string;
  /** The name of the parameter it is about, where the server gives one. */
  param?: string;
}

/** What the answer turned out to be. `cut`: it ended before its end. */
export type Verdict = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'refusal' | 'server_error' | 'cut' | 'nothing';

/** Text that arrived since the last time. */
export interface Fresh {
  text: string;
  reasoning: string;
  startedCalls: string[];
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where servers put reasoning, and the field it is given back in. */
const REASONING_FIELDS = [
  ['reasoning_content', 'reasoning_content'],
  ['reasoning', 'reasoning'],
  ['thinking', 'reasoning'],
] as const;

const LENGTH = new Set(['length', 'max_tokens', 'max_output_tokens', 'model_length', 'max_length']);
const FILTER = new Set(['content_filter', 'content-filter', 'sensitive', 'safety', 'recitation', 'prohibited_content', 'blocklist']);
const BROKEN = new Set(['error', 'network_error', 'insufficient_system_resource', 'aborted', 'abort', 'cancelled', 'unknown_error']);

export class CompletionReader {
  readonly calls = new ToolCallDeltas();
  usage: Usage | undefined;
  error: ServerError | undefined;
  #fresh: Fresh = { text: '', reasoning: '', startedCalls: [] };
  /** What `take` has given away. */
  #given = { text: '', reasoning: '' };
  #reasoningField: ReasoningField | undefined;
  #refusal = '';
  #finish: string | undefined;
  #think = new LeadingThink();
  #sawChoice = false;
  /** Some servers go on with calls after a finish reason, which then says nothing about their end. */
  #callsAfterFinish = false;
  readonly #textCalls: TextCalls | undefined;

  /** `textCalls`: finds calls that the model writes as text. */
  constructor(textCalls?: TextCalls) {
    this.#textCalls = textCalls;
  }

  /** True once the server has given a finish reason. */
  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** Refusal text that the server sent apart from the content. */
  get refusal(): string {
    return this.#refusal;
  }

  /** All text so far. */
  get text(): string {
    return this.#given.text + this.#fresh.text;
  }

  /** All reasoning so far. */
  get reasoning(): string {
    return this.#given.reasoning + this.#fresh.reasoning;
  }

  get finishReason(): string | undefined {
    return this.#finish;
  }

  accept(frame: unknown): void {
    if (Array.isArray(frame)) {
      for (const one of frame) this.accept(one);
      return;
    }
    if (!isFields(frame)) return;
    this.usage = readUsage(frame['usage'] ?? (isFields(frame['x_groq']) ? frame['x_groq']['usage'] : undefined)) ?? this.usage;
    const error = errorIn(frame);
    if (error) this.error ??= error;
    const choices = frame['choices'];
    if (!Array.isArray(choices)) return;
    for (const choice of choices) {
      if (isFields(choice) && (choice['index'] === undefined || choice['index'] === null || choice['index'] === 0)) this.#choice(choice);
    }
  }

  get #hasCome(): boolean {
    return this.text !== '' || this.reasoning !== '' || !this.calls.isEmpty;
  }

  #choice(choice: Fields): void {
    this.#sawChoice = true;
    const delta = choice['delta'];
    const whole = choice['message'];
    if (isFields(delta)) this.#delta(delta);
    else if (isFields(whole))
      this.#delta(this.#hasCome ? {} : whole); // some servers sum up at the end
    else if (typeof choice['text'] === 'string') this.#addText(choice['text']);
    const error = choice['error'];
    if (error) this.error ??= serverError(error);
    const finish = choice['finish_reason'];
    if (typeof finish === 'string' && finish !== '' && finish !== 'null') this.#finish = finish.toLowerCase();
  }

  #delta(delta: Fields): void {
    this.#addReasoningOf(delta);
    this.#addContent(delta['content']);
    if (typeof delta['refusal'] === 'string') this.#refusal += delta['refusal'];
    const calls = delta['tool_calls'];
    if (calls && this.isFinished) this.#callsAfterFinish = true;
    if (Array.isArray(calls)) for (const call of calls) this.calls.add(call);
    else if (isFields(calls)) this.calls.add(calls);
    const legacy = delta['function_call'];
    if (isFields(legacy)) this.calls.add({ index: 0, function: legacy });
  }

  #addReasoningOf(delta: Fields): void {
    for (const [name, field] of REASONING_FIELDS) {
      const value = delta[name];
      const text = typeof value === 'string' ? value : isFields(value) ? textOf(value) : '';
      if (text === '') continue;
      this.#addReasoning(field, text);
      return; // a server that sends both fields sends the same text twice
    }
  }

  #addContent(content: unknown): void {
    if (typeof content === 'string') this.#addText(content);
    else if (Array.isArray(content)) for (const part of content) this.#addPart(part);
    else if (isFields(content)) this.#addPart(content);
  }

  #addPart(part: unknown): void {
    if (typeof part === 'string') return this.#addText(part);
    if (!isFields(part)) return;
    const type = String(part['type'] ?? 'text');
    if (/think|reason/.test(type)) this.#addReasoning('reasoning', textOf(part));
    else if (type === 'refusal') this.#refusal += textOf(part);
    else if (/^(text|output_text)$/.test(type)) this.#addText(textOf(part));
  }

  #addText(piece: string): void {
    if (piece === '') return;
    const { text, reasoning } = this.#think.write(piece);
    this.#take(text, reasoning);
  }

  #take(text: string, reasoning: string): void {
    if (reasoning !== '') this.#addReasoning('think', reasoning);
    this.#passOn(this.#textCalls ? this.#textCalls.write(text) : text);
  }

  #passOn(text: string): void {
    this.#fresh.text += text;
  }

  #addReasoning(field: ReasoningField, text: string): void {
    this.#reasoningField ??= field;
    this.#fresh.reasoning += text;
  }

  /** What arrived since the last time. */
  take(): Fresh {
    const fresh = { ...this.#fresh, startedCalls: this.calls.takeStarted() };
    // Once a read, not once a frame: a text put together of 20,000 pieces is as many objects until it is looked at.
    this.#given.text += fresh.text;
    this.#given.reasoning += fresh.reasoning;
    this.#fresh = { text: '', reasoning: '', startedCalls: [] };
    return fresh;
  }

  /** No more frames: what was held back comes out with the next `take`. */
  close(): void {
    const { text, reasoning } = this.#think.end();
    this.#take(text, reasoning);
    const written = this.#textCalls?.end();
    if (!written) return;
    this.#passOn(written.text);
    for (const { name, arguments: args } of written.calls)
      this.calls.add({ id: `text_${this.calls.count}`, function: { name, arguments: args } });
  }

  /** What the answer was. `done`: the stream said `[DONE]`, or the body was one whole JSON object. */
  verdict(done: boolean): Verdict {
    if (this.error) return 'server_error';
    if (this.#finish !== undefined && BROKEN.has(this.#finish)) return 'server_error';
    if (this.#finish !== undefined && LENGTH.has(this.#finish)) return 'length';
    if (this.#finish !== undefined && FILTER.has(this.#finish)) return 'content_filter';
    if (this.#finish === undefined && !done) return this.#sawChoice ? 'cut' : 'nothing';
    if ((this.#finish === undefined || this.#callsAfterFinish) && !this.calls.isWhole) return 'cut';
    if (!this.calls.isEmpty) return 'tool_calls';
    if (this.#refusal !== '' || this.#finish === 'refusal') return 'refusal';
    if (this.#finish === undefined && this.text === '') return this.reasoning === '' ? 'nothing' : 'cut';
    return 'stop';
  }

  /** The message as far as it arrived; calls only where asked for. */
  message(calls: AssistantMessage['toolCalls'] = []): AssistantMessage {
    return {
      role: 'assistant',
      content: this.text || this.#refusal,
      ...(calls.length > 0 && { toolCalls: calls }),
      ...(this.reasoning !== '' && { reasoning: { field: this.#reasoningField ?? 'reasoning', text: this.reasoning } }),
    };
  }
}

/** Parts inside parts are no deeper than this in any server's answers; what is deeper is an attack on the stack. */
const DEEPEST = 8;

/** The text of a part, whatever it calls it; a list of parts is joined. */
function textOf(part: Fields, depth = 0): string {
  if (depth > DEEPEST) return '';
  const inside = (one: unknown) => (typeof one === 'string' ? one : isFields(one) ? textOf(one, depth + 1) : '');
  for (const name of ['text', 'thinking', 'content', 'reasoning', 'refusal', 'summary', 'value']) {
    const value = part[name];
    if (typeof value === 'string' || isFields(value)) return inside(value);
    if (Array.isArray(value)) return value.map(inside).join('');
  }
  return '';
}

/** The error of a frame or body, in one of the shapes that servers give it. */
export function errorIn(frame: Fields): ServerError | undefined {
  if (frame['error']) return serverError(frame['error'], frame);
  if (Array.isArray(frame['choices'])) return undefined;
  const isError = frame['object'] === 'error' || frame['type'] === 'error' || 'detail' in frame || 'errors' in frame;
  if (isError || (typeof frame['message'] === 'string' && ('code' in frame || 'status' in frame || 'statusCode' in frame))) {
    return serverError(frame['detail'] ?? frame['errors'] ?? frame, frame);
  }
  return undefined;
}

function serverError(value: unknown, around: Fields = {}): ServerError {
  if (!isFields(value)) return withCode(typeof value === 'string' ? value : JSON.stringify(value), around);
  const inner = isFields(value['error']) ? value['error'] : value;
  const raw = isFields(inner['metadata']) ? inner['metadata']['raw'] : undefined;
  const said = [inner['message'], inner['msg'], inner['detail'], inner['reason']].find((one) => typeof one === 'string' && one !== '');
  const text = typeof said === 'string' ? said : JSON.stringify(inner);
  const detail = typeof raw === 'string' && raw !== '' && !text.includes(raw) ? `: ${raw.slice(0, 300)}` : '';
  return withCode(text + detail, { ...around, ...inner });
}

function withCode(message: string, from: Fields): ServerError {
  const code = from['code'] ?? from['status'] ?? from['statusCode'];
  const { type, param } = from;
  return {
    message,
    ...((typeof code === 'string' || typeof code === 'number') && code !== '' && { code }),
    ...(typeof type === 'string' && type !== '' && { type }),
    ...(typeof param === 'string' && param !== '' && { param }),
  };
}
