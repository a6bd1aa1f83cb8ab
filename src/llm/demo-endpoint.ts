/** `--demo`: an OpenAI-compatible endpoint inside the process, on an ephemeral loopback port, with a few rules behind it. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DemoTurn, mainTurn, specialistTurn } from './demo-rules.js';

export interface DemoEndpoint {
  /** Base URL. */
  url: string;
  /** The key of each principal: `main`, and each specialist by name. Another key is refused. */
  keys: Record<string, string>;
  models: Record<string, string>;
  close(): void;
}

const PRINCIPALS = ['main', 'Coder', 'Reviewer', 'Summarizer'];

const modelOf = (principal: string) => `demo-${principal.toLowerCase()}`;

interface ChatRequest {
  model?: string;
  messages?: { role: string; content?: unknown }[];
  tools?: { function?: { name?: string } }[];
}

async function bodyOf(request: http.IncomingMessage): Promise<ChatRequest> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString() || '{}') as ChatRequest;
}

function fail(response: http.ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
}

/** Words, so that the answer streams as a model's would. */
const pieces = (text: string) => text.match(/\s*\S+\s*/g) ?? [text];

function deltasOf({ text, calls }: DemoTurn): object[] {
  if (text !== undefined) return pieces(text).map((content) => ({ content }));
  return [
    {
      tool_calls: (calls ?? []).map((call, index) => ({
        index,
        id: `demo_${index + 1}`,
        type: 'function',
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      })),
    },
  ];
}

function stream(response: http.ServerResponse, model: string, turn: DemoTurn, promptChars: number): void {
  const write = (fields: object) =>
    response.write(`data: ${JSON.stringify({ id: 'demo', object: 'chat.completion.chunk', created: 0, model, ...fields })}\n\n`);
  const chunk = (delta: object, finish: string | null = null) => write({ choices: [{ index: 0, delta, finish_reason: finish }] });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  chunk({ role: 'assistant', content: '' });
  const deltas = deltasOf(turn);
  for (const delta of deltas) chunk(delta);
  chunk({}, turn.calls ? 'tool_calls' : 'stop');
  write({
    choices: [],
    usage: {
      prompt_tokens: Math.ceil(promptChars / 4),
      completion_tokens: deltas.length,
      total_tokens: Math.ceil(promptChars / 4) + deltas.length,
    },
  });
  response.end('data: [DONE]\n\n');
}

/** Starts the endpoint on 127.0.0.1. It does not keep the process alive. */
export async function startDemoEndpoint(): Promise<DemoEndpoint> {
  const keys = Object.fromEntries(PRINCIPALS.map((name) => [name, `demo-key-of-${name.toLowerCase()}`]));
  const models = Object.fromEntries(PRINCIPALS.map((name) => [name, modelOf(name)]));
  const server = http.createServer(async (request, response) => {
    try {
      if (request.method === 'GET' && request.url?.endsWith('/models')) {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ object: 'list', data: Object.values(models).map((id) => ({ id, object: 'model' })) }));
        return;
      }
      const body = await bodyOf(request);
      const principal = PRINCIPALS.find((name) => models[name] === body.model);
      if (!principal || !body.messages) return fail(response, 404, `The demo has the models ${Object.values(models).join(', ')}.`);
      if (request.headers.authorization !== `Bearer ${keys[principal]}`) return fail(response, 401, `This is not the key of ${principal}.`);
      const offersSubagents = (body.tools ?? []).some((tool) => tool.function?.name === 'use_subagent');
      const turn = principal === 'main' ? mainTurn(body.messages, offersSubagents) : specialistTurn(modelOf(principal), body.messages);
      stream(response, modelOf(principal), turn, JSON.stringify(body.messages).length);
    } catch (error) {
      fail(response, 400, (error as Error).message);
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    keys,
    models,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
