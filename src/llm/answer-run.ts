/** One answer over as many attempts as it takes, with what is learned from refusals, and one end for every stream. */
import type { Failure } from '../errors.js';
import { settle, tooLongFailure } from './answer-end.js';
import { type AttemptEnd, attempt } from './attempt.js';
import type { Capabilities } from './capabilities.js';
import { CompletionReader, type ServerError } from './completion-reader.js';
import { type Base, type ConnectionOptions, principalText } from './connection.js';
import { excerpt, isContextLength, isModelMissing, networkFailure, numericCode } from './faults.js';
import type { AssistantMessage } from './messages.js';
import type { EndReason, ModelEnd, ModelEvent, ModelRequest, Usage } from './port.js';
import { lessonOf } from './refusals.js';
import { Continuation, withContinuation } from './resume.js';
import { backoffMs, pause } from './retry-policy.js';
import { type Again, reasonToRetry } from './retry-reason.js';
import type { Sdk } from './sdk.js';
import { TextCalls } from './text-calls.js';
import { addUsage } from './usage.js';
import { requestBody } from './wire-request.js';

/** More lessons than there are parameters to leave out: the server refuses whatever comes. */
const MAX_LESSONS = 8;

/** What an answer needs of its model. */
export interface Asked {
  readonly name: string;
  readonly host: string;
  readonly connection: ConnectionOptions;
  readonly capabilities: Capabilities;
  /** Where it may answer, and where it is known to. */
  readonly bases: readonly Base[];
  readonly base: Base;
  readonly sdk: Sdk;
}

/** The working state of one answer. */
export class AnswerRun {
  readonly #model: Asked;
  readonly #connection: ConnectionOptions;
  readonly #request: ModelRequest;
  readonly #maxAttempts: number;
  #attempts = 0;
  #lessons = 0;
  #base: Base;
  #otherBase = false;
  #passedOn = false;
  #usage: Usage | undefined;
  /** Text that arrived before a cut, where the answer goes on after it. */
  #before = '';
  /** All text that was passed on. */
  #said = '';
  #reader = new CompletionReader();

  constructor(model: Asked, request: ModelRequest) {
    this.#model = model;
    this.#connection = model.connection;
    this.#request = request;
    this.#base = model.base;
    this.#maxAttempts = Math.max(1, model.connection.maxAttempts ?? 3);
  }

  async *events(): AsyncGenerator<ModelEvent> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const { signal } = this.#request;
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (const text of this.#model.capabilities.takeProblems()) yield { type: 'warning', code: 'compat', text: `settings.json: ${text}` };
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
      if (again.afterMs !== undefined && again.afterMs > capMs)
        return yield this.#end('error', tooLongFailure(this.#connection, again.afterMs, again.status));
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
    const pieces = attempt({ sdk: this.#model.sdk, base: this.#base, body, signal, reader: this.#reader });
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
    if (!isMissing && this.#otherBase) capabilities.learn({ base: bases.indexOf(this.#base) });
    if (bases.length < 2 || this.#otherBase || !isMissing) return false;
    this.#otherBase = true;
    this.#attempts -= 1;
    this.#base = bases.find((base) => base !== this.#base) ?? this.#base;
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
    const again = reasonToRetry(this.#connection, end, this.#reader);
    if (!again || !this.#passedOn) return again;
    const canResume = this.#connection.resumeStream === true && end.kind === 'read' && end.verdict === 'cut' && this.#reader.calls.isEmpty;
    if (!canResume || this.#said === '') return undefined;
    this.#before = this.#said;
    return again;
  }

  async #settle(end: AttemptEnd, signal: AbortSignal): Promise<ModelEnd> {
    const { sdk, name } = this.#model;
    const hasCome = this.#passedOn || !this.#reader.calls.isEmpty;
    const context = { connection: this.#connection, model: name, base: this.#base, sdk, signal, reader: this.#reader, hasCome };
    const { reason, error } = await settle(end, context);
    return this.#end(reason, error);
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
function inStream(end: AttemptEnd, { error }: CompletionReader): { status: number; error: ServerError } | undefined {
  if (end.kind !== 'read' || end.verdict !== 'server_error' || !error) return undefined;
  return { status: numericCode(error) ?? 400, error };
}
