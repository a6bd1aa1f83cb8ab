import { type ListedModel, listing } from './catalog.js';
import type { ConnectionOptions } from './connection.js';
import type { Sdk } from './sdk.js';
import { readText } from './transport.js';

type Fields = Record<string, unknown>;

/** What servers call it in a `/models` entry; what is loaded comes before what would be possible. */
const NAMES = [
  'loaded_context_length',
  'max_model_len',
  'context_length',
  'context_window',
  'max_context_length',
  'max_input_tokens',
  'n_ctx',
];

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

const size = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;

function listedWindow(model: ListedModel): number | undefined {
  for (const record of [model, fields(model['top_provider']), fields(model['limits']), fields(model['meta'])]) {
    const found = NAMES.map((name) => size(record[name])).find((one) => one !== undefined);
    if (found !== undefined) return found;
  }
  return size(fields(model['meta'])['n_ctx_train']);
}

/** Ollama's `/api/show`: `num_ctx` of the model's parameters, else what its architecture takes. */
export function ollamaWindow(show: unknown): number | undefined {
  const { parameters, model_info: info } = fields(show);
  const set = typeof parameters === 'string' ? /^num_ctx\s+(\d+)/m.exec(parameters)?.[1] : undefined;
  if (set) return Number(set);
  const entry = Object.entries(fields(info)).find(([name]) => name.endsWith('.context_length'));
  return size(entry?.[1]);
}

async function asked(response: ReturnType<Sdk['get']>): Promise<unknown> {
  try {
    const { status, ...rest } = await response;
    return status === 200 ? JSON.parse(await readText({ status, ...rest })) : undefined;
  } catch {
    return undefined;
  }
}

/** Tokens that `model` can read, as far as its endpoint tells: from `/models`, or from the local server's own interface. */
export async function readContextWindow(
  sdk: Sdk,
  connection: ConnectionOptions,
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const found = await listing(sdk, connection, signal);
  return 'failure' in found ? undefined : windowOf(sdk, connection, found.models, model, signal);
}

/** The same, where the models have been listed already. */
export async function windowOf(
  sdk: Pick<Sdk, 'get' | 'post'>,
  connection: ConnectionOptions,
  models: ListedModel[],
  model: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const listed = models.find(({ id }) => id === model) ?? models.find(({ id }) => id.split(':')[0] === model);
  const window = listed && listedWindow(listed);
  const { origin, port } = new URL(connection.endpoint);
  const owner = listed?.['owned_by'];
  if (owner === 'library' || port === '11434')
    return ollamaWindow(await asked(sdk.post(`${origin}/api/show`, { model }, signal))) ?? window;
  if (owner === 'llamacpp') {
    const props = fields(await asked(sdk.get(`${origin}/props`, signal)));
    return size(fields(props['default_generation_settings'])['n_ctx']) ?? window;
  }
  if (owner === 'organization_owner' || port === '1234') {
    const shown = fields(await asked(sdk.get(`${origin}/api/v0/models/${encodeURIComponent(model)}`, signal)));
    return size(shown['loaded_context_length']) ?? size(shown['max_context_length']) ?? window;
  }
  return window;
}
