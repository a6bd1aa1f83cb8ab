/** Tries an endpoint: what it understands, in under ten requests. */
import type { Failure } from '../errors.js';
import { attempt } from './attempt.js';
import { type ListedModel, listing } from './catalog.js';
import type { Compat } from './compat.js';
import { CompletionReader } from './completion-reader.js';
import type { Base, ConnectionOptions } from './connection.js';
import { windowOf } from './context-window.js';
import { excerpt, networkFailure, protocolFailure, statusFailure } from './faults.js';
import type { Message } from './messages.js';
import { ChatModel } from './model.js';
import type { ModelRequest, ToolSchema } from './port.js';
import { lessonOf } from './refusals.js';
import { requestBody } from './wire-request.js';

const MAX_REQUESTS = 9;

export interface ProbeRow {
  capability: string;
  /** `odd`: answered, but not as hoped for. */
  result: 'yes' | 'no' | 'odd';
  note: string;
}

export interface ProbeReport {
  rows: ProbeRow[];
  /** The base URL that answered. */
  base: string;
  requests: number;
  /** Why the endpoint gave no answer at all. */
  failure?: Failure;
}

const PING: ToolSchema = {
  name: 'ping',
  description: 'Answers with the text it was given.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

const SYSTEM: Message = { role: 'system', content: 'You are being tested. Answer in one word.' };
const user = (content: string): Message => ({ role: 'user', content });

const ROUND_TRIP: Message[] = [
  user('Call ping with the text pong.'),
  { role: 'assistant', content: '', toolCalls: [{ id: 'pr0be1234', name: 'ping', arguments: '{"text":"pong"}' }] },
  { role: 'tool', callId: 'pr0be1234', name: 'ping', content: 'pong' },
];

const FORMAT = {
  name: 'word',
  schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'], additionalProperties: false },
};

/** One question and the capabilities that it needs, by the field of `Compat` that stands for each. */
interface Trial {
  request: Partial<ModelRequest>;
  compat?: Compat;
  needs: { field: keyof Compat; capability: string }[];
  /** What the answer itself shows. */
  judge?(reader: CompletionReader): ProbeRow[];
}

const row = (capability: string, ok: boolean, note = ''): ProbeRow => ({ capability, result: ok ? 'yes' : 'odd', note });

const callsTool: Trial = {
  request: { messages: [SYSTEM, user('Call the tool ping with the text pong.')], tools: [PING] },
  needs: [{ field: 'tools', capability: 'tools' }],
  judge: (reader) => {
    const written = /<tool_call>|<function=|"parameters"\s*:|<\|python_tag\|>/.test(reader.text);
    const note = written ? 'writes calls as text: set textToolCalls in compat' : 'answered without a call';
    return [row('tool calls', !reader.calls.isEmpty, reader.calls.isEmpty ? note : '')];
  },
};

const TRIALS: Trial[] = [
  {
    request: { messages: [SYSTEM, user('Say ok.')] },
    needs: [
      { field: 'stream', capability: 'streaming' },
      { field: 'streamOptions', capability: 'stream_options' },
      { field: 'systemRole', capability: 'system role' },
    ],
    judge: (reader) => [
      row('usage', reader.usage !== undefined, reader.usage ? '' : 'not reported'),
      ...(reader.message().reasoning ? [row('reasoning', true, `field ${reader.message().reasoning?.field}`)] : []),
    ],
  },
  callsTool,
  {
    request: { messages: [SYSTEM, ...ROUND_TRIP], tools: [PING] },
    compat: { parallelToolCalls: true },
    needs: [{ field: 'parallelToolCalls', capability: 'parallel_tool_calls' }],
  },
  {
    request: { messages: [user('Give me one word as JSON.')], responseFormat: FORMAT, maxOutputTokens: 400 },
    needs: [
      { field: 'responseFormat', capability: 'JSON schema' },
      { field: 'maxTokensField', capability: 'max_tokens' },
    ],
  },
  {
    request: { messages: [user('Say ok.')], reasoningEffort: 'low', maxOutputTokens: 400 },
    compat: { maxTokensField: 'max_completion_tokens' },
    needs: [
      { field: 'reasoningEffort', capability: 'reasoning_effort' },
      { field: 'maxTokensField', capability: 'max_completion_tokens' },
    ],
  },
];

class Probe {
  readonly rows: ProbeRow[] = [];
  requests = 0;
  failure: Failure | undefined;
  readonly #model: ChatModel;
  readonly #signal: AbortSignal;
  readonly #learned: Compat = {};
  base: Base;

  constructor(model: ChatModel, signal: AbortSignal) {
    this.#model = model;
    this.#signal = signal;
    this.base = model.base;
  }

  async run(): Promise<void> {
    await this.#list();
    for (const trial of TRIALS) {
      const isFirst = trial === TRIALS[0];
      if (this.requests >= MAX_REQUESTS || this.#signal.aborted) return;
      if (this.#learned.tools === false && trial.request.tools) continue;
      await this.#try(trial, isFirst);
      if (isFirst && this.failure) return;
    }
    this.#model.capabilities.learn({ compat: this.#learned });
  }

  async #list(): Promise<void> {
    const { sdk, connection, name } = this.#model;
    this.requests += 1;
    const found = await listing(sdk, connection, this.#signal);
    if ('failure' in found) {
      this.rows.push({ capability: 'model list', result: 'no', note: found.failure.message });
      return;
    }
    this.base = found.base;
    const { models } = found;
    const listed = models.some(({ id }) => id === name);
    this.rows.push(
      row('model list', listed, `${models.length} ${models.length === 1 ? 'model' : 'models'}${listed ? '' : `, without ${name}`}`),
    );
    await this.#window(models);
  }

  async #window(models: ListedModel[]): Promise<void> {
    const { sdk, connection, name } = this.#model;
    const counting = {
      ...sdk,
      get: (...args: Parameters<typeof sdk.get>) => this.#count(sdk.get(...args)),
      post: (...args: Parameters<typeof sdk.post>) => this.#count(sdk.post(...args)),
    };
    const window = await windowOf(counting, connection, models, name, this.#signal);
    this.rows.push({
      capability: 'context window',
      result: window === undefined ? 'odd' : 'yes',
      note: window === undefined ? 'not told' : `${window} tokens`,
    });
  }

  #count<T>(value: T): T {
    this.requests += 1;
    return value;
  }

  /** Asks once, and once more without each thing that is refused by name. */
  async #try(trial: Trial, isFirst: boolean): Promise<void> {
    let compat: Compat = { ...this.#learned, ...trial.compat };
    const refused = new Map<keyof Compat, string>();
    while (this.requests < MAX_REQUESTS) {
      const reader = new CompletionReader();
      const body = requestBody(this.#model.name, { messages: [], tools: [], signal: this.#signal, ...trial.request }, compat);
      const end = await this.#ask(body, reader);
      if (end === 'ok') return this.#judge(trial, reader, refused);
      const lesson = end.error && lessonOf(end.status, end.error, body, () => false);
      const fields = lesson ? (Object.keys(lesson.change) as (keyof Compat)[]) : [];
      const field = fields[0] ?? (lesson ? 'parallelToolCalls' : undefined);
      if (!lesson || !field || !end.error || refused.has(field)) return this.#failed(trial, end.failure, isFirst);
      refused.set(field, excerpt(this.#model.connection, end.error.message, 100));
      compat = { ...compat, ...lesson.change };
      if (field === 'parallelToolCalls') delete compat.parallelToolCalls;
      if (!trial.compat || !(field in trial.compat)) Object.assign(this.#learned, lesson.change);
    }
  }

  #judge(trial: Trial, reader: CompletionReader, refused: Map<keyof Compat, string>): void {
    for (const { field, capability } of trial.needs) {
      const said = refused.get(field);
      this.rows.push(said === undefined ? row(capability, true) : { capability, result: 'no', note: said });
    }
    if (!refused.has('tools')) this.rows.push(...(trial.judge?.(reader) ?? []));
  }

  #failed(trial: Trial, failure: Failure, isFirst: boolean): void {
    if (isFirst) this.failure = failure;
    else for (const { capability } of trial.needs) this.rows.push({ capability, result: 'no', note: failure.message });
  }

  async #ask(
    body: Record<string, unknown>,
    reader: CompletionReader,
  ): Promise<'ok' | { status: number; error?: { message: string }; failure: Failure }> {
    const { sdk, connection, name } = this.#model;
    this.requests += 1;
    const pieces = attempt({ sdk, base: this.base, body, signal: this.#signal, reader });
    let step = await pieces.next();
    while (!step.done) step = await pieces.next();
    const end = step.value;
    const url = `${this.base.url}/chat/completions`;
    if (end.kind === 'status')
      return {
        status: end.status,
        error: end.error,
        failure: statusFailure(connection, { status: end.status, error: end.error, model: name, url }),
      };
    if (end.kind === 'network') return { status: 0, failure: networkFailure(connection, end.error) };
    if (end.kind === 'foreign') return { status: 0, failure: protocolFailure(connection, url, excerpt(connection, end.what, 200)) };
    if (end.verdict === 'cut' || end.verdict === 'nothing')
      return { status: 0, failure: networkFailure(connection, end.error ?? new Error('the stream ended early')) };
    if (end.verdict !== 'server_error') return 'ok';
    const error = reader.error ?? { message: `finish reason ${reader.finishReason}` };
    return { status: 400, error, failure: statusFailure(connection, { status: 400, error, model: name, url }) };
  }
}

/** Tries `name` at an endpoint; what it refuses is remembered for the next runs. */
export async function probeEndpoint(connection: ConnectionOptions, name: string, signal: AbortSignal): Promise<ProbeReport> {
  const probe = new Probe(new ChatModel(connection, name), signal);
  await probe.run();
  const { rows, base, requests, failure } = probe;
  return { rows, base: base.url, requests, ...(failure && { failure }) };
}
