/** Servers on the loopback for what a scripted endpoint cannot do: raw HTTP handlers, forward proxies, TLS that nobody signed. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

const open: { close(): void }[] = [];

/** For `afterEach`: closes every server that a test left. */
export function closeServers(): void {
  for (const server of open.splice(0)) server.close();
}

async function listening(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  return (server.address() as AddressInfo).port;
}

/** An HTTP server with this handler; resolves with its port. */
export const serveHttp = (handler: http.RequestListener): Promise<number> => listening(http.createServer(handler));

/** An HTTPS server with this handler; resolves with its port. */
export const serveHttps = (pair: { key: string; cert: string }, handler: http.RequestListener): Promise<number> =>
  listening(https.createServer(pair, handler) as unknown as net.Server);

/** A server that takes connections and never says a word. */
export const serveSilence = (): Promise<number> => listening(net.createServer(() => {}));

/** A port that nothing listens at. */
export async function closedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface Proxy {
  port: number;
  /** What it was asked for: URLs, and `CONNECT host:port`. */
  asked: string[];
}

/** A forward proxy that sends everything to one port on this machine, whatever host is asked for. */
export async function serveProxy(target: number): Promise<Proxy> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(String(request.url));
    const { pathname, search } = new URL(String(request.url));
    const onward = http.request(
      { port: target, host: '127.0.0.1', method: request.method, path: pathname + search, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    const onward = net.connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const side of [socket, onward]) side.on('error', () => {});
  });
  return { port: await listening(server), asked };
}

/** A key and a certificate for 127.0.0.1 that nobody signed, or nothing where they cannot be made. */
export function selfSigned(): { key: string; cert: string } | undefined {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-tls-'));
  const [key = '', cert = ''] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name));
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ]);
  const pair = made.status === 0 ? { key: fs.readFileSync(key, 'utf8'), cert: fs.readFileSync(cert, 'utf8') } : undefined;
  fs.rmSync(folder, { recursive: true });
  return pair;
}
