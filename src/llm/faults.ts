/** Failures in words: what happened, to which agent, at which host, and what to do. */
import type { ErrorKind, Failure } from '../errors.js';
import { closest } from '../text/closest.js';
import type { ServerError } from './completion-reader.js';
import { type ConnectionOptions, hostOf, principalText } from './connection.js';
import { isCertificateCode } from './retry-policy.js';

const MAX_EXCERPT = 300;

/** One line of what the server said, without tags, shortened, secrets hidden. */
export function excerpt(connection: ConnectionOptions, text: string, max = MAX_EXCERPT): string {
  const visible = /<[a-z!][^>]*>/i.test(text) ? text.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ') : text;
  const line = masked(connection, visible)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function masked(connection: ConnectionOptions, text: string): string {
  const { key, mask } = connection;
  const value = key?.reveal() ?? '';
  const own = key && value.length >= 4 ? text.replaceAll(value, `<${key.name}>`) : text;
  return mask ? mask(own) : own;
}

const CONTEXT =
  /context.?length|context.?window|maximum context|context size|prompt (is )?too long|too many (input )?tokens|token count|reduce the length|input is too long|exceeds? .{0,40}(token|context)|tokens? .{0,40}exceed|n_ctx|num_ctx/i;

export const isContextLength = (error: ServerError): boolean => error.code === 'context_length_exceeded' || CONTEXT.test(error.message);

const QUOTA = /insufficient.?(quota|balance|credit|funds)|billing|exceeded your current quota|payment required|arrear/i;

/** Out of money, not out of patience: waiting does not help. */
export const isQuota = (error: ServerError): boolean => QUOTA.test(`${error.code} ${error.type} ${error.message}`);

const MODEL = /model/i;

/** Does a 404 mean the model, or the URL? */
export const isModelMissing = (error: ServerError): boolean => error.code === 'model_not_found' || MODEL.test(error.message);

export interface StatusFault {
  status: number;
  error: ServerError;
  model: string;
  url: string;
  /** Ids that the endpoint lists, where that was asked. */
  models?: string[];
  /** Base URL that answers, where the given one does not. */
  worksAt?: string;
}

/** The failure behind an HTTP status. */
export function statusFailure(connection: ConnectionOptions, fault: StatusFault): Failure {
  const { status, error } = fault;
  const host = hostOf(connection.endpoint);
  const who = principalText(connection.principal);
  const said = excerpt(connection, error.message);
  const quoted = said === '' ? `HTTP ${status}` : `HTTP ${status}: ${said}`;
  const { kind, sentence } = statusSentence(connection, fault, host, quoted);
  return { kind, message: `${who}: ${sentence}`, facts: { host, status, ...(error.code !== undefined && { code: error.code }) } };
}

function statusSentence(
  connection: ConnectionOptions,
  fault: StatusFault,
  host: string,
  quoted: string,
): { kind: ErrorKind; sentence: string } {
  const { status, error } = fault;
  const key = connection.key?.name;
  if ((isContextLength(error) && status < 500) || status === 413) {
    return {
      kind: 'context_length',
      sentence: `the conversation is too long for ${fault.model} at ${host} (${quoted}). Compact it (/compact), lower MAX_CONTEXT_CHARS, or start a new session.`,
    };
  }
  if (isQuota(error) || status === 402) {
    return {
      kind: 'rate_limited',
      sentence: `${host} reports no credit or quota left (${quoted}). Check the account behind ${key ?? 'this endpoint'}.`,
    };
  }
  if (status === 401 || status === 403) {
    const advice = key ? `Check ${key}.` : `It seems to need a key: set ${keyVariable(connection)}.`;
    return { kind: 'auth', sentence: `${host} refused ${key ? 'the key' : 'a request without a key'} (${quoted}). ${advice}` };
  }
  if (status === 407)
    return { kind: 'config', sentence: `the proxy asks for a login (${quoted}). Put user and password into HTTP_PROXY or HTTPS_PROXY.` };
  if (status === 404 || status === 405) return notFound(fault, host, quoted);
  if (status >= 300 && status < 400) {
    return {
      kind: 'wrong_endpoint',
      sentence: `${host} redirects elsewhere (${quoted}), which a key does not follow. Set the endpoint to the address it names.`,
    };
  }
  if (status === 429) return { kind: 'rate_limited', sentence: `${host} limits the rate of requests (${quoted}). Try again later.` };
  if (status === 408 || status === 409 || status >= 500) {
    return { kind: 'unavailable', sentence: `${host} is unavailable (${quoted}). Try again later.` };
  }
  if (isModelMissing(error) && /not (found|exist|support)|unknown|invalid|does not/i.test(error.message) && fault.models)
    return notFound(fault, host, quoted);
  return { kind: 'bad_request', sentence: `${host} refused the request (${quoted}).` };
}

function notFound(fault: StatusFault, host: string, quoted: string): { kind: ErrorKind; sentence: string } {
  if (fault.worksAt !== undefined) {
    return { kind: 'wrong_endpoint', sentence: `there is no chat at ${fault.url} (${quoted}). Set the endpoint to ${fault.worksAt}.` };
  }
  if (isModelMissing(fault.error) || fault.models) {
    const names = fault.models ? nearestText(fault.model, fault.models) : '';
    return { kind: 'model_not_found', sentence: `${host} does not have the model ${fault.model} (${quoted}).${names}` };
  }
  return { kind: 'wrong_endpoint', sentence: `there is nothing at ${fault.url} (${quoted}). Check the base URL; it usually ends in /v1.` };
}

/** « Did you mean X? It has: …». */
export function nearestText(model: string, models: string[]): string {
  if (models.length === 0) return ' It lists no models.';
  if (models.includes(model)) return ' It lists that name all the same.';
  const near = closest(model, models) ?? models.find((name) => name.includes(model) || model.includes(name));
  const shown = models.slice(0, 8).join(', ');
  const rest = models.length > 8 ? ` and ${models.length - 8} more` : '';
  return `${near ? ` Did you mean ${near}?` : ''} It lists ${shown}${rest}.`;
}

/** The variable that a key for this principal goes into. */
export function keyVariable({ principal }: ConnectionOptions): string {
  return principal === 'main' ? 'UPSTREAM_API_KEY' : `${principal.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`;
}

const endpointName = (connection: ConnectionOptions) =>
  connection.endpointName ?? keyVariable(connection).replace(/_API_KEY$/, '_ENDPOINT');

/** The code of the innermost cause that has one. */
export function causeOf(error: unknown): { code: string; message: string } {
  let code = '';
  let message = '';
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    const inner = at instanceof AggregateError && at.errors[0] instanceof Error ? at.errors[0] : at;
    if ('code' in inner && typeof inner.code === 'string') code = inner.code;
    message = inner.message || message;
  }
  return { code, message: message || String(error) };
}

/** The failure behind a request that got no answer. */
export function networkFailure(connection: ConnectionOptions, error: unknown): Failure {
  const host = hostOf(connection.endpoint);
  const who = principalText(connection.principal);
  const { code, message } = causeOf(error);
  const said = excerpt(connection, message);
  const { kind = 'unavailable', text } = networkSentence(connection, code, said, host);
  return { kind, message: `${who}: ${text}`, facts: { host, ...(code !== '' && { code }) } };
}

function proxyText(connection: ConnectionOptions): string {
  const isSecure = connection.endpoint.startsWith('https:');
  const value = isSecure ? connection.proxy?.https : connection.proxy?.http;
  return value === undefined
    ? ''
    : ` The proxy in ${isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY'} is used for this host; NO_PROXY lists exceptions.`;
}

function networkSentence(connection: ConnectionOptions, code: string, said: string, host: string): { kind?: ErrorKind; text: string } {
  const variable = endpointName(connection);
  const proxy = proxyText(connection);
  const cause = code !== '' && !said.includes(code) ? `${code}: ${said}` : said;
  if (isCertificateCode(code)) {
    const text = `the certificate of ${host} is not trusted (${cause}). If it is your own, name its CA file in NODE_EXTRA_CA_CERTS.`;
    return { kind: 'config', text };
  }
  switch (code) {
    case 'ECONNREFUSED':
      return {
        text: `nothing listens at ${withPort(connection.endpoint)} (${cause}). Is the server running? ${variable} names it.${proxy}`,
      };
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { text: `the host ${host} was not found (${cause}). Check ${variable} and your network.${proxy}` };
    case 'CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { text: `no connection to ${host} (${cause}). Check ${variable} and your network.${proxy}` };
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return { kind: 'wrong_endpoint', text: `${host} does not speak TLS (${cause}). Is it http:// instead of https://?` };
    case 'FIRST_BYTE_TIMEOUT':
      return { text: `${host} took the request but did not answer (${cause}). FROST_FIRST_BYTE_TIMEOUT sets how long to wait.` };
    case 'IDLE_TIMEOUT':
      return { text: `${host} went silent in mid-answer (${cause}). FROST_IDLE_TIMEOUT sets how long to wait.` };
    default:
      return { text: `the connection to ${host} failed (${cause}).${proxy}` };
  }
}

/** `host:port`, the scheme's own port included: what a refused connection was tried at. */
function withPort(endpoint: string): string {
  if (!URL.canParse(endpoint)) return endpoint;
  const url = new URL(endpoint);
  return url.port === '' ? `${url.host}:${url.protocol === 'https:' ? 443 : 80}` : url.host;
}

/** The answer broke off before anything of it had come. */
export function noAnswerFailure(connection: ConnectionOptions, error: unknown): Failure {
  if (error !== undefined) return networkFailure(connection, error);
  const host = hostOf(connection.endpoint);
  const who = principalText(connection.principal);
  return { kind: 'unavailable', message: `${who}: ${host} ended the stream without an answer. Try again later.`, facts: { host } };
}

/** The answer ended before its end: text may have arrived, more was to come. */
export function cutFailure(connection: ConnectionOptions, error: unknown): Failure {
  const host = hostOf(connection.endpoint);
  const who = principalText(connection.principal);
  const { code, message } = error === undefined ? { code: '', message: '' } : causeOf(error);
  const said = excerpt(connection, message);
  const cause =
    error === undefined ? 'the stream ended without a finish reason' : code !== '' && !said.includes(code) ? `${code}: ${said}` : said;
  return {
    kind: 'incomplete',
    message: `${who}: the answer of ${host} is incomplete (${cause}). Ask again, or use --resume-stream to continue after a cut.`,
    facts: { host, ...(code !== '' && { code }) },
  };
}

/** An error that came inside a 200 answer. */
export function serverErrorFailure(connection: ConnectionOptions, error: ServerError, model: string, hasCome: boolean): Failure {
  const status = numericCode(error);
  if (status !== undefined) return statusFailure(connection, { status, error, model, url: connection.endpoint });
  const host = hostOf(connection.endpoint);
  const who = principalText(connection.principal);
  if (isContextLength(error)) return statusFailure(connection, { status: 400, error, model, url: connection.endpoint });
  const said = excerpt(connection, error.message);
  const isPlace = !hasCome && /endpoint|method|route|path|not found/i.test(error.message);
  const advice = isPlace ? ' Check the base URL; it usually ends in /v1.' : '';
  const message = `${who}: ${host} reported an error ${hasCome ? 'in mid-answer' : 'instead of an answer'}: ${said}${advice}`;
  return { kind: isPlace ? 'wrong_endpoint' : 'failed', message, facts: { host } };
}

/** An HTTP status that the error names as its code. */
export function numericCode({ code }: ServerError): number | undefined {
  const status = Number(code);
  return status >= 400 && status < 600 ? status : undefined;
}

/** The body was something else than an answer: a web page, other JSON, nothing. */
export function protocolFailure(connection: ConnectionOptions, url: string, what: string): Failure {
  const host = hostOf(connection.endpoint);
  const who = principalText(connection.principal);
  const message = `${who}: ${url} gave no chat answer but ${what}. Check the base URL; it usually ends in /v1.`;
  return { kind: 'protocol', message, facts: { host } };
}
