/** What an endpoint lists: its models, and how much a model can read. */
import type { Failure } from '../errors.js';
import { errorOfBody } from './attempt.js';
import { type Base, basesOf, type ConnectionOptions } from './connection.js';
import { causeOf, networkFailure, protocolFailure, statusFailure } from './faults.js';
import type { Sdk } from './sdk.js';
import { readText } from './transport.js';

type Fields = Record<string, unknown>;

/** A question on the side must not hold up the answer. */
const LOOK_MS = 3000;

export interface ListedModel extends Fields {
  id: string;
}

type Listing = { models: ListedModel[]; base: Base } | { failure: Failure };

/** The models of a `/models` answer, in the shapes that servers give it; undefined where it is none. */
export function modelsIn(text: string): ListedModel[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Fields;
  const list = Array.isArray(value) ? value : (fields['data'] ?? fields['models']);
  if (!Array.isArray(list)) return fields['object'] === 'list' && 'data' in fields ? [] : undefined;
  return list.flatMap((one: unknown): ListedModel[] => {
    if (typeof one === 'string') return [{ id: one }];
    if (typeof one !== 'object' || one === null) return [];
    const { id, model, name } = one as Fields;
    const found = [id, model, name].find((text) => typeof text === 'string' && text !== '');
    return typeof found === 'string' ? [{ ...one, id: found }] : [];
  });
}

export async function listing(sdk: Sdk, connection: ConnectionOptions, signal: AbortSignal): Promise<Listing> {
  let first: Failure | undefined;
  for (const base of basesOf(connection.endpoint)) {
    const url = `${base.url}/models`;
    try {
      const response = await sdk.models(base, signal);
      const text = await readText(response, 8_000_000);
      const models = response.status === 200 ? modelsIn(text) : undefined;
      if (models) return { models, base };
      first ??=
        response.status === 200
          ? protocolFailure(connection, url, `${response.headers.get('content-type') ?? 'no content type'}, without a list of models`)
          : statusFailure(connection, { status: response.status, error: errorOfBody(text), model: '(none chosen)', url });
      if (response.status !== 404 && response.status !== 405 && response.status !== 200) break;
    } catch (error) {
      if (error instanceof Error && 'toFailure' in error) return { failure: (error as { toFailure(): Failure } & Error).toFailure() };
      first ??= networkFailure(connection, error);
      if (causeOf(error).code !== '') break;
    }
  }
  return { failure: first ?? networkFailure(connection, new Error('no answer')) };
}

/** After a 404: the models that the endpoint lists, or the base URL that would have worked. */
export async function lookAround(
  sdk: Sdk,
  endpoint: string,
  used: Base,
  signal: AbortSignal,
): Promise<{ models?: string[]; worksAt?: string }> {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/\/+$/, '');
  const others = [
    `${path}/v1`,
    path.replace(/\/v\d+[a-z]*$/, ''),
    `${path.replace(/\/v\d+[a-z]*$/, '')}/v1`,
    '/v1',
    '/api/v1',
    '/openai/v1',
  ];
  const candidates = [...new Set([used.url, ...others.map((pathname) => `${url.origin}${pathname}`)])];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  for (const candidate of candidates) {
    try {
      const response = await sdk.models({ url: candidate, query: used.query }, limit);
      const models = response.status === 200 ? modelsIn(await readText(response, 8_000_000)) : undefined;
      if (models) return candidate === used.url ? { models: models.map(({ id }) => id) } : { worksAt: candidate };
      if (response.status === 401 || response.status === 403) return {};
    } catch {
      return {};
    }
  }
  return {};
}
