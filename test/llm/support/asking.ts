/** Asks a model over HTTP, as the loop does, and collects what it streams. */
import { Key } from '../../../src/config/principal.js';
import { type ConnectionOptions, createModel } from '../../../src/llm/client.js';
import type { ModelEnd, ModelEvent, ModelRequest } from '../../../src/llm/port.js';

export const KEY = new Key('UPSTREAM_API_KEY', 'sk-main-0123456789');

export function connectionTo(endpoint: string, options: Partial<ConnectionOptions> = {}): ConnectionOptions {
  return { principal: 'main', endpoint, key: KEY, ...options };
}

/** A question in its simplest form. */
export function question(request: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: 'user', content: 'hi' }], tools: [], signal: new AbortController().signal, ...request };
}

export const GREET = { name: 'greet', description: 'Greets.', parameters: { type: 'object', properties: { text: { type: 'string' } } } };

export interface Asked {
  events: ModelEvent[];
  end: ModelEnd;
  /** The text events, joined. */
  text: string;
}

export async function ask(endpoint: string, request: Partial<ModelRequest> = {}, options: Partial<ConnectionOptions> = {}): Promise<Asked> {
  const events: ModelEvent[] = [];
  for await (const event of createModel(connectionTo(endpoint, options), 'mock').stream(question(request))) events.push(event);
  const end = events.at(-1);
  if (end?.type !== 'end') throw new Error('the stream has no end');
  if (events.filter(({ type }) => type === 'end').length !== 1) throw new Error('the stream ended twice');
  return { events, end, text: events.map((event) => (event.type === 'text' ? event.text : '')).join('') };
}
