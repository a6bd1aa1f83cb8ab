import http from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type WorkspaceScene, workspaceScene } from '../support/workspace-scene.js';

const pages: Record<string, (request: http.IncomingMessage, response: http.ServerResponse) => void> = {
  '/text': (_, response) => response.setHeader('content-type', 'text/plain; charset=iso-8859-1').end(Buffer.from('gr\xfc\xdf', 'latin1')),
  '/json': (_, response) =>
    response.setHeader('content-type', 'application/json').setHeader('content-encoding', 'gzip').end(zlib.gzipSync('{"a":1}')),
  '/article': (_, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><html><head><title>The title</title><script>evil()</script></head><body>
      <nav><a href="/menu">Menu</a></nav>
      <article><h2>Part one</h2><p>${'A sentence that is long enough to be content. '.repeat(20)}</p><p>See <a href="next">the next page</a>.</p></article></body></html>`),
  '/missing': (_, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page'),
  '/endless': (_, response) => {
    response.setHeader('content-type', 'text/plain');
    const more = () => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', more);
    };
    more();
    response.on('close', () => response.removeAllListeners('drain'));
  },
  '/bomb': (_, response) =>
    response
      .setHeader('content-type', 'text/plain')
      .setHeader('content-encoding', 'gzip')
      .end(zlib.gzipSync(Buffer.alloc(50_000_000, 120))),
  '/binary': (_, response) => response.setHeader('content-type', 'application/zip').end(Buffer.from('PK\x03\x04\0\0')),
  '/here': (_, response) => response.writeHead(302, { location: '/text' }).end(),
  '/away': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/silent': () => {},
};

let server: http.Server;
let origin: string;
let requests: string[] = [];
let scene: WorkspaceScene;

beforeAll(async () => {
  server = http.createServer((request, response) => {
    requests.push(request.url ?? '');
    pages[request.url ?? '']?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  scene?.close();
  requests = [];
});

const open = () => {
  scene = workspaceScene({ mode: 'ask', allow: [`fetch_url(${origin}/*)`] });
};
const get = (path: string, signal?: AbortSignal) => scene.call('fetch_url', { url: path.startsWith('/') ? origin + path : path }, signal);

describe('fetch_url', () => {
  it('gives text in its own encoding, and unpacks it', async () => {
    open();
    expect((await get('/text')).text).toBe('grüß');
    expect(await get('/json')).toMatchObject({ text: '{"a":1}', details: { data: { status: 200, type: 'application/json' } } });
  });

  it('gives the content of a page without its menus and scripts, links made whole', async () => {
    open();
    const { text } = await get('/article');
    expect(text).toMatch(/^# The title\n\n/);
    expect(text).toContain('## Part one');
    expect(text).toContain(`[the next page](${origin}/next)`);
    expect(text).not.toMatch(/evil|Menu/);
  });

  it('tells a failed status and binary data', async () => {
    open();
    expect(await get('/missing')).toMatchObject({ text: 'no such page\n[status 404]', isError: true });
    expect((await get('/binary')).text).toContain('is application/zip data of 6 bytes');
  });

  it.each(['/endless', '/bomb'])('stops %s at 1 MB', async (page) => {
    open();
    const { text } = await get(page);
    expect(text).toMatch(/x\n\[only the first 1048576 bytes\]$/);
  });

  it('follows a redirect that the rules allow and no other', async () => {
    open();
    expect((await get('/here')).text).toBe('grüß');
    expect((await get('/away')).text).toContain('redirects to http://169.254.169.254/latest/meta-data/, which was not fetched');
    await expect(get('/loop')).rejects.toThrow('redirects more than 5 times');
  });

  it('refuses the redirect to a private address even where every address may be fetched', async () => {
    scene = workspaceScene({ mode: 'full', allow: [`fetch_url(${origin}/*)`] });
    await expect(get('/away')).rejects.toThrow('169.254.169.254 is not fetched: it leads to 169.254.169.254 (linkLocal)');
  });

  it('ends when the turn is stopped', async () => {
    open();
    const stop = new AbortController();
    const running = get('/silent', stop.signal);
    await expect.poll(() => requests).toEqual(['/silent']);
    stop.abort();
    await expect(running).rejects.toThrow('stopped');
  });

  const PRIVATE = [
    'http://127.0.0.1:PORT/text',
    'http://localhost:PORT/text',
    'http://127.1:PORT/text',
    'http://2130706433:PORT/text',
    'http://0x7f.0.0.1:PORT/text',
    'http://0:PORT/text',
    'http://[::1]:PORT/text',
    'http://[::ffff:127.0.0.1]:PORT/text',
    'http://[::ffff:7f00:1]:PORT/text',
    'http://[64:ff9b::7f00:1]:PORT/text',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://172.16.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://①②⑦.0.0.1:PORT/text',
  ];
  it.each(PRIVATE)('sends nothing to %s', async (address) => {
    scene = workspaceScene({ mode: 'full' });
    const url = address.replace('PORT', new URL(origin).port);
    await expect(get(url)).rejects.toThrow('is not fetched');
    expect(requests).toEqual([]);
  });

  it('goes through a proxy, and not to a private host behind it', async () => {
    const { HttpProxyAgent } = await import('http-proxy-agent');
    const seen: string[] = [];
    const proxy = http.createServer((request, response) => {
      seen.push(request.url ?? '');
      response.setHeader('content-type', 'text/plain').end('by proxy');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const agent = new HttpProxyAgent(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`) as unknown as http.Agent;
    try {
      scene = workspaceScene({ mode: 'full', proxyFor: async () => agent });
      expect((await get('http://docs.invalid/page')).text).toBe('by proxy');
      await expect(get('http://10.0.0.1/')).rejects.toThrow('is not fetched');
      await expect(get('http://localhost/')).rejects.toThrow('is not fetched');
      expect(seen).toEqual(['http://docs.invalid/page']);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('opens a private host only where a rule names it', async () => {
    scene = workspaceScene({ mode: 'full', allow: ['fetch_url(http://*/*)', 'fetch_url'] });
    await expect(get('/text')).rejects.toThrow('is not fetched');
  });
});
