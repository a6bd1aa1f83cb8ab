import { FrostError } from '../errors.js';
import { cleanKey } from './key-text.js';
import { Key, type Principal, type Source } from './principal.js';
import { checkProxy } from './proxy.js';
import { type Level, type Resolved, type Settings, sourceText } from './settings.js';
import { specialistVariable } from './table.js';

/** A key variable with this value says that the endpoint needs no key. */
const NO_KEY = 'none';

const NO_ENDPOINT = [
  'No endpoint is set for the main agent. Three ways to start:',
  '(1) set UPSTREAM_ENDPOINT, and UPSTREAM_API_KEY where it needs one, in the environment or in ~/.config/frost/.env;',
  '(2) start a local server (Ollama, LM Studio, llama.cpp, vLLM): frost finds it;',
  '(3) add --demo to try frost without a key.',
].join(' ');

const levelOf = (source: Source): Level => (source.kind === 'project' ? 'project' : 'user');

interface Place {
  endpoint: string;
  endpointSource: Source;
  host: string;
}

/** Parameters of a URL that hold a key at some providers; `api-version` is none. */
const SECRET_PARAMETER = /key|token|secret|sig(nature)?$/i;

/** The endpoint as a checked URL. Throws FrostError `config` that names where it was set. */
function placeOf(settings: Settings, { value, source }: Resolved, principal: string): Place {
  const wrong = (what: string) =>
    new FrostError(source.kind === 'flag' ? 'usage' : 'config', `The endpoint of ${principal} (${sourceText(source)}) ${what}`, {
      principal,
      variable: source.name,
    });
  if (!URL.canParse(value)) throw wrong('is not a URL. It looks like https://host/v1.');
  const url = new URL(value);
  if (!/^https?:$/.test(url.protocol) || url.hostname === '') throw wrong('must begin with http:// or https://.');
  if (url.username !== '' || url.password !== '') throw wrong('holds a user name or password. Give the key in its own variable.');
  for (const [name, text] of url.searchParams) if (SECRET_PARAMETER.test(name)) settings.mask.add(`${source.name}:${name}`, text);
  return { endpoint: value.replace(/\/+$/, ''), endpointSource: source, host: url.host };
}

const isSameOrigin = (a: string, b: string) => URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;

/** A usable key of a variable, undefined where it is `none`. Its value is masked from here on. */
function keyOf(settings: Settings, variable: string, { value, source }: Resolved): { key?: Key; keySource: Source } {
  if (value.toLowerCase() === NO_KEY) return { keySource: source };
  const cleaned = cleanKey(variable, value);
  settings.mask.add(variable, value);
  settings.mask.add(variable, cleaned);
  return { ...(cleaned !== '' && { key: new Key(variable, cleaned) }), keySource: source };
}

/**
 * Rule 2: an endpoint that the folder sets gets only a key that the folder sets too. And the other way round: a key that the
 * folder gives together with an endpoint of its own does not travel to an endpoint of the user.
 */
function keyFor(settings: Settings, variable: string, endpointVariable: string, place: Place): Resolved | undefined {
  if (levelOf(place.endpointSource) === 'project') return settings.resolve(variable, 'project');
  const found = settings.resolve(variable);
  if (!found || levelOf(found.source) === 'user') return found;
  const foldersEndpoint = settings.resolve(endpointVariable, 'project');
  return foldersEndpoint && !isSameOrigin(foldersEndpoint.value, place.endpoint) ? settings.resolve(variable, 'user') : found;
}

function refusedByLevel(principal: string, variable: string, place: Place, user: Resolved): FrostError {
  const advice = `Set ${variable} in that file too (${variable}=${NO_KEY} where the server needs no key), or set the endpoint yourself.`;
  return new FrostError(
    'auth',
    `${principal} has no key for ${place.host}: the folder sets that endpoint (${sourceText(place.endpointSource)}), so ${variable} from ${whereText(user.source)} is not sent there. ${advice}`,
    { principal, variable, host: place.host },
  );
}

function whereText(source: Source): string {
  return source.file ?? (source.kind === 'environment' ? 'the environment' : source.kind);
}

interface Variables {
  endpoint: string;
  key: string;
  model: string[];
}

const UPSTREAM: Variables = { endpoint: 'UPSTREAM_ENDPOINT', key: 'UPSTREAM_API_KEY', model: ['MODEL_NAME'] };
const OPENAI: Variables = { endpoint: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY', model: ['MODEL_NAME', 'OPENAI_MODEL'] };

/** Neither an endpoint nor a key of the main agent is set: the caller may look for a local server. */
export function isUnconfigured(settings: Settings): boolean {
  return [UPSTREAM, OPENAI].every(({ endpoint, key }) => !settings.get(endpoint) && !settings.get(key));
}

/** The set of variables that counts: OPENAI_* only where nothing of UPSTREAM_* is set. */
function mainVariables(settings: Settings): Variables {
  return settings.get(UPSTREAM.endpoint) || settings.get(UPSTREAM.key) ? UPSTREAM : OPENAI;
}

function missingEndpoint(settings: Settings): FrostError {
  for (const { endpoint, key } of [UPSTREAM, OPENAI]) {
    const found = settings.resolve(key);
    if (!found) continue;
    const text = `${sourceText(found.source)} is set, but ${endpoint} is not: frost does not guess where a key belongs. Set ${endpoint}.`;
    return new FrostError('config', text, { principal: 'main', variable: endpoint });
  }
  return new FrostError('auth', NO_ENDPOINT, { principal: 'main', variable: 'UPSTREAM_ENDPOINT' });
}

/** One file may give a key together with an endpoint, and a stronger source another endpoint: allowed, but never silent. */
function warnOfOtherEndpoint(settings: Settings, variables: Variables, place: Place, key: Resolved): void {
  const beside = settings.all(variables.endpoint).find(({ source }) => source.kind === key.source.kind && source.file === key.source.file);
  if (!beside || isSameOrigin(beside.value, place.endpoint) || beside.value.trim() === '') return;
  const [there, here] = [whereText(key.source), sourceText(place.endpointSource)];
  settings.warn(`${variables.key} from ${there} goes to ${place.host} (${here}), not to the endpoint that stands beside it.`);
}

const modelPart = (model: Resolved | undefined) => (model ? { model: model.value, modelSource: model.source } : {});

/**
 * The main agent as the settings say. Without a model the endpoint may tell (its only listed one). Throws FrostError `auth`
 * or `config` that names the variable to set.
 */
export function resolveMain(settings: Settings): Principal {
  const variables = mainVariables(settings);
  const found = settings.resolve(variables.endpoint);
  if (!found) throw missingEndpoint(settings);
  const place = placeOf(settings, found, 'the main agent');
  checkProxy(settings.proxy, place.endpoint);
  const key = keyFor(settings, variables.key, variables.endpoint, place);
  const withheld = key ? undefined : settings.resolve(variables.key);
  if (withheld && levelOf(place.endpointSource) === 'project') throw refusedByLevel('The main agent', variables.key, place, withheld);
  if (withheld)
    settings.warn(`${variables.key} from ${whereText(withheld.source)} is not sent to ${place.host}: it was given for another endpoint.`);
  if (key) warnOfOtherEndpoint(settings, variables, place, key);
  const model = variables.model.map((name) => settings.resolve(name)).find((resolved) => resolved !== undefined);
  return { name: 'main', ...place, ...modelPart(model), ...(key && keyOf(settings, variables.key, key)) };
}

/** The main agent at a local server that was found; `model` where the user named one or the server has exactly one. */
export function discoveredMain(settings: Settings, server: { kind: string; endpoint: string; models: readonly string[] }): Principal {
  const source: Source = { kind: 'discovered', name: server.kind };
  const only = server.models.length === 1 ? server.models[0] : undefined;
  const model = settings.resolve('MODEL_NAME') ?? (only === undefined ? undefined : { value: only, source });
  const place = placeOf(settings, { value: server.endpoint, source }, 'the main agent');
  return { name: 'main', ...place, ...modelPart(model) };
}

export interface SpecialistRequest {
  name: string;
  model?: string;
  endpoint?: string;
  apiKeyEnv?: string;
  origin: { level: 'builtin' | 'module' } | { level: 'user' | 'project'; file: string };
}

function profileSource(request: SpecialistRequest): Source {
  const { origin } = request;
  return { kind: origin.level === 'project' ? 'project' : 'profile', ...('file' in origin && { file: origin.file }) };
}

/** The variable that names the endpoint which a key variable belongs to. */
function endpointOfKey(variable: string): string | undefined {
  if (variable === OPENAI.key) return OPENAI.endpoint;
  return variable.endsWith('_API_KEY') ? variable.replace(/_API_KEY$/, '_ENDPOINT') : undefined;
}

function specialistEndpoint(settings: Settings, main: Principal, request: SpecialistRequest): Resolved {
  const own = settings.resolve(specialistVariable(request.name, 'ENDPOINT'));
  const given = request.endpoint?.trim();
  return own ?? (given ? { value: given, source: profileSource(request) } : { value: main.endpoint, source: main.endpointSource });
}

/** The specialist's own key, undefined where it has none that its endpoint may get. */
function ownKey(settings: Settings, place: Place, request: SpecialistRequest): { variable: string; found: Resolved } | undefined {
  const usual = specialistVariable(request.name, 'API_KEY');
  const variable = request.apiKeyEnv ?? usual;
  const isFolders = request.origin.level === 'project';
  // An agent that the folder defines may not name a key of the user: only where the user gave it endpoint and key by name.
  const isUsersPair = variable === usual && place.endpointSource.name === specialistVariable(request.name, 'ENDPOINT');
  const found =
    isFolders && !isUsersPair
      ? settings.resolve(variable, 'project')
      : keyFor(settings, variable, specialistVariable(request.name, 'ENDPOINT'), place);
  return found && { variable, found };
}

/** A key that was given for another endpoint, such as the main agent's own, does not travel to this one. */
function refuseForeignKey(settings: Settings, place: Place, request: SpecialistRequest, variable: string): void {
  const pair = endpointOfKey(variable);
  const given = pair === undefined ? undefined : settings.get(pair);
  if (given === undefined || isSameOrigin(given, place.endpoint)) return;
  const usual = specialistVariable(request.name, 'API_KEY');
  throw new FrostError(
    'auth',
    `${request.name} names ${variable} as its key, but that key was given for ${pair} and not for ${place.host}. Set ${usual} instead.`,
    { principal: request.name, variable: usual, host: place.host },
  );
}

function missingKey(settings: Settings, place: Place, request: SpecialistRequest): FrostError {
  const variable = request.apiKeyEnv ?? specialistVariable(request.name, 'API_KEY');
  const user = settings.resolve(variable, 'user');
  if (user && levelOf(place.endpointSource) === 'project') return refusedByLevel(request.name, variable, place, user);
  const reason = user ? `an agent that a folder defines cannot use ${variable} of yours` : `${variable} is not set`;
  const advice = `Set ${variable} (${variable}=${NO_KEY} where that server needs no key)`;
  return new FrostError(
    'auth',
    `${request.name} has no key for ${place.host}: ${reason}, and the main agent's key goes only to the main agent's endpoint. ${advice}.`,
    { principal: request.name, variable, host: place.host },
  );
}

/** Rule 1: the main agent's key, only where the origin is the main agent's and the folder did not choose the endpoint alone. */
function inheritedKey(main: Principal, place: Place): { key?: Key; keySource?: Source } | undefined {
  if (!isSameOrigin(main.endpoint, place.endpoint)) return undefined;
  if (main.key && levelOf(place.endpointSource) === 'project' && main.keySource && levelOf(main.keySource) !== 'project') return undefined;
  return { ...(main.key && { key: main.key }), ...(main.keySource && { keySource: main.keySource }) };
}

/**
 * A specialist as settings and profile say: its own variables, then its profile, then the main agent's model and endpoint.
 * Throws FrostError `auth` or `config` that names the variable to set, before any request.
 */
export function resolveSpecialist(settings: Settings, main: Principal, request: SpecialistRequest): Principal {
  const place = placeOf(settings, specialistEndpoint(settings, main, request), request.name);
  checkProxy(settings.proxy, place.endpoint);
  const ofProfile = request.model?.trim() ? { value: request.model.trim(), source: profileSource(request) } : undefined;
  const ofMain = main.model === undefined ? undefined : { value: main.model, source: main.modelSource ?? main.endpointSource };
  const model = settings.resolve(specialistVariable(request.name, 'MODEL')) ?? ofProfile ?? ofMain;
  const common = { name: request.name, ...place, ...modelPart(model) };
  const own = ownKey(settings, place, request);
  if (own) {
    refuseForeignKey(settings, place, request, own.variable);
    return { ...common, ...keyOf(settings, own.variable, own.found) };
  }
  const inherited = inheritedKey(main, place);
  if (!inherited) throw missingKey(settings, place, request);
  return { ...common, ...inherited };
}
