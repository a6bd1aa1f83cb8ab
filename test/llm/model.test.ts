import { afterEach, describe, expect, it } from 'vitest';
import { Key } from '../../src/config/principal.js';
import { createModel } from '../../src/llm/client.js';
import type { ConnectionOptions } from '../../src/llm/connection.js';
import type { ModelEnd, ModelEvent, ModelRequest } from '../../src/llm/port.js';
import { closeEndpoints, type Endpoint, type Reply, startEndpoint } from '../support/endpoint.js';

afterEach(closeEndpoints);

const serve = (...script: Reply[]): Promise<Endpoint> => startEndpoint(script);

const QUESTION: ModelRequest = { messages: [{ role: 'user', content: 'hi' }], tools: [], signal: new AbortController().signal };

async function ask(url: string, request: Partial<ModelRequest> = {}, options: Partial<ConnectionOptions> = {}) {
  const connection = { principal: 'main', endpoint: url, key: new Key('UPSTREAM_API_KEY', 'sk-main-0123456789'), ...options };
  const events: ModelEvent[] = [];
  for await (const event of createModel(connection, 'mock').stream({ ...QUESTION, ...request })) events.push(event);
  const end = events.at(-1) as ModelEnd;
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  return { events, end, text };
}

describe('a model at an endpoint', () => {
  it('streams the answer and ends with the whole message and its usage', async () => {
    const { url, requests } = await serve({ text: ['Hel', 'lo'], usage: { prompt_tokens: 5, completion_tokens: 2 } });
    const { end, text } = await ask(url);
    expect(text).toBe('Hello');
    expect(end).toMatchObject({
      type: 'end',
      reason: 'stop',
      message: { content: 'Hello' },
      usage: { inputTokens: 5, outputTokens: 2 },
      textPassedOn: true,
    });
    expect(requests[0]?.headers.authorization).toBe('Bearer sk-main-0123456789');
  });
});
