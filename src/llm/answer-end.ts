/** How an answer ended, once no attempt is left: the reason, and the failure in words. */
import { type Failure, toFailure } from '../errors.js';
import type { AttemptEnd } from './attempt.js';
import type { CompletionReader } from './completion-reader.js';
import { type Base, type ConnectionOptions, hostOf, principalText } from './connection.js';
import {
  cutFailure,
  excerpt,
  isModelMissing,
  networkFailure,
  noAnswerFailure,
  protocolFailure,
  serverErrorFailure,
  statusFailure,
} from './faults.js';
import type { EndReason } from './port.js';
import { durationText } from './retry-policy.js';
import { isOwnError } from './retry-reason.js';
import type { Sdk } from './sdk.js';

export interface Settled {
  reason: EndReason;
  error?: Failure;
}

export interface EndContext {
  connection: ConnectionOptions;
  model: string;
  base: Base;
  sdk: Sdk;
  signal: AbortSignal;
  reader: CompletionReader;
  /** Has anything of an answer come, in this attempt or before? */
  hasCome: boolean;
}

const urlOf = ({ base }: EndContext) => `${base.url}/chat/completions`;

export async function settle(end: AttemptEnd, context: EndContext): Promise<Settled> {
  const { connection } = context;
  switch (end.kind) {
    case 'network':
      return { reason: 'error', error: isOwnError(end.error) ? toFailure(end.error) : networkFailure(connection, end.error) };
    case 'foreign':
      return { reason: 'error', error: protocolFailure(connection, urlOf(context), excerpt(connection, end.what, 200)) };
    case 'status':
      return { reason: 'error', error: await failureOfStatus(end, context) };
    case 'read':
      return settleRead(end, context);
  }
}

async function failureOfStatus({ status, error }: AttemptEnd & { kind: 'status' }, context: EndContext): Promise<Failure> {
  const { connection, model, base, sdk, signal } = context;
  const fault = { status, error, model, url: urlOf(context) };
  const isPlace = status === 404 || status === 405 || (status === 400 && isModelMissing(error));
  if (!isPlace) return statusFailure(connection, fault);
  const { lookAround } = await import('./catalog.js');
  return statusFailure(connection, { ...fault, ...(await lookAround(sdk, connection.endpoint, base, signal)) });
}

function settleRead({ verdict, error }: AttemptEnd & { kind: 'read' }, context: EndContext): Settled {
  const { connection, model, reader, hasCome } = context;
  const host = hostOf(connection.endpoint);
  const who = principalText(connection.principal);
  const failure = (kind: Failure['kind'], sentence: string): Failure => ({ kind, message: `${who}: ${sentence}`, facts: { host } });
  switch (verdict) {
    case 'stop':
    case 'tool_calls':
      return { reason: verdict };
    case 'length':
      return {
        reason: 'length',
        error: failure('incomplete', `the answer of ${model} at ${host} reached its length limit and is cut off.`),
      };
    case 'content_filter':
      return { reason: verdict, error: failure('content_filter', `${host} stopped the answer of ${model} (content filter).`) };
    case 'refusal': {
      const said = excerpt(connection, reader.refusal);
      return { reason: verdict, error: failure('refusal', `${model} at ${host} refused to answer${said === '' ? '' : `: ${said}`}.`) };
    }
    case 'server_error':
      return {
        reason: 'error',
        error: serverErrorFailure(connection, reader.error ?? { message: `finish reason ${reader.finishReason}` }, model, hasCome),
      };
    default:
      return { reason: 'error', error: hasCome ? cutFailure(connection, error) : noAnswerFailure(connection, error) };
  }
}

/** The server asks for more patience than the run has. */
export function tooLongFailure(connection: ConnectionOptions, afterMs: number, status: number | undefined): Failure {
  const host = hostOf(connection.endpoint);
  const who = principalText(connection.principal);
  const message = `${who}: ${host} asks to wait ${durationText(afterMs)} (HTTP ${status}). Try again after that.`;
  return { kind: 'rate_limited', message, facts: { host, status, retryAfterMs: Math.round(afterMs) } };
}
