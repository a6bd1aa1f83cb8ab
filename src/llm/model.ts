/** The model port over a chat completions endpoint: attempts, what is learned from refusals, and one end for every stream. */
import type { Failure } from '../errors.js';
import { type AttemptEnd, attempt } from './attempt.js';
import { Capabilities } from './capabilities.js';
import { CompletionReader } from './completion-reader.js';
import { type Base, basesOf, type ConnectionOptions, hostOf, principalText } from './connection.js';
import {
  causeOf,
  cutFailure,
  excerpt,
  isContextLength,
  isModelMissing,
  isQuota,
  networkFailure,
  noAnswerFailure,
  numericCode,
  protocolFailure,
  serverErrorFailure,
  statusFailure,
} from './faults.js';
import type { AssistantMessage } from './messages.js';
import type { EndReason, Model, ModelEnd, ModelEvent, ModelRequest, Usage } from './port.js';
import { lessonOf } from './refusals.js';
import { Continuation, withContinuation } from './resume.js';
import { backoffMs, durationText, isRetriedCode, isRetriedStatus, pause, retryAfterMs } from './retry-policy.js';
import { createSdk, type Sdk } from './sdk.js';
import { TextCalls } from './text-calls.js';
import { addUsage } from './usage.js';
import { requestBody } from './wire-request.js';

/** More lessons than there are parameters to leave out: the server refuses whatever comes. */
const MAX_LESSONS = 8;

/** Why an attempt is made again. */
interface Again {
  reason: string;
  status?: number;
  /** What the server asked for. */
  afterMs?: number;
}

export class ChatModel implements Model {
  readonly name: string;
  readonly host: string;
  readonly connection: ConnectionOptions;
  readonly capabilities: Capabilities;
  readonly bases: [Base, ...Base[]];
  #sdk: Sdk | undefined;

  constructor(connection: ConnectionOptions, name: string) {
    this.name = name;
    this.connection = connection;
    this.host = hostOf(connection.endpoint);
    this.bases = basesOf(connection.endpoint);
    this.capabilities = new Capabilities(connection.compat ?? {}, connection.capabilityFile, connection.endpoint, name);
  }

  get sdk(): Sdk {
    this.#sdk ??= createSdk(this.connection);
    return this.#sdk;
  }

  get base(): Base {
    return this.bases[this.capabilities.base] ?? this.bases[0];
  }

  stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    return new AnswerRun(this, request).events();
  }
}

/** The working state of one answer. */
class AnswerRun {
  readonly #model: ChatModel;
  readonly #connection: ConnectionOptions;
  readonly #request: ModelRequest;
  readonly #maxAttempts: number;
  #attempts = 0;
  #lessons = 0;
  #otherBase = false;
  #passedOn = false;
  #usage: Usage | undefined;
  /** Text that arrived before a cut, where the answer goes on after it. */
  #before = '';
  #reader = new CompletionReader();

  constructor(model: ChatModel, request: ModelRequest) {
    this.#model = model;
    this.#connection = model.connection;
    this.#request = request;
    this.#maxAttempts = Math.max(1, model.connection.maxAttempts ?? 3);
  }

  async *events(): AsyncGenerator<ModelEvent> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const { signal } = this.#request;
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      yield* this.#answer(controller.signal);
    } catch (error) {
      // A fault of our own must not leave the stream without its end.
      yield this.#end('error', networkFailure(this.#connection, error));
    } finally {
      signal.removeEventListener('abort', abort);
      controller.abort();
    }
  }

  async *#answer(signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (;;) {
      if (signal.aborted) return yield this.#end('aborted');
      this.#attempts += 1;
      const body = requestBody(this.#model.name, this.#outgoing(), this.#model.capabilities.compat);
      const end = yield* this.#attempt(body, signal);
      if (signal.aborted && !(end.kind === 'read' && isWhole(end.verdict))) return yield this.#end('aborted');
      this.#usage = addUsage(this.#usage, this.#reader.usage);
      if (this.#tryOtherBase(end)) continue;
      const warning = this.#learn(end, body);
      if (warning) {
        yield warning;
        continue;
      }
      const again = this.#again(end);
      if (!again) return yield await this.#settle(end, signal);
      const capMs = this.#connection.retryAfterCapMs ?? 60_000;
      if (again.afterMs !== undefined && again.afterMs > capMs) return yield this.#end('error', this.#tooLong(again));
      const delayMs = again.afterMs ?? backoffMs(this.#attempts);
      yield { type: 'retry', attempt: this.#attempts, maxAttempts: this.#maxAttempts, delayMs, ...reasonOf(again) };
      if (!(await pause(delayMs, signal))) return yield this.#end('aborted');
    }
  }

  #outgoing(): ModelRequest {
    return this.#before === '' ? this.#request : { ...this.#request, messages: withContinuation(this.#request.messages, this.#before) };
  }

  async *#attempt(body: Record<string, unknown>, signal: AbortSignal): AsyncGenerator<ModelEvent, AttemptEnd> {
    this.#reader = new CompletionReader(this.#textCalls());
    const continuation = this.#before === '' ? undefined : new Continuation(this.#before);
    const pieces = attempt({ sdk: this.#model.sdk, base: this.#model.base, body, signal, reader: this.#reader });
    for (;;) {
      const { value, done } = await pieces.next();
      if (done) {
        const rest = continuation?.end() ?? '';
        if (rest !== '') yield this.#text(rest);
        return value;
      }
      if (signal.aborted) continue;
      if (value.reasoning !== '' && !continuation) {
        this.#passedOn = true;
        yield { type: 'reasoning', text: value.reasoning };
      }
      const text = continuation ? continuation.write(value.text) : value.text;
      if (text !== '') yield this.#text(text);
      for (const name of value.startedCalls) yield { type: 'tool_call', name };
    }
  }

  #textCalls(): TextCalls | undefined {
    const { textToolCalls } = this.#model.capabilities.compat;
    const { tools } = this.#request;
    return textToolCalls && tools.length > 0
      ? new TextCalls(
          textToolCalls,
          tools.map(({ name }) => name),
        )
      : undefined;
  }

  #said = '';

  #text(text: string): ModelEvent {
    this.#passedOn = true;
    this.#said += text;
    return { type: 'text', text };
  }

  /** The endpoint may lack its `/v1`: the other possible base URL is tried once, and kept where it answers. */
  #tryOtherBase(end: AttemptEnd): boolean {
    const { bases, capabilities } = this.#model;
    const isMissing =
      end.kind === 'status'
        ? (end.status === 404 || end.status === 405) && !isModelMissing(end.error)
        : end.kind === 'foreign' && end.isPage;
    if (bases.length < 2 || this.#otherBase || !isMissing) return false;
    this.#otherBase = true;
    this.#attempts -= 1;
    capabilities.learn({ base: (capabilities.base + 1) % bases.length });
    return true;
  }

  #learn(end: AttemptEnd, body: Record<string, unknown>): ModelEvent | undefined {
    if (this.#lessons >= MAX_LESSONS || this.#passedOn) return undefined;
    const refusal = end.kind === 'status' ? end : inStream(end, this.#reader);
    if (!refusal || isContextLength(refusal.error)) return undefined;
    const { capabilities } = this.#model;
    const lesson = lessonOf(refusal.status, refusal.error, body, (field) => capabilities.isByHand(field));
    if (!lesson) return undefined;
    this.#lessons += 1;
    this.#attempts -= 1;
    capabilities.learn({ compat: lesson.change });
    const who = `${principalText(this.#connection.principal)}: ${this.#model.name} at ${this.#model.host}`;
    return {
      type: 'warning',
      code: 'capability',
      text: `${who} refused part of the request (${excerpt(this.#connection, refusal.error.message, 120)}); ${lesson.text}.`,
    };
  }

  /** Is this attempt to be made again? */
  #again(end: AttemptEnd): Again | undefined {
    if (this.#attempts >= this.#maxAttempts) return undefined;
    const again = this.#reasonToRetry(end);
    if (!again || !this.#passedOn) return again;
    const canResume = this.#connection.resumeStream === true && end.kind === 'read' && end.verdict === 'cut' && this.#reader.calls.isEmpty;
    if (!canResume || this.#said === '') return undefined;
    this.#before = this.#said;
    return again;
  }

  #reasonToRetry(end: AttemptEnd): Again | undefined {
    switch (end.kind) {
      case 'status': {
        if (!isRetriedStatus(end.status) || isQuota(end.error)) return undefined;
        const afterMs = retryAfterMs(end.response.headers, Date.now());
        const said = excerpt(this.#connection, end.error.message, 80);
        return {
          reason: `HTTP ${end.status}${said === '' ? '' : ` (${said})`}`,
          status: end.status,
          ...(afterMs !== undefined && { afterMs }),
        };
      }
      case 'network': {
        const { code, message } = causeOf(end.error);
        return isRetriedCode(code) && !isConfigError(end.error) ? { reason: code || excerpt(this.#connection, message, 80) } : undefined;
      }
      case 'foreign':
        return undefined;
      case 'read':
        return this.#reasonToReadAgain(end);
    }
  }

  #reasonToReadAgain(end: AttemptEnd & { kind: 'read' }): Again | undefined {
    if (end.verdict === 'cut' || end.verdict === 'nothing') {
      const { code, message } = end.error === undefined ? { code: '', message: 'the stream ended early' } : causeOf(end.error);
      return { reason: code || excerpt(this.#connection, message, 80) };
    }
    const { error } = this.#reader;
    const status = error && numericCode(error);
    if (end.verdict !== 'server_error' || !error || isQuota(error)) return undefined;
    return status !== undefined && isRetriedStatus(status) ? { reason: excerpt(this.#connection, error.message, 80), status } : undefined;
  }

  #tooLong({ afterMs = 0, status }: Again): Failure {
    const who = principalText(this.#connection.principal);
    const message = `${who}: ${this.#model.host} asks to wait ${durationText(afterMs)} (HTTP ${status}). Try again after that.`;
    return { kind: 'rate_limited', message, facts: { host: this.#model.host, status, retryAfterMs: Math.round(afterMs) } };
  }

  /** The end of the answer, after the last attempt. */
  async #settle(end: AttemptEnd, signal: AbortSignal): Promise<ModelEnd> {
    switch (end.kind) {
      case 'network':
        return this.#end('error', isConfigError(end.error) ? configFailure(end.error) : networkFailure(this.#connection, end.error));
      case 'foreign':
        return this.#end(
          'error',
          protocolFailure(this.#connection, `${this.#model.base.url}/chat/completions`, excerpt(this.#connection, end.what, 200)),
        );
      case 'status':
        return this.#end('error', await this.#statusFailure(end, signal));
      case 'read':
        return this.#settleRead(end);
    }
  }

  async #statusFailure(end: AttemptEnd & { kind: 'status' }, signal: AbortSignal): Promise<Failure> {
    const { status, error } = end;
    const fault = { status, error, model: this.#model.name, url: `${this.#model.base.url}/chat/completions` };
    if (status !== 404 && status !== 405 && !(status === 400 && isModelMissing(error))) return statusFailure(this.#connection, fault);
    const { lookAround } = await import('./catalog.js');
    return statusFailure(this.#connection, {
      ...fault,
      ...(await lookAround(this.#model.sdk, this.#connection.endpoint, this.#model.base, signal)),
    });
  }

  #settleRead({ verdict, error }: AttemptEnd & { kind: 'read' }): ModelEnd {
    const { name, host } = this.#model;
    const who = principalText(this.#connection.principal);
    switch (verdict) {
      case 'stop':
      case 'tool_calls':
        return this.#end(verdict);
      case 'length':
        return this.#end('length', {
          kind: 'incomplete',
          message: `${who}: the answer of ${name} at ${host} reached its length limit and is cut off.`,
          facts: { host },
        });
      case 'content_filter':
        return this.#end('content_filter', {
          kind: 'content_filter',
          message: `${who}: ${host} stopped the answer of ${name} (content filter).`,
          facts: { host },
        });
      case 'refusal': {
        const said = excerpt(this.#connection, this.#reader.refusal);
        return this.#end('refusal', {
          kind: 'refusal',
          message: `${who}: ${name} at ${host} refused to answer${said === '' ? '' : `: ${said}`}.`,
          facts: { host },
        });
      }
      case 'server_error': {
        const said = this.#reader.error ?? { message: `finish reason ${this.#reader.finishReason}` };
        return this.#end('error', serverErrorFailure(this.#connection, said, name));
      }
      default: {
        const hasCome = this.#passedOn || !this.#reader.calls.isEmpty;
        return this.#end('error', hasCome ? cutFailure(this.#connection, error) : noAnswerFailure(this.#connection, error));
      }
    }
  }

  #end(reason: EndReason, error?: Failure): ModelEnd {
    const isWholeAnswer = reason === 'stop' || reason === 'tool_calls';
    const taken = new Set(
      this.#request.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])).map(({ id }) => id),
    );
    const calls = reason === 'tool_calls' ? this.#reader.calls.finish(taken) : [];
    const read = this.#reader.message(calls);
    const message: AssistantMessage = {
      ...read,
      ...(this.#before !== '' && { content: this.#said }),
      ...(!isWholeAnswer && { incomplete: reason === 'aborted' ? 'aborted' : reason === 'length' ? 'length' : 'error' }),
    };
    return {
      type: 'end',
      reason,
      message,
      ...(this.#usage && { usage: this.#usage }),
      ...(error && { error }),
      textPassedOn: this.#passedOn,
    };
  }
}

const isWhole = (verdict: string) => verdict === 'stop' || verdict === 'tool_calls';

const reasonOf = ({ reason, status }: Again) => ({ reason, ...(status !== undefined && { status }) });

/** A refusal that came as an error frame, before any text. */
function inStream(
  end: AttemptEnd,
  reader: CompletionReader,
): { status: number; error: NonNullable<CompletionReader['error']> } | undefined {
  if (end.kind !== 'read' || end.verdict !== 'server_error' || !reader.error) return undefined;
  return { status: numericCode(reader.error) ?? 400, error: reader.error };
}

const isConfigError = (error: unknown): error is Error & { toFailure(): Failure } => error instanceof Error && 'toFailure' in error;

const configFailure = (error: { toFailure(): Failure }): Failure => error.toFailure();
