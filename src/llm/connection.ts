import type { Key } from '../config/principal.js';
import type { ProxySettings } from '../config/proxy.js';
import type { CompatSettings } from './compat.js';

/** How one principal reaches its endpoint. Times in ms. */
export interface ConnectionOptions {
  /** `main`, or the specialist's name: named in every failure. */
  principal: string;
  /** Base URL, with or without `/v1`, a trailing slash or `/chat/completions`. A query is kept. */
  endpoint: string;
  /** Where the endpoint was set, for failures: a variable, or a file. Default: the principal's own variable. */
  endpointName?: string;
  key?: Key;
  proxy?: ProxySettings;
  /** Hides known secrets; applied to every text of the server that is passed on in a failure. */
  mask?: (text: string) => string;
  /** Default 10,000. */
  connectTimeoutMs?: number;
  /** Until the first byte of the answer's body. Default 120,000. */
  firstByteTimeoutMs?: number;
  /** Between two bytes of the answer. Default 120,000. */
  idleTimeoutMs?: number;
  /** Requests in all for one answer. Default 3. */
  maxAttempts?: number;
  /** The longest wait that a server may ask for. Default 60,000. */
  retryAfterCapMs?: number;
  /** `compat` of settings.json. */
  compat?: CompatSettings;
  /** Where learned capabilities are kept; without it they are kept for this process. */
  capabilityFile?: string;
  /** After a cut in mid-text: ask for the rest, instead of failing with the partial text. */
  resumeStream?: boolean;
}

export interface Timeouts {
  connectMs: number;
  firstByteMs: number;
  idleMs: number;
}

export function timeoutsOf(connection: ConnectionOptions): Timeouts {
  return {
    connectMs: connection.connectTimeoutMs ?? 10_000,
    firstByteMs: connection.firstByteTimeoutMs ?? 120_000,
    idleMs: connection.idleTimeoutMs ?? 120_000,
  };
}

/** `host:port` as a person would name it; the port of the scheme is left out. */
export function hostOf(endpoint: string): string {
  try {
    return new URL(endpoint).host;
  } catch {
    return endpoint;
  }
}

/** «main agent», or the specialist's name. */
export function principalText(principal: string): string {
  return principal === 'main' ? 'main agent' : principal;
}

/** A base URL apart: path without trailing slash, and the query that every request carries (Azure's `api-version`). */
export interface Base {
  url: string;
  query: Record<string, string>;
}

/**
 * The base URLs that may be meant, likeliest first: an endpoint without a path means `/v1`; one whose path does not end in a
 * version may lack it; one that names the operation itself is cut back.
 */
export function basesOf(endpoint: string): [Base, ...Base[]] {
  const url = new URL(endpoint);
  const query = Object.fromEntries(url.searchParams);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(chat\/completions|models)$/, '');
  const base = (pathname: string): Base => ({ url: `${url.origin}${pathname}`, query });
  if (path === '') return [base('/v1'), base('')];
  if (/\/v\d+[a-z]*\d*(\/|$)/.test(path) || path.includes('/deployments/')) return [base(path)];
  return [base(path), base(`${path}/v1`)];
}
