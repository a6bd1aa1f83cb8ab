import type { AttemptEnd } from './attempt.js';
import type { CompletionReader, ServerError } from './completion-reader.js';
import type { ConnectionOptions } from './connection.js';
import { causeOf, excerpt, isQuota, numericCode } from './faults.js';
import { isRetriedCode, isRetriedStatus, retryAfterMs } from './retry-policy.js';

/** Why an attempt is made again. */
export interface Again {
  reason: string;
  status?: number;
  /** What the server asked for. */
  afterMs?: number;
}

/** A fault that the person has to mend, such as a proxy variable that is no URL. */
export const isOwnError = (error: unknown): boolean => error instanceof Error && 'toFailure' in error;

/** Would another try help? Whether one may still be made is the caller's matter. */
export function reasonToRetry(connection: ConnectionOptions, end: AttemptEnd, reader: CompletionReader): Again | undefined {
  switch (end.kind) {
    case 'status':
      return statusReason(connection, end);
    case 'network':
      return isOwnError(end.error) || !isRetriedCode(causeOf(end.error).code) ? undefined : { reason: causeText(connection, end.error) };
    case 'read':
      if (end.verdict === 'server_error') return reader.error && serverReason(connection, reader.error);
      if (end.verdict !== 'cut' && end.verdict !== 'nothing') return undefined;
      return { reason: end.error === undefined ? 'the stream ended early' : causeText(connection, end.error) };
    case 'foreign':
      return undefined;
  }
}

function causeText(connection: ConnectionOptions, error: unknown): string {
  const { code, message } = causeOf(error);
  return code || excerpt(connection, message, 80);
}

function statusReason(connection: ConnectionOptions, { status, error, response }: AttemptEnd & { kind: 'status' }): Again | undefined {
  if (!isRetriedStatus(status) || isQuota(error)) return undefined;
  const afterMs = retryAfterMs(response.headers, Date.now());
  const said = excerpt(connection, error.message, 80);
  return { reason: `HTTP ${status}${said === '' ? '' : ` (${said})`}`, status, ...(afterMs !== undefined && { afterMs }) };
}

/** An overload that the server reports inside the stream. */
function serverReason(connection: ConnectionOptions, error: ServerError): Again | undefined {
  const status = numericCode(error);
  if (status === undefined || !isRetriedStatus(status) || isQuota(error)) return undefined;
  return { reason: excerpt(connection, error.message, 80), status };
}
