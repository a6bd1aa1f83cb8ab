/** One request and the reading of its answer. */
import { type CompletionReader, errorIn, type ServerError, type Verdict } from './completion-reader.js';
import type { Base } from './connection.js';
import { EventStreamReader } from './event-stream.js';
import type { Sdk } from './sdk.js';
import { readText, type WireResponse } from './transport.js';

/** After its finish reason a stream may still bring the usage; one that neither does nor ends is not waited for longer. */
const AFTER_FINISH_MS = 3000;

/** After `[DONE]` the body's end is mostly there already; read, it leaves the connection to the next request. */
const AFTER_DONE_MS = 15;

export type AttemptEnd =
  /** The answer was read; `verdict` says what it is. */
  | { kind: 'read'; verdict: Verdict; error?: unknown }
  /** The server answered with a status that is no success. */
  | { kind: 'status'; status: number; error: ServerError; response: WireResponse }
  /** No answer: the network failed. */
  | { kind: 'network'; error: unknown }
  /** Status 200, but no answer in it. */
  | { kind: 'foreign'; what: string; isPage: boolean };

export type Progress = { text: string; reasoning: string; startedCalls: string[] };

interface AttemptOptions {
  sdk: Sdk;
  base: Base;
  body: Record<string, unknown>;
  signal: AbortSignal;
  /** Where the answer is put together. */
  reader: CompletionReader;
}

/** Yields what arrives, one piece for each network read. */
export async function* attempt({ sdk, base, body, signal, reader }: AttemptOptions): AsyncGenerator<Progress, AttemptEnd> {
  let response: WireResponse;
  try {
    response = await sdk.chat(base, body, signal);
  } catch (error) {
    return { kind: 'network', error };
  }
  if (response.status < 200 || response.status >= 300) return statusEnd(response);
  return yield* readAnswer(response, reader);
}

async function statusEnd(response: WireResponse): Promise<AttemptEnd> {
  let text = '';
  try {
    text = await readText(response, 256_000);
  } catch {
    // The status alone says enough.
  }
  const location = response.headers.get('location');
  const error = response.status >= 300 && response.status < 400 && location ? { message: `Location: ${location}` } : errorOfBody(text);
  return { kind: 'status', status: response.status, error, response };
}

/** The error that a body describes, as JSON in one of many shapes or as plain text. */
export function errorOfBody(text: string): ServerError {
  try {
    const value: unknown = JSON.parse(text);
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'object' && first !== null) {
      const fields = first as Record<string, unknown>;
      return errorIn(fields) ?? errorIn({ error: fields }) ?? { message: text };
    }
  } catch {}
  return { message: text };
}

async function* readAnswer(response: WireResponse, reader: CompletionReader): AsyncGenerator<Progress, AttemptEnd> {
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/html|application\/xhtml/i.test(type)) return foreign(response, await readText(response, 4000).catch(() => ''));
  const stream = new EventStreamReader((frame) => reader.accept(frame));
  let done = false;
  let error: unknown;
  const pieces = response.body[Symbol.asyncIterator]();
  try {
    while (!done && !reader.error) {
      const piece = await (reader.isFinished ? within(AFTER_FINISH_MS, pieces.next()) : pieces.next());
      if (!piece) break;
      const batch = piece.done ? stream.end() : stream.read(piece.value);
      if (batch.damaged !== undefined && !reader.isFinished) error = damaged(batch.damaged);
      done = batch.done || (piece.done === true && !stream.isEventStream && batch.frames > 0);
      const fresh = reader.take();
      if (fresh.text !== '' || fresh.reasoning !== '' || fresh.startedCalls.length > 0) yield fresh;
      if (piece.done || error !== undefined) break;
    }
    if (done) await within(AFTER_DONE_MS, pieces.next());
  } catch (thrown) {
    error = thrown;
  } finally {
    void pieces.return?.().catch(() => {});
  }
  reader.close();
  const rest = reader.take();
  if (rest.text !== '' || rest.reasoning !== '') yield rest;
  // A fault after the server has said that it is done takes nothing from the answer.
  const verdict = error !== undefined && !reader.isFinished && !done && !reader.error ? 'cut' : reader.verdict(done);
  if (verdict === 'nothing' && error === undefined && !isBareStream(type, stream)) return foreign(response, stream.raw);
  return { kind: 'read', verdict, ...(error !== undefined && { error }) };
}

/** An event stream with comments or empty events only: right in form, but without an answer. */
const isBareStream = (type: string, stream: EventStreamReader): boolean =>
  stream.isEventStream || (/event-stream/i.test(type) && /^(:|event:|retry:|id:)/.test(stream.raw.trim()));

const damaged = (text: string) => new Error(`a damaged frame: ${text.slice(0, 60)}`);

function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function foreign(response: WireResponse, text: string): AttemptEnd {
  const type = response.headers.get('content-type') ?? 'no content type';
  const isPage = /html/i.test(type) || /^\s*<(!doctype|html)/i.test(text);
  const what = text.trim() === '' ? `an empty body (${type})` : `${type}: ${text}`;
  return { kind: 'foreign', what, isPage };
}
