import type { Agent } from 'node:http';
import { FrostError } from '../errors.js';

const agents = new Map<string, Agent>();

/** Is this host to be reached directly? `no` lists hosts, `.suffixes`, `*.suffixes`, `host:port` or `*`. */
export function isDirect(url: URL, no: string | undefined): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return (no ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', entryPort] = /^(?:\[([^\]]+)\]|.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const bare = (name || entry.replace(/:\d+$/, '')).replace(/^\*/, '');
      if (entryPort && entryPort !== port) return false;
      return bare.startsWith('.') ? host.endsWith(bare) || host === bare.slice(1) : host === bare || host.endsWith(`.${bare}`);
    });
}

/**
 * An agent that goes through the proxy, or undefined where the host is reached directly. Throws FrostError `config` for a
 * value that is no proxy URL, naming its variable.
 */
export async function proxyAgentFor(url: URL, proxy: string, no: string | undefined): Promise<Agent | undefined> {
  if (isDirect(url, no)) return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  const id = `${url.protocol} ${address}`;
  const known = agents.get(id);
  if (known) return known;
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  if (!URL.canParse(address) || !/^https?:/i.test(address)) {
    throw new FrostError(
      'config',
      `${variable} is not the URL of an http proxy. Set it to a URL such as http://proxy.example.com:8080, or unset it.`,
      {
        variable,
      },
    );
  }
  const agent = (url.protocol === 'https:'
    ? new (await import('https-proxy-agent')).HttpsProxyAgent(address, { keepAlive: true })
    : new (await import('http-proxy-agent')).HttpProxyAgent(address, { keepAlive: true })) as unknown as Agent;
  agents.set(id, agent);
  return agent;
}
