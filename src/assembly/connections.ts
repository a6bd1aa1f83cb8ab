/** From principals to models: who asks, at which endpoint, with which key, within which time-outs. */
import { costOf, type Price } from '../agent/bill.js';
import type { Principal } from '../config/principal.js';
import { discoveredMain, isUnconfigured, resolveMain } from '../config/principals.js';
import type { Settings } from '../config/settings.js';
import { FrostError } from '../errors.js';
import { type ConnectionOptions, contextWindow, createModel, discoverLocalServers, listModels } from '../llm/client.js';
import type { Model } from '../llm/port.js';
import { withVisualModel } from '../llm/visual-model.js';
import type { Limits } from '../profiles/profile.js';

const milliseconds = (settings: Settings, name: string) => {
  const value = settings.number(name);
  return value === undefined ? undefined : value * 1000;
};

/** How a principal's endpoint is reached. */
export function connectionOf(settings: Settings, principal: Principal): ConnectionOptions {
  const connectTimeoutMs = milliseconds(settings, 'FROST_CONNECT_TIMEOUT');
  const firstByteTimeoutMs = milliseconds(settings, 'FROST_FIRST_BYTE_TIMEOUT');
  const idleTimeoutMs = milliseconds(settings, 'FROST_IDLE_TIMEOUT');
  const maxAttempts = settings.number('FROST_MAX_ATTEMPTS');
  const { compat } = settings.json;
  const { name, file } = principal.endpointSource;
  const endpointName = name ?? (file === undefined ? undefined : `endpoint in ${file}`);
  return {
    principal: principal.name,
    endpoint: principal.endpoint,
    ...(endpointName !== undefined && { endpointName }),
    ...(principal.key && { key: principal.key }),
    proxy: settings.proxy,
    mask: (text) => settings.mask.mask(text),
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    ...(firstByteTimeoutMs !== undefined && { firstByteTimeoutMs }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(compat && { compat }),
    ...(settings.boolean('FROST_RESUME_STREAM') && { resumeStream: true }),
    capabilityFile: `${settings.paths.cacheDir}/endpoints.json`,
  };
}

/** The main agent's principal; without any setting, a local server that was found. `notice` says which one was taken. */
export async function findMain(settings: Settings, notice: (text: string) => void, signal: AbortSignal): Promise<Principal> {
  if (!isUnconfigured(settings)) return resolveMain(settings);
  const [server] = await discoverLocalServers(signal, { timeoutMs: 300 });
  if (!server) return resolveMain(settings);
  notice(`no endpoint is set; taking the local ${server.kind} server at ${server.endpoint}.`);
  return discoveredMain(settings, server);
}

/** The principal with a model name: its own, or the only one that its endpoint lists. Throws FrostError `config` naming some. */
export async function withModel(settings: Settings, principal: Principal, signal: AbortSignal): Promise<Principal & { model: string }> {
  const { model } = principal;
  if (model !== undefined) return { ...principal, model };
  const variable = principal.name === 'main' ? 'MODEL_NAME' : `${principal.name.toUpperCase()}_MODEL`;
  const listed = await listModels(connectionOf(settings, principal), signal);
  if ('failure' in listed) {
    const { kind, message } = listed.failure;
    throw new FrostError(kind, `${message} (No model is named either: set ${variable}.)`, { ...listed.failure.facts });
  }
  const [only, ...others] = listed.ids;
  if (only === undefined) throw new FrostError('config', `${principal.host} lists no model. Set ${variable}.`, { host: principal.host });
  if (others.length > 0) {
    const some = listed.ids.slice(0, 8).join(', ');
    throw new FrostError(
      'config',
      `No model is named, and ${principal.host} has ${listed.ids.length}: ${some}${listed.ids.length > 8 ? ', …' : ''}. Choose one with --model or ${variable}.`,
      { host: principal.host },
    );
  }
  return { ...principal, model: only, modelSource: { kind: 'discovered', name: principal.host } };
}

/** What a principal's requests need. */
export interface Connected {
  model: Model;
  keyName?: string;
  price?: Price;
  contextWindow?: number;
  findContextWindow: () => Promise<number | undefined>;
  modelNamed: (name: string) => Model;
}

export function connect(
  settings: Settings,
  principal: Principal & { model: string },
  wrap: (model: Model, connection: ConnectionOptions) => Model,
): Connected {
  const connection = connectionOf(settings, principal);
  const price = priceOf(settings, principal.host, principal.model);
  const window = principal.name === 'main' ? settings.number('CONTEXT_WINDOW') : undefined;
  return {
    model: wrap(createModel(connection, principal.model), connection),
    ...(principal.key && { keyName: principal.key.name }),
    ...(price && { price }),
    ...(window !== undefined && { contextWindow: window }),
    findContextWindow: () => contextWindow(connection, principal.model, AbortSignal.timeout(2000)).catch(() => undefined),
    modelNamed: (name) => createModel(connection, name),
  };
}

/** With VISUAL_MODEL_NAME the main model gets a model beside it, at the same endpoint, that looks at images for it. */
export function withEyes(settings: Settings, principal: Principal & { model: string }, connected: Connected): Connected {
  const name = settings.get('VISUAL_MODEL_NAME');
  if (name === undefined || name === principal.model) return connected;
  const price = priceOf(settings, principal.host, name);
  return { ...connected, model: withVisualModel(connected.model, connected.modelNamed(name), (usage) => costOf(usage, price)) };
}

/** By `host/model` where two endpoints differ, else by model. */
/**
 * Refuses a bound on cost that could not be kept, for want of the model's price.
 * @throws {FrostError} of the kind `config`, with the line to add.
 */
export function refuseUnpriced(settings: Settings, who: string, { cost }: Limits, { host, model }: { host: string; model: string }): void {
  if (cost === undefined || priceOf(settings, host, model)) return;
  const line = `"prices": {"${model}": {"input": …, "output": …}}`;
  throw new FrostError(
    'config',
    `${who} has a cost limit, but the price of ${model} is not known: the limit could not be kept. Add ${line} (US dollars per million tokens, 0 where it is free) to ${settings.paths.settingsFile}.`,
    { model },
  );
}

function priceOf({ json }: Settings, host: string, model: string): Price | undefined {
  return json.prices?.[`${host}/${model}`] ?? json.prices?.[model];
}
