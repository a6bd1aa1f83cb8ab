/** The openai SDK as frost uses it: one client per connection, nothing read from the environment, no retry, no log, no headers of its own. */
import OpenAI from 'openai';
import { cleanKey } from '../config/key-text.js';
import type { Base, ConnectionOptions } from './connection.js';
import { timeoutsOf } from './connection.js';
import { createFetch, type WireRequest, type WireResponse } from './transport.js';

/** Longer than any time-out of ours: the SDK's own never fires. */
const NEVER_MS = 2_147_483_647;

const version = typeof FROST_VERSION === 'string' ? FROST_VERSION : '0.0.0';

/** Azure's endpoints take an API key in a header of their own. */
const isAzure = (url: string) => /\.azure\.com$/.test(new URL(url).hostname);

export interface Sdk {
  chat(base: Base, body: Record<string, unknown>, signal: AbortSignal): Promise<WireResponse>;
  models(base: Base, signal: AbortSignal): Promise<WireResponse>;
  get(url: string, signal: AbortSignal): Promise<WireResponse>;
  post(url: string, body: Record<string, unknown>, signal: AbortSignal): Promise<WireResponse>;
}

/** Headers of every request, the key revealed or as its name. */
export function requestHeaders(connection: ConnectionOptions, url: string, key: string | undefined): Record<string, string> {
  return {
    accept: 'text/event-stream, application/json',
    'user-agent': `frost/${version}`,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(key !== undefined && connection.key && isAzure(url) && { 'api-key': key }),
  };
}

/** What is sent is masked too: a key that one model said in its answer does not travel on to the endpoint of another. */
function createMaskedFetch(connection: ConnectionOptions) {
  const fetch = createFetch(connection.proxy, timeoutsOf(connection));
  const { mask } = connection;
  if (!mask) return fetch;
  return (address: string | URL, init: WireRequest = {}) =>
    fetch(address, typeof init.body === 'string' ? { ...init, body: mask(init.body) } : init);
}

export function createSdk(connection: ConnectionOptions): Sdk {
  const fetch = createMaskedFetch(connection);
  const clients = new Map<string, OpenAI>();
  const clientOf = (base: Base): OpenAI => {
    const known = clients.get(base.url);
    if (known) return known;
    const key = connection.key && cleanKey(connection.key.name, connection.key.reveal());
    const client = new OpenAI({
      apiKey: key ?? 'none',
      baseURL: base.url,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      defaultQuery: base.query,
      defaultHeaders: { authorization: null, ...requestHeaders(connection, base.url, key) },
      logLevel: 'off',
      maxRetries: 0,
      timeout: NEVER_MS,
      fetch: fetch as unknown as typeof globalThis.fetch,
      dangerouslyAllowBrowser: true,
    });
    clients.set(base.url, client);
    return client;
  };
  const wire = async (pending: Promise<unknown>): Promise<WireResponse> => {
    const response = (await pending) as WireResponse;
    if (response.failure !== undefined) throw response.failure;
    return response;
  };
  return {
    chat: (base, body, signal) => wire(clientOf(base).post('/chat/completions', { body, signal, stream: true }).asResponse()),
    models: (base, signal) => wire(clientOf(base).get('/models', { signal }).asResponse()),
    get: (url, signal) =>
      wire(
        clientOf({ url: new URL(url).origin, query: {} })
          .get(url, { signal })
          .asResponse(),
      ),
    post: (url, body, signal) =>
      wire(
        clientOf({ url: new URL(url).origin, query: {} })
          .post(url, { body, signal })
          .asResponse(),
      ),
  };
}
