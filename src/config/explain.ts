import { FrostError } from '../errors.js';
import { closest } from '../text/closest.js';
import { mainOrNobody, resolveUnder } from './nobody.js';
import type { Principal } from './principal.js';
import { resolveMain, type SpecialistRequest } from './principals.js';
import { type Resolved, type Settings, sourceText } from './settings.js';
import { definitionOf, isFrostVariable, isSecretVariable, SETTINGS, type SpecialistVariable, specialistVariable } from './table.js';
import type { TrustState } from './trust.js';

/** A value with its place. A key's value is its name. */
export interface ExplainedValue {
  readonly value: string;
  /** `flag`, `environment`, `env-file`, `project`, `user` or `default`. */
  readonly kind: string;
  readonly name?: string;
  readonly file?: string;
  readonly line?: number;
}

export interface ExplainedSetting {
  readonly name: string;
  readonly description: string;
  /** Absent where nobody sets it. */
  readonly used?: ExplainedValue;
  /** Weaker or empty values that do not count, strongest first. */
  readonly unused: readonly ExplainedValue[];
}

export interface ExplainedPrincipal {
  readonly name: string;
  readonly endpoint?: ExplainedValue;
  readonly model?: ExplainedValue;
  /** Absent where no key is sent. */
  readonly key?: ExplainedValue;
  /** Why this principal cannot be asked. */
  readonly error?: string;
}

export interface Explanation {
  readonly settings: readonly ExplainedSetting[];
  readonly principals: readonly ExplainedPrincipal[];
  readonly folder: { readonly path: string; readonly state: TrustState; readonly files: readonly string[] };
  readonly places: { readonly config: string; readonly state: string; readonly cache: string };
}

/** A proxy's URL may carry a password. */
const withoutPassword = (value: string) => value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/@\s]*@/i, '$1…@');

function shownValue(settings: Settings, name: string, value: string): string {
  if (value.trim() === '') return '(empty)';
  if (isSecretVariable(name)) return `<${name}>`;
  return settings.mask.mask(/_PROXY$|_ENDPOINT$|_URL$/.test(name) ? withoutPassword(value) : value);
}

function explained(settings: Settings, name: string, { value, source }: Resolved): ExplainedValue {
  const { kind, name: origin, file, line } = source;
  return {
    value: shownValue(settings, name, value),
    kind,
    ...(origin !== undefined && { name: origin }),
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
  };
}

const DESCRIPTIONS: Record<SpecialistVariable, string> = {
  ENDPOINT: 'Endpoint of a specialist; without it the endpoint of the main agent',
  API_KEY: "Key of a specialist; the main agent's key goes only to the main agent's own origin",
  MODEL: 'Model of a specialist; without it the model of the main agent',
};

function descriptionOf(name: string): string {
  const what = /_(ENDPOINT|API_KEY|MODEL)$/.exec(name)?.[1] as SpecialistVariable | undefined;
  return definitionOf(name)?.description ?? (what ? DESCRIPTIONS[what] : '');
}

/** One setting with all that any source says of it. Throws FrostError `usage` where frost has no such setting. */
export function explainSetting(settings: Settings, name: string): ExplainedSetting {
  if (!isFrostVariable(name)) {
    const near = closest(name, [...SETTINGS.map((setting) => setting.name), ...settings.names()]);
    throw new FrostError(
      'usage',
      `There is no setting ${name}.${near === undefined ? ' frost config explain lists all.' : ` Did you mean ${near}?`}`,
    );
  }
  const used = settings.resolve(name);
  const isUsed = ({ value, source }: Resolved) =>
    value.trim() === used?.value && source.kind === used.source.kind && source.file === used.source.file;
  return {
    name,
    description: descriptionOf(name),
    ...(used && { used: explained(settings, name, used) }),
    unused: settings
      .all(name)
      .filter((found) => !isUsed(found))
      .map((found) => explained(settings, name, found)),
  };
}

function explainPrincipal(settings: Settings, name: string, resolve: () => Principal): ExplainedPrincipal {
  try {
    const { endpoint, endpointSource, model, modelSource, key, keySource } = resolve();
    return {
      name,
      endpoint: explained(settings, endpointSource.name ?? '', { value: endpoint, source: endpointSource }),
      ...(model !== undefined && modelSource && { model: explained(settings, 'MODEL_NAME', { value: model, source: modelSource }) }),
      ...(key && keySource && { key: explained(settings, key.name, { value: key.name, source: keySource }) }),
    };
  } catch (thrown) {
    return { name, error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** All settings, all principals, the folder: what `frost config explain` shows. */
export function explain(settings: Settings, specialists: readonly SpecialistRequest[]): Explanation {
  const parts: SpecialistVariable[] = ['ENDPOINT', 'API_KEY', 'MODEL'];
  const own = specialists.flatMap(({ name }) => parts.map((part) => specialistVariable(name, part)));
  const names = [...new Set([...SETTINGS.map(({ name }) => name), ...own])];
  const { configDir, stateDir, cacheDir } = settings.paths;
  return {
    settings: names.map((name) => explainSetting(settings, name)),
    principals: [
      explainPrincipal(settings, 'main', () => resolveMain(settings)),
      ...specialists.map((request) =>
        explainPrincipal(settings, request.name, () => resolveUnder(settings, mainOrNobody(settings), request)),
      ),
    ],
    folder: { path: settings.trust.folder, state: settings.trust.state, files: settings.trust.files },
    places: { config: configDir, state: stateDir, cache: cacheDir },
  };
}

/** `environment`, `flag --model`, `/home/me/.config/frost/.env:3`. */
export function placeText({ kind, name, file, line }: ExplainedValue): string {
  if (file !== undefined) return sourceText({ kind: 'user', name: '', file, ...(line !== undefined && { line }) }).replace(/^ in /, '');
  return kind === 'flag' || kind === 'discovered' ? `${kind} ${name ?? ''}`.trim() : kind;
}
