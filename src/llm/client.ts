/** The room's front door: models at OpenAI-compatible endpoints, and what such an endpoint tells about itself. */
import type { Failure } from '../errors.js';
import type { ConnectionOptions } from './connection.js';
import type { LocalServer } from './discovery.js';
import { ChatModel } from './model.js';
import type { Model, ModelRequest } from './port.js';
import { createSdk, requestHeaders } from './sdk.js';
import { requestBody } from './wire-request.js';

export type { ConnectionOptions } from './connection.js';

/** A model at an endpoint. Throws TypeError where the endpoint is no URL. */
export function createModel(connection: ConnectionOptions, name: string): Model {
  return new ChatModel(connection, name);
}

/** The ids of the models that the endpoint lists, in its order. */
export async function listModels(connection: ConnectionOptions, signal: AbortSignal): Promise<{ ids: string[] } | { failure: Failure }> {
  const { listing } = await import('./catalog.js');
  const found = await listing(createSdk(connection), connection, signal);
  return 'failure' in found ? found : { ids: found.models.map(({ id }) => id) };
}

/** Tokens that the model can read, or undefined where the endpoint does not tell. */
export async function contextWindow(connection: ConnectionOptions, model: string, signal: AbortSignal): Promise<number | undefined> {
  const { readContextWindow } = await import('./context-window.js');
  return readContextWindow(createSdk(connection), connection, model, signal);
}

/** Model servers on this machine (Ollama, LM Studio, llama.cpp, vLLM), asked in parallel without any key. */
export async function discoverLocalServers(signal: AbortSignal, { timeoutMs = 300 } = {}): Promise<LocalServer[]> {
  const { findLocalServers } = await import('./discovery.js');
  return findLocalServers(signal, timeoutMs);
}

/** Exactly what `stream(request)` would send first, the key as its name. */
export function describeRequest(
  connection: ConnectionOptions,
  name: string,
  request: ModelRequest,
): { method: string; url: string; headers: Record<string, string>; body: Record<string, unknown> } {
  const model = new ChatModel(connection, name);
  const { url, query } = model.base;
  const search = new URLSearchParams(query).toString();
  const address = `${url}/chat/completions${search === '' ? '' : `?${search}`}`;
  const headers = { 'content-type': 'application/json', ...requestHeaders(connection, url, connection.key && `<${connection.key.name}>`) };
  return { method: 'POST', url: address, headers, body: requestBody(name, request, model.capabilities.compat) };
}
