/**
 * HTTP for the SDK over node:http(s), in place of the built-in fetch, whose parser costs a start 40 ms and an exit 100 ms:
 * kept-alive connections, one abort signal down to the socket, a time-out for each stage, proxies.
 */
import http, { type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import type { ProxySettings } from '../config/proxy.js';
import type { Timeouts } from './connection.js';

/** The only headers that reach the wire: whatever else the SDK or its environment adds stays here. */
const SENT_HEADERS = ['accept', 'content-type', 'authorization', 'api-key', 'user-agent'];

/** A failure of the network. `code` is the system's word for it (`ECONNREFUSED`), or one of the time-outs here. */
export class NetworkError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type TimeoutCode = 'CONNECT_TIMEOUT' | 'FIRST_BYTE_TIMEOUT' | 'IDLE_TIMEOUT';

/** What the SDK needs of a response, and the raw body that the reader takes. */
export interface WireResponse {
  /** Told to the SDK as true for every status, so that the failure is read here with its whole body. */
  ok: true;
  status: number;
  url: string;
  headers: { get(name: string): string | null; entries(): IterableIterator<[string, string]> };
  /** Bytes, one piece for each network read. */
  body: AsyncIterable<Uint8Array>;
  /** Why there is no answer; `status` is 0 then. The SDK would wrap it and lose the cause. */
  failure?: unknown;
}

export interface WireRequest {
  method?: string;
  headers?: Iterable<readonly [string, string]> | { entries(): Iterable<[string, string]> };
  body?: unknown;
  signal?: AbortSignal | null;
}

let plainAgent: Agent | undefined;
let tls: { agent: Agent; request: typeof http.request } | undefined;

async function tlsClient(): Promise<{ agent: Agent; request: typeof http.request }> {
  const https = await import('node:https');
  tls ??= { agent: new https.Agent({ keepAlive: true }), request: https.request };
  return tls;
}

async function clientFor(url: URL, proxy: ProxySettings | undefined): Promise<{ agent: Agent; request: typeof http.request }> {
  const named = url.protocol === 'https:' ? proxy?.https : proxy?.http;
  const proxied = named === undefined ? undefined : await (await import('./proxy-agent.js')).proxyAgentFor(url, named, proxy?.no);
  if (url.protocol === 'https:') {
    const client = await tlsClient();
    return proxied ? { ...client, agent: proxied } : client;
  }
  plainAgent ??= new http.Agent({ keepAlive: true });
  return { agent: proxied ?? plainAgent, request: http.request };
}

function headersOf(init: WireRequest): Record<string, string> {
  const given = init.headers ?? [];
  const entries = 'entries' in given && typeof given.entries === 'function' ? given.entries() : (given as Iterable<[string, string]>);
  const headers: Record<string, string> = {};
  for (const [name, value] of entries) {
    if (SENT_HEADERS.includes(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** One timer for one stage after the other. */
class StageTimer {
  #timer: NodeJS.Timeout | undefined;
  readonly #fail: (error: NetworkError) => void;

  constructor(fail: (error: NetworkError) => void) {
    this.#fail = fail;
  }

  start(code: TimeoutCode, ms: number, what: string): void {
    this.stop();
    this.#timer = setTimeout(() => this.#fail(new NetworkError(code, `${what} within ${ms / 1000} s`)), ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

interface Exchange {
  url: URL;
  init: WireRequest;
  timeouts: Timeouts;
  client: { agent: Agent; request: typeof http.request };
}

function send(exchange: Exchange): Promise<WireResponse> {
  const { url, init, timeouts, client } = exchange;
  return new Promise((resolve, reject) => {
    const body = typeof init.body === 'string' ? init.body : undefined;
    const headers = headersOf(init);
    if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
    const request = client.request(url, { method: init.method ?? 'GET', headers, agent: client.agent });
    const timer = new StageTimer((error) => request.destroy(error));
    const abort = () => request.destroy(new NetworkError('ABORTED', 'aborted'));
    const release = () => {
      timer.stop();
      init.signal?.removeEventListener('abort', abort);
    };
    if (init.signal?.aborted) abort();
    else init.signal?.addEventListener('abort', abort, { once: true });
    watchConnection(request, timer, timeouts);
    let answered = false;
    request.on('error', (error: NodeJS.ErrnoException) => {
      release();
      if (answered) return;
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !init.signal?.aborted;
      if (isStale) send(exchange).then(resolve, reject);
      else reject(error);
    });
    request.on('response', (response) => {
      answered = true;
      resolve(wireResponse(url, response, bodyOf(response, request, timer, timeouts, release)));
    });
    request.end(body);
  });
}

function watchConnection(request: ClientRequest, timer: StageTimer, timeouts: Timeouts): void {
  timer.start('CONNECT_TIMEOUT', timeouts.connectMs, 'no connection');
  const connected = () => timer.start('FIRST_BYTE_TIMEOUT', timeouts.firstByteMs, 'no answer');
  request.on('socket', (socket) => {
    if (!socket.connecting) return connected();
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
  });
}

/** The body piece by piece; what one network read brought is one piece. Ends with an error where the body is not whole. */
async function* bodyOf(
  response: IncomingMessage,
  request: ClientRequest,
  timer: StageTimer,
  timeouts: Timeouts,
  release: () => void,
): AsyncGenerator<Uint8Array> {
  let ended = false;
  let cause: Error | undefined;
  request.on('error', (error) => {
    cause ??= error;
  });
  try {
    for await (const piece of await decoded(response)) {
      timer.stop(); // a slow reader of ours is no silence of the server
      yield piece;
      timer.start('IDLE_TIMEOUT', timeouts.idleMs, 'nothing more arrived');
    }
    ended = true;
    // A body without a length ends with its connection, however that ended: only the request knows that it was a fault.
    if (cause) throw cause;
  } catch (error) {
    throw cause ?? response.errored ?? error;
  } finally {
    release();
    if (!ended) letGo(response);
  }
}

/** What may still come of an answer that is read: an end, not a flood. */
const MAX_REST = 64_000;

/** The reader has what it wants: a body that ends within a second leaves the connection usable, any other is closed. */
function letGo(response: IncomingMessage): void {
  if (response.destroyed) return;
  response.on('error', () => {});
  response.socket.unref();
  const timer = setTimeout(() => response.destroy(), 1000).unref();
  response.on('close', () => clearTimeout(timer));
  let rest = 0;
  response.on('data', (piece: Uint8Array) => {
    rest += piece.length;
    if (rest > MAX_REST) response.destroy();
  });
}

async function decoded(response: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  if (!encoding || encoding === 'identity') return response.iterator({ destroyOnReturn: false });
  const zlib = await import('node:zlib');
  const decoders: Record<string, () => NodeJS.ReadWriteStream> = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  const make = decoders[encoding];
  if (!make) throw new NetworkError('ENCODING', `the answer has the content encoding ${encoding}, which was not asked for`);
  const decoder = make() as NodeJS.ReadWriteStream & { destroy(error?: Error): void };
  response.on('error', (error) => decoder.destroy(error));
  return response.pipe(decoder) as unknown as AsyncIterable<Uint8Array>;
}

function wireResponse(url: URL, response: IncomingMessage, body: AsyncIterable<Uint8Array>): WireResponse {
  const entries = (): [string, string][] =>
    Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]);
  const get = (name: string) => {
    const value = response.headers[name.toLowerCase()];
    return value === undefined ? null : String(value);
  };
  return { ok: true, status: response.statusCode ?? 0, url: url.href, headers: { get, entries: () => entries().values() }, body };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A fetch for one connection. It never rejects: a fault is a response with status 0 and its cause in `failure`. */
export function createFetch(proxy: ProxySettings | undefined, timeouts: Timeouts) {
  return async (address: string | URL, init: WireRequest = {}): Promise<WireResponse> => {
    const url = new URL(address);
    try {
      return await send({ url, init, timeouts, client: await clientFor(url, proxy) });
    } catch (failure) {
      const headers = { get: () => null, entries: () => [].values() };
      return { ok: true, status: 0, url: url.href, headers, body: nothing(), failure };
    }
  };
}

/** The whole body as text, up to a number of bytes; the rest is not read. */
export async function readText(response: WireResponse, maxBytes = 1_000_000): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body) {
    pieces.push(piece);
    size += piece.length;
    if (size >= maxBytes) break;
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}
