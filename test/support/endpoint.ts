/**
 * A scripted OpenAI-compatible endpoint on a loopback port: one reply a request, in order, as server-sent events. It
 * records what was asked and when the client went away. A request beyond the script is answered with 500 and counted.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedCall {
  name: string;
  /** An object is written as JSON; a string goes out as it is. */
  arguments: unknown;
  id?: string;
}

export interface Reply {
  /** The answer's text; pieces are chunks of their own. */
  text?: string | string[];
  reasoning?: string;
  calls?: ScriptedCall[];
  /** ms before each chunk. */
  paceMs?: number;
  /** ms before the headers. */
  delayMs?: number;
  /** What follows the last chunk; `hang` keeps the socket open, `reset` destroys it. */
  end?: 'done' | 'hang' | 'reset';
  usage?: { prompt_tokens: number; completion_tokens: number };
  /** Instead of an answer: this status and body. */
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Instead of an answer: these raw blocks. */
  sse?: string[];
}

export interface RecordedRequest {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  /** The parsed body; undefined where there is none. */
  body: ChatBody | undefined;
  /** `Date.now()` at arrival. */
  at: number;
  /** `Date.now()` when the client closed before the reply was whole. */
  abortedAt?: number;
  /** `Date.now()` when the reply was whole. */
  finishedAt?: number;
}

export interface ChatBody {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: { function: { name: string; arguments: string } }[] }[];
  tools?: { function: { name: string } }[];
  [field: string]: unknown;
}

type Script = Reply[] | ((request: RecordedRequest, index: number) => Reply);

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function blocksOf(reply: Reply, model: string): string[] {
  if (reply.sse) return reply.sse;
  const base = { id: 'c1', object: 'chat.completion.chunk', created: 0, model };
  const chunk = (delta: unknown, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const blocks = [chunk({ role: 'assistant', content: '' })];
  if (reply.reasoning) blocks.push(chunk({ reasoning_content: reply.reasoning }));
  for (const text of [reply.text ?? []].flat()) blocks.push(chunk({ content: text }));
  reply.calls?.forEach((call, index) => {
    const args = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const head = { index, id: call.id ?? `call_${index + 1}`, type: 'function' };
    blocks.push(chunk({ tool_calls: [{ ...head, function: { name: call.name, arguments: args } }] }));
  });
  if (reply.end && reply.end !== 'done') return blocks;
  blocks.push(chunk({}, reply.calls ? 'tool_calls' : 'stop'));
  const usage = reply.usage && { ...reply.usage, total_tokens: reply.usage.prompt_tokens + reply.usage.completion_tokens };
  if (usage) blocks.push(`data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n`);
  return [...blocks, 'data: [DONE]\n\n'];
}

export class Endpoint {
  readonly requests: RecordedRequest[] = [];
  private readonly server: http.Server;
  private next = 0;

  constructor(
    private readonly script: Script,
    private readonly model: string,
  ) {
    this.server = http.createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The base URL to configure. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** The chat requests, without those for the list of models. */
  get chats(): RecordedRequest[] {
    return this.requests.filter(({ method }) => method === 'POST');
  }

  /** The text of the last user message of a chat request. */
  userText(index: number): string {
    const content = this.chats[index]?.body?.messages.findLast(({ role }) => role === 'user')?.content;
    if (!Array.isArray(content)) return String(content);
    return content.map((part: { text?: string }) => part.text ?? '').join('');
  }

  /** Waits until so many chat requests came. */
  async waitForChats(count: number, timeoutMs = 15_000): Promise<void> {
    const until = Date.now() + timeoutMs;
    while (this.chats.length < count) {
      if (Date.now() > until) throw new Error(`${this.chats.length} of ${count} chat requests came in ${timeoutMs} ms`);
      await delay(10);
    }
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString('utf8');
    const recorded: RecordedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: text ? (JSON.parse(text) as ChatBody) : undefined,
      at: Date.now(),
    };
    this.requests.push(recorded);
    response.on('close', () => {
      recorded[response.writableFinished ? 'finishedAt' : 'abortedAt'] = Date.now();
    });
    if (recorded.method === 'GET') {
      json(response, 200, { object: 'list', data: this.model.split(',').map((id) => ({ id, object: 'model' })) });
      return;
    }
    const index = this.next++;
    const reply = typeof this.script === 'function' ? this.script(recorded, index) : this.script[index];
    if (reply) await play(reply, this.model, response);
    else json(response, 500, { error: { message: `the script has no reply number ${index + 1}` } });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function json(response: http.ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function play(reply: Reply, model: string, response: http.ServerResponse): Promise<void> {
  if (reply.delayMs) await delay(reply.delayMs);
  if (reply.status || reply.body !== undefined) {
    json(response, reply.status ?? 200, reply.body ?? { error: { message: 'scripted failure' } }, reply.headers);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  for (const block of blocksOf(reply, model)) {
    if (reply.paceMs) await delay(reply.paceMs);
    if (response.destroyed) return;
    response.write(block);
  }
  if (reply.end === 'reset') response.destroy();
  else if (reply.end !== 'hang') response.end();
}

const open: Endpoint[] = [];

/** `model`: what it lists; several are parted by commas. Starts an endpoint that answers by this script: replies in order, or a function of the request. */
export async function startEndpoint(script: Script, model = 'mock'): Promise<Endpoint> {
  const endpoint = new Endpoint(script, model);
  await endpoint.listen();
  open.push(endpoint);
  return endpoint;
}

/** For `afterEach`: closes every endpoint that a test left. */
export async function closeEndpoints(): Promise<void> {
  await Promise.all(open.splice(0).map((endpoint) => endpoint.close()));
}
