import { FrostError } from '../errors.js';

/** Proxies as the environment names them; `no` lists hosts that are reached directly. */
export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  readonly no?: string;
}

function isProxyUrl(text: string): boolean {
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    return /^https?:$/.test(url.protocol) && url.hostname !== '';
  } catch {
    return false;
  }
}

/** Throws FrostError `config` that names the variable where the proxy for this endpoint is not an http(s) URL. */
export function checkProxy(proxy: ProxySettings, endpoint: string): void {
  const isSecure = endpoint.startsWith('https:');
  const value = isSecure ? proxy.https : proxy.http;
  if (value === undefined || isProxyUrl(value)) return;
  const name = isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const example = 'such as http://proxy.example.com:8080';
  throw new FrostError('config', `${name} is not the URL of an http proxy. Set it to a URL ${example}, or unset it.`, { variable: name });
}
