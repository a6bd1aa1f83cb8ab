/** `frost ask` before a reader that takes its time: the model waits, the memory does not grow, and nothing is lost. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';

const FROST = path.resolve(import.meta.dirname, '../../bin/frost.js');
const PIECE = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'snow falls '.repeat(500) } }] })}\n\n`;
const PIECES = 6000;
const PIECE_TEXT = 'snow falls '.repeat(500).length;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

/** Sends 33 MB of answer as fast as the client takes them; `sent` counts what was handed to the socket. */
async function endpoint() {
  const state = { sent: 0, url: '' };
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = () => {
        while (state.sent < PIECES) {
          state.sent += 1;
          if (!response.write(PIECE)) return;
        }
        response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
      };
      response.on('drain', more);
      more();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return state;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('makes the model wait while nobody reads, then gives the whole answer', async () => {
  const state = await endpoint();
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-slow-'));
  cleanups.push(() => fs.rmSync(home, { recursive: true, force: true }));
  const env = { PATH: process.env['PATH'], HOME: home, UPSTREAM_ENDPOINT: state.url, UPSTREAM_API_KEY: 'key-of-the-test', MODEL_NAME: 'm' };
  const child = spawn(process.execPath, [FROST, 'ask', '--no-session', '--no-tools', 'Write.'], {
    env,
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  cleanups.push(() => child.kill('SIGKILL'));

  let before = -1;
  while (state.sent !== before || state.sent === 0) {
    before = state.sent;
    await pause(700);
  }
  // What stands still is what the pipe, the sockets and frost itself hold: a part of the answer, not all of it.
  expect(state.sent).toBeLessThan(PIECES * 0.75);

  let length = 0;
  child.stdout.on('data', (data: Buffer) => {
    length += data.length;
  });
  expect(await exit).toBe(0);
  expect(length).toBeGreaterThanOrEqual(PIECES * PIECE_TEXT - 1);
}, 60_000);
