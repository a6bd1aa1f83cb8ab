import type { Key, Principal } from '../config/principal.js';
import { discoveredMain, isUnconfigured, resolveMain, resolveSpecialist, type SpecialistRequest } from '../config/principals.js';
import type { Settings } from '../config/settings.js';
import { type ErrorKind, exitCodeOf, type Failure, toFailure } from '../errors.js';
import { closest } from '../text/closest.js';
import { type Check, type Surroundings, surroundings } from './surroundings.js';

export interface PrincipalCheck extends Check {
  readonly host?: string;
  readonly model?: string;
  /** The name of the key's variable; absent where none is sent. */
  readonly key?: string;
  /** How long the endpoint took to list its models, in milliseconds. */
  readonly ms?: number;
}

export interface Diagnosis {
  /** The main agent could answer. */
  readonly ok: boolean;
  /** 0, or the exit code of what keeps the main agent from answering. */
  readonly exitCode: number;
  readonly principals: readonly PrincipalCheck[];
  readonly checks: readonly Check[];
}

type Listing = { ids: readonly string[] } | { failure: Failure };

/** What the diagnosis needs of the world. */
export interface DiagnosisPorts extends Surroundings {
  listModels(principal: Principal): Promise<Listing>;
  /** Asks the model for one word; resolves to what went wrong, if anything. */
  ask(principal: Principal, model: string): Promise<Failure | undefined>;
  discover(): Promise<readonly { kind: string; endpoint: string; models: readonly string[] }[]>;
}

/** What an endpoint says that does not list its models but may answer all the same. */
const UNSURE: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['wrong_endpoint', 'model_not_found', 'bad_request', 'protocol', 'failed']);

const isListed = (model: string, ids: readonly string[]) =>
  ids.some((id) => id === model || id === `${model}:latest` || id.endsWith(`/${model}`));

interface Tried {
  check: PrincipalCheck;
  failure?: Failure;
  /** With the model that the endpoint told. */
  principal?: Principal;
}

const keyName = (key: Key | undefined) => (key ? key.name : undefined);

function facts(principal: Principal, model: string | undefined, ms?: number): Omit<PrincipalCheck, 'status' | 'text'> {
  const key = keyName(principal.key);
  return {
    name: principal.name,
    host: principal.host,
    ...(model !== undefined && { model }),
    ...(key !== undefined && { key }),
    ...(ms !== undefined && { ms }),
  };
}

const keyText = (principal: Principal) => (principal.key ? `key ${principal.key.name}` : 'no key');

function noModel(principal: Principal, ids: readonly string[]): Failure {
  const shown = ids.slice(0, 8).join(', ');
  const list = ids.length === 0 ? 'lists no model' : `lists ${ids.length} models: ${shown}${ids.length > 8 ? ', …' : ''}`;
  return { kind: 'config', message: `No model is named, and ${principal.host} ${list}. Set MODEL_NAME.` };
}

/** The endpoint's own word on a model that it does not list, or cannot list. */
async function asked(ports: DiagnosisPorts, principal: Principal, model: string, doubt: string, ms: number): Promise<Tried> {
  const failure = await ports.ask(principal, model);
  const about = facts(principal, model, ms);
  if (failure) return { check: { ...about, status: 'failed', text: failure.message }, failure };
  const text = `${model} @ ${principal.host}, ${keyText(principal)}: answers, though the endpoint ${doubt}`;
  return { check: { ...about, status: 'warning', text }, principal };
}

async function tryEndpoint(ports: DiagnosisPorts, principal: Principal): Promise<Tried> {
  const started = Date.now();
  const listing = await ports.listModels(principal);
  const ms = Date.now() - started;
  const failed = (failure: Failure): Tried => ({
    check: { ...facts(principal, principal.model, ms), status: 'failed', text: failure.message },
    failure,
  });
  if ('failure' in listing) {
    if (principal.model === undefined || !UNSURE.has(listing.failure.kind)) return failed(listing.failure);
    return asked(ports, principal, principal.model, 'does not list its models', ms);
  }
  const { ids } = listing;
  const model = principal.model ?? (ids.length === 1 ? ids[0] : undefined);
  if (model === undefined) return failed(noModel(principal, ids));
  if (!isListed(model, ids)) {
    const near = closest(model, ids);
    return asked(ports, principal, model, `does not list it${near === undefined ? '' : ` (the nearest is ${near})`}`, ms);
  }
  const { kind, name } = principal.endpointSource;
  const found = kind === 'discovered' ? `, a local ${name} server that was found` : '';
  const text = `${model} @ ${principal.host}${found}, ${keyText(principal)}, ${ms} ms`;
  return { check: { ...facts(principal, model, ms), status: 'ok', text }, principal: { ...principal, model } };
}

async function mainPrincipal(settings: Settings, ports: DiagnosisPorts): Promise<Principal> {
  if (!isUnconfigured(settings)) return resolveMain(settings);
  const [server] = await ports.discover();
  return server ? discoveredMain(settings, server) : resolveMain(settings);
}

async function tryMain(settings: Settings, ports: DiagnosisPorts): Promise<Tried> {
  try {
    return await tryEndpoint(ports, await mainPrincipal(settings, ports));
  } catch (thrown) {
    const failure = toFailure(thrown);
    return { check: { name: 'main', status: 'failed', text: failure.message }, failure };
  }
}

/** A specialist that shares endpoint, key and model with the main agent is as well as that one. */
async function trySpecialist(
  settings: Settings,
  ports: DiagnosisPorts,
  main: Principal,
  request: SpecialistRequest,
  ofMain: PrincipalCheck,
): Promise<PrincipalCheck> {
  try {
    const principal = resolveSpecialist(settings, main, request);
    const isSame = principal.endpoint === main.endpoint && principal.key === main.key && principal.model === main.model;
    return isSame
      ? { ...ofMain, name: request.name, text: ofMain.status === 'failed' ? 'as the main agent' : `as main: ${ofMain.text}` }
      : (await tryEndpoint(ports, principal)).check;
  } catch (thrown) {
    return { name: request.name, status: 'failed', text: toFailure(thrown).message };
  }
}

/** The main agent as the specialists would see it, where it could be resolved at all. */
function resolvedMain(settings: Settings, tried: Tried): Principal | undefined {
  if (tried.principal) return tried.principal;
  try {
    return resolveMain(settings);
  } catch {
    return undefined;
  }
}

/** Looks at everything that frost needs to work. Never throws; a key is told by its name. */
export async function diagnose(settings: Settings, ports: DiagnosisPorts): Promise<Diagnosis> {
  const tried = await tryMain(settings, ports);
  const main = resolvedMain(settings, tried);
  const specialists = main
    ? await Promise.all(ports.specialists.map((request) => trySpecialist(settings, ports, main, request, tried.check)))
    : ports.specialists.map(({ name }): PrincipalCheck => ({ name, status: 'failed', text: 'needs the main agent first' }));
  return {
    ok: tried.failure === undefined,
    exitCode: tried.failure ? exitCodeOf(tried.failure.kind) : 0,
    principals: [tried.check, ...specialists],
    checks: surroundings(settings, ports),
  };
}
