import path from 'node:path';
import { FrostError } from '../errors.js';
import { SecretMask } from '../text/mask.js';
import { type Entries, readEnvFile } from './env-file.js';
import { childEnvironment, type Environment } from './environment.js';
import { type Paths, pathsOf } from './paths.js';
import type { Source, SourceKind } from './principal.js';
import type { ProxySettings } from './proxy.js';
import { definitionOf, isSecretVariable, mayProjectSet, type SettingDefinition, type SettingName } from './table.js';
import { type Trust, trustedNow, trustOf } from './trust.js';
import { mergeSettings, readSettingsFile, type UserSettings } from './user-settings.js';

/** Who answers for a value: the person who runs frost, or the folder it runs in. */
export type Level = 'user' | 'project';

export interface Resolved {
  readonly value: string;
  readonly source: Source;
}

export interface LoadOptions {
  env: Environment;
  cwd: string;
  /** Values of flags by the name of their setting. */
  flags?: Partial<Record<SettingName, string | undefined>>;
  /** An env file that the user named: a user-level source. */
  envFile?: string;
  /** Nothing of the folder speaks, trusted or not, and nothing is said of it. */
  ignoreProject?: boolean;
  /** The folder speaks as it is now, whatever was recorded: a person said so, for this once. */
  trustOnce?: boolean;
}

/** One source of values, all of one level. */
interface Layer {
  readonly kind: SourceKind;
  readonly level: Level;
  readonly file?: string;
  readonly entries: Entries;
}

export interface Settings {
  /** The strongest value that is not empty, without white space around it. */
  get(name: string): string | undefined;
  /** Throws FrostError `config` (`usage` for a flag) that names variable and source where the value is not such a number. */
  number(name: string): number | undefined;
  boolean(name: string): boolean;
  /** Like `get`, for a setting with a list of choices; throws in the same way. */
  choice(name: string): string | undefined;
  /** The value with its source; with a level, only what that level says. */
  resolve(name: string, level?: Level): Resolved | undefined;
  /** What every source says of a variable, strongest first; empty values included. */
  all(name: string): readonly Resolved[];
  /** Variables that are set at some source and are read by nobody's table, such as a specialist's. */
  names(): readonly string[];
  readonly json: UserSettings;
  readonly paths: Paths;
  readonly trust: Trust;
  /** Ready lines for stderr: fields that were left out, files that could not be read. */
  readonly warnings: readonly string[];
  /** Adds a line to `warnings`, once. */
  warn(text: string): void;
  readonly proxy: ProxySettings;
  /** Knows the value of every key that any source holds. */
  readonly mask: SecretMask;
  /** The environment for processes that tools start; no key is in it. */
  processEnv(): Record<string, string>;
}

const lowerCaseToo = (name: string) => (/^(HTTPS?|NO)_PROXY$/.test(name) ? [name.toLowerCase(), name] : [name]);

/** `MAX_ITERATIONS in /home/me/.config/frost/.env:3`, for errors and explanations. */
export function sourceText(source: Source): string {
  const name = source.name ?? 'a value';
  if (source.file === undefined) return name;
  return `${name} in ${source.file}${source.line === undefined ? '' : `:${source.line}`}`;
}

class LayeredSettings implements Settings {
  readonly #layers: readonly Layer[];
  readonly #env: Environment;

  constructor(
    layers: readonly Layer[],
    env: Environment,
    readonly json: UserSettings,
    readonly paths: Paths,
    readonly trust: Trust,
    readonly warnings: string[],
    readonly mask: SecretMask,
  ) {
    this.#layers = layers;
    this.#env = env;
  }

  *#candidates(name: string, level?: Level): Generator<Resolved> {
    for (const layer of this.#layers) {
      if (level !== undefined && layer.level !== level) continue;
      if (layer.level === 'project' && !mayProjectSet(name)) continue;
      for (const spelling of lowerCaseToo(name)) {
        const entry = layer.entries.get(spelling);
        if (!entry) continue;
        const flag = layer.kind === 'flag' ? flagOf(definitionOf(name)) : undefined;
        const place = { ...(layer.file !== undefined && { file: layer.file }), ...(entry.line !== undefined && { line: entry.line }) };
        yield { value: entry.value, source: { kind: layer.kind, name: flag ?? spelling, ...place } };
      }
    }
  }

  resolve(name: string, level?: Level): Resolved | undefined {
    for (const { value, source } of this.#candidates(name, level)) {
      const trimmed = value.trim();
      if (trimmed !== '') return { value: trimmed, source };
    }
    const fallback = level === 'project' ? undefined : definitionOf(name)?.default;
    return fallback === undefined ? undefined : { value: fallback, source: { kind: 'default', name } };
  }

  all(name: string): readonly Resolved[] {
    return [...this.#candidates(name)];
  }

  names(): readonly string[] {
    return [...new Set(this.#layers.flatMap((layer) => [...layer.entries.keys()]))];
  }

  get(name: string): string | undefined {
    return this.resolve(name)?.value;
  }

  #wrong(found: Resolved, what: string): FrostError {
    const kind = found.source.kind === 'flag' ? 'usage' : 'config';
    return new FrostError(kind, `${sourceText(found.source)} must be ${what}, not "${this.mask.mask(found.value)}".`, {
      variable: found.source.name,
    });
  }

  number(name: string): number | undefined {
    const found = this.resolve(name);
    if (!found) return undefined;
    const definition = definitionOf(name);
    const isInteger = definition?.kind === 'integer';
    const least = definition?.least ?? Number.NEGATIVE_INFINITY;
    const value = Number(found.value);
    if (!Number.isFinite(value) || value < least || (isInteger && !Number.isInteger(value))) {
      const what = isInteger ? 'a whole number' : 'a number';
      throw this.#wrong(found, definition?.least === undefined ? what : `${what}, ${least} or more`);
    }
    return value;
  }

  boolean(name: string): boolean {
    const found = this.resolve(name);
    if (!found) return false;
    const word = found.value.toLowerCase();
    if (['1', 'true', 'yes', 'on'].includes(word)) return true;
    if (['0', 'false', 'no', 'off'].includes(word)) return false;
    throw this.#wrong(found, 'true or false');
  }

  choice(name: string): string | undefined {
    const found = this.resolve(name);
    const choices = definitionOf(name)?.choices;
    if (found && choices && !choices.includes(found.value)) throw this.#wrong(found, `one of ${choices.join(', ')}`);
    return found?.value;
  }

  warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }

  get proxy(): ProxySettings {
    const [http, https, no] = [this.get('HTTP_PROXY'), this.get('HTTPS_PROXY'), this.get('NO_PROXY')];
    return { ...(http !== undefined && { http }), ...(https !== undefined && { https }), ...(no !== undefined && { no }) };
  }

  processEnv(): Record<string, string> {
    return childEnvironment(this.#env, this.mask, this.json.passEnvironment);
  }
}

/** `--model` of `-m, --model <name>`. */
function flagOf(definition: SettingDefinition | undefined): string | undefined {
  return /--[a-z-]+/.exec(definition?.flag ?? '')?.[0];
}

const entriesOf = (values: Readonly<Record<string, string | undefined>>): Entries =>
  new Map(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, { value }] as const])));

/** Node 20 takes an `--env-file` of the program for one of its own and exports what is in it: that is not the user's environment. */
function exported(env: Environment, envFile: Entries | undefined): Entries {
  const entries = entriesOf(env);
  return envFile ? new Map([...entries].filter(([name, { value }]) => envFile.get(name)?.value !== value)) : entries;
}

/** What could not be read costs those settings and a warning, not the run. */
function attempt<T>(read: () => T, warnings: string[]): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof FrostError)) throw thrown;
    warnings.push(thrown.message);
    return undefined;
  }
}

const UNTOLD: Trust = { state: 'nothing', folder: '', files: [], changed: [], allows: () => false };

function named(envFile: string, cwd: string): Layer {
  const file = path.resolve(cwd, envFile);
  const entries = readEnvFile(file);
  if (!entries) throw new FrostError('config', `There is no file ${file} (--env-file).`, { file });
  return { kind: 'env-file', level: 'user', file, entries };
}

/**
 * Reads all settings, strongest source first: flags, process environment, `--env-file`, trusted folder, user files, defaults.
 * Synchronous, reads only small files. Throws FrostError `config` for an `--env-file` that is missing and for a
 * settings.json of the user that is no JSON.
 */
export function loadSettings(options: LoadOptions): Settings {
  const { env, cwd } = options;
  const paths = pathsOf(env);
  const warnings: string[] = [];
  const told = options.ignoreProject ? undefined : attempt(() => trustOf(paths.trustFile, cwd), warnings);
  const trust = told && options.trustOnce ? trustedNow(told) : (told ?? { ...UNTOLD, folder: cwd });
  const layers: Layer[] = [{ kind: 'flag', level: 'user', entries: entriesOf(options.flags ?? {}) }];
  const envFile = options.envFile === undefined ? undefined : named(options.envFile, cwd);
  layers.push({ kind: 'environment', level: 'user', entries: exported(env, envFile?.entries) });
  if (envFile) layers.push(envFile);
  const add = (kind: 'project' | 'user', file: string, entries: Entries | undefined) => {
    if (entries) layers.push({ kind, level: kind, file, entries });
  };
  const projectEnv = path.join(trust.folder, '.env');
  if (trust.allows(projectEnv))
    add(
      'project',
      projectEnv,
      attempt(() => readEnvFile(projectEnv), warnings),
    );
  const projectFile = path.join(trust.folder, '.frost/settings.json');
  const project = trust.allows(projectFile) ? attempt(() => readSettingsFile(projectFile, 'project', warnings), warnings) : undefined;
  add('project', projectFile, project?.entries);
  add(
    'user',
    paths.envFile,
    attempt(() => readEnvFile(paths.envFile), warnings),
  );
  const user = readSettingsFile(paths.settingsFile, 'user', warnings);
  add('user', paths.settingsFile, user?.entries);
  const mask = new SecretMask();
  for (const { entries } of layers) {
    for (const [name, { value }] of entries) if (isSecretVariable(name)) mask.add(name, value);
  }
  return new LayeredSettings(layers, env, mergeSettings(user?.rest ?? {}, project?.rest ?? {}), paths, trust, warnings, mask);
}
