import type { Agent } from 'node:http';
import type { Verdict } from '../permissions/access.js';
import type { Tool, ToolResult } from '../profiles/tool.js';
import type { Page } from '../workspace/fetch-page.js';
import { imageType } from '../workspace/images.js';

export interface FetchUrlOptions {
  /** True for a host that a rule opens by name although it is private. */
  mayBePrivate: (url: URL) => boolean;
  /** The agent of the proxy that an address is reached through; default: none is. */
  agentFor?: (url: URL) => Promise<Agent | undefined>;
  /** The gate's verdict on the address of a redirect. */
  judge: (url: URL) => Promise<Verdict>;
}

export function fetchUrlTool({ mayBePrivate, judge, agentFor = async () => undefined }: FetchUrlOptions): Tool {
  return {
    name: 'fetch_url',
    description: 'Fetch an http(s) address as readable text.',
    parameters: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
    access: (args) => ({ kind: 'fetch', url: String(args['url']) }),
    summary: (args) => String(args['url']),
    async run(args, { signal }) {
      const mayFollow = async (url: URL) => (await judge(url)).verdict === 'allow';
      const { fetchPage } = await import('../workspace/fetch-page.js');
      const page = await fetchPage(new URL(String(args['url'])), { signal, mayBePrivate, mayFollow, agentFor });
      if ('redirect' in page)
        return `It redirects to ${page.redirect.href}, which was not fetched; call fetch_url with that address if it is wanted.`;
      return await resultOf(page);
    },
  };
}

async function resultOf({ url, status, type, body, truncated }: Page): Promise<ToolResult> {
  const details = { kind: 'data', data: { url: url.href, status, type, bytes: body.length, truncated } } as const;
  const isError = status >= 400 ? { isError: true } : {};
  const media = imageType(body);
  if (media && !truncated)
    return {
      text: `[${url.href}: ${media}, ${body.length} bytes]`,
      details,
      images: [{ type: 'image', url: `data:${media};base64,${body.toString('base64')}` }],
    };
  const notes = [status === 200 ? '' : `status ${status}`, truncated ? `only the first ${body.length} bytes` : ''].filter(Boolean);
  const note = notes.length > 0 ? `\n[${notes.join('; ')}]` : '';
  if (!isText(type, body)) return { text: `[${url.href} is ${type || 'binary'} data of ${body.length} bytes]${note}`, details, ...isError };
  const text = decodeAs(type, body);
  if (!/html/.test(type) && !/^\s*<(!doctype html|html)/i.test(text)) return { text: text + note, details, ...isError };
  const { readablePage } = await import('../workspace/readable.js');
  const page = await readablePage(text, url);
  return { text: `${page.title ? `# ${page.title}\n\n` : ''}${page.text}${note}`, details, ...isError };
}

const isText = (type: string, body: Buffer) => /^text\/|json|xml|javascript|yaml|toml|^$/.test(type) && !body.subarray(0, 8192).includes(0);

function decodeAs(type: string, body: Buffer): string {
  const charset = /charset="?([\w-]+)/.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
