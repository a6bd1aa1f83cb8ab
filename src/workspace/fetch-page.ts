/** Fetching one address, with every address that it resolves to checked before anything is sent. */
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { FrostError } from '../errors.js';

export const MAX_PAGE = 1024 * 1024;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 30_000;

export interface Page {
  url: URL;
  status: number;
  /** Media type and parameters, lower case. */
  type: string;
  body: Buffer;
  /** True where the body was longer than MAX_PAGE. */
  truncated: boolean;
}

export interface FetchOptions {
  signal: AbortSignal;
  /** True for an address (its host) that may be private or loopback. */
  mayBePrivate: (url: URL) => boolean;
  /** The agent of the proxy that an address is reached through, or undefined where it is reached directly. */
  agentFor: (url: URL) => Promise<http.Agent | undefined>;
  /** Asked before a redirect is followed; what it refuses ends the chain. */
  mayFollow: (url: URL) => Promise<boolean>;
}

/** A page, or the address of a redirect that was not followed. Throws FrostError naming the host. */
export async function fetchPage(start: URL, options: FetchOptions): Promise<Page | { redirect: URL }> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await request(url, options, signal).catch((error) => {
      throw requestError(error, url, options.signal);
    });
    const status = response.statusCode ?? 0;
    const location = response.headers.location;
    if (status < 300 || status >= 400 || location === undefined || !URL.canParse(location, url)) {
      const body = await read(response).catch((error) => {
        throw requestError(error, url, options.signal);
      });
      return { url, status, type: (response.headers['content-type'] ?? '').toLowerCase(), ...body };
    }
    response.destroy();
    url = new URL(location, url);
    if (!(await options.mayFollow(url))) return { redirect: url };
  }
  throw new FrostError('failed', `${start.host} redirects more than ${MAX_REDIRECTS} times.`);
}

async function request(url: URL, { mayBePrivate, agentFor }: FetchOptions, signal: AbortSignal): Promise<http.IncomingMessage> {
  const { default: ipaddr } = await import('ipaddr.js');
  const demandPublic = (address: string) => {
    const range = ipaddr.process(address.replace(/%.*$/, '')).range();
    if (range !== 'unicast' && !mayBePrivate(url)) throw new PrivateAddress(address, range);
  };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) demandPublic(host);
  // The connection goes to the very addresses that were checked: a name that changes its mind in between gains nothing.
  const lookup: LookupFunction = (name, lookupOptions, callback) => {
    dns.lookup(name, { ...lookupOptions, all: true }, (error, addresses) => {
      try {
        if (error) throw error;
        for (const { address } of addresses) demandPublic(address);
        const [first] = addresses;
        if (lookupOptions.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      } catch (refused) {
        callback(refused as NodeJS.ErrnoException, '', 0);
      }
    });
  };
  const proxy = await agentFor(url);
  if (proxy) await demandPublicName(host, demandPublic);
  const headers = {
    'user-agent': 'Mozilla/5.0 (compatible; frost)',
    accept: 'text/html,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5',
    'accept-encoding': 'gzip, br',
  };
  return await new Promise((resolve, reject) => {
    const module = url.protocol === 'https:' ? https : http;
    module.get(url, { ...(proxy ? { agent: proxy } : { agent: false, lookup }), headers, signal }, resolve).on('error', reject);
  });
}

/** Behind a proxy it is the proxy that looks the name up; a name that is known here to be private is refused all the same. */
async function demandPublicName(host: string, demandPublic: (address: string) => void): Promise<void> {
  const addresses = await dns.promises.lookup(host, { all: true }).catch(() => []);
  for (const { address } of addresses) demandPublic(address);
}

class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';

  constructor(address: string, range: string) {
    super(`it leads to ${address} (${range})`);
  }
}

/** The body up to the cap, unpacked; the rest is not waited for. */
async function read(response: http.IncomingMessage): Promise<{ body: Buffer; truncated: boolean }> {
  const encoding = response.headers['content-encoding'];
  const unpacker = encoding === 'gzip' ? zlib.createGunzip() : encoding === 'br' ? zlib.createBrotliDecompress() : undefined;
  const stream: Readable = unpacker ? response.pipe(unpacker) : response;
  if (unpacker) response.on('error', (error) => unpacker.destroy(error));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_PAGE) break;
    }
  } finally {
    response.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, MAX_PAGE), truncated: size > MAX_PAGE };
}

function requestError(error: unknown, url: URL, turn: AbortSignal): Error {
  if (turn.aborted) return new FrostError('interrupted', 'The fetch was stopped.');
  if (error instanceof PrivateAddress) {
    const rule = `--allow 'fetch_url(${url.origin}/*)'`;
    return new FrostError('denied', `${url.host} is not fetched: ${error.message}, which is not on the public internet; ${rule} opens it.`);
  }
  if ((error as Error).name === 'AbortError') return new FrostError('failed', `${url.host} did not answer within ${TIMEOUT_MS / 1000} s.`);
  const { code, message } = error as NodeJS.ErrnoException;
  return new FrostError('failed', `${url.host} cannot be reached (${code ?? message}).`);
}
