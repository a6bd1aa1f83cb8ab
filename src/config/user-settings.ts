import { FrostError } from '../errors.js';
import type { Entry } from './env-file.js';
import { type JsonNode, plain, readJson } from './json-text.js';
import { readSmallFile } from './small-file.js';
import { SETTINGS } from './table.js';

/** US dollars per million tokens. */
export interface Price {
  input: number;
  /** Input served from the endpoint's cache; default: `input`. */
  cached?: number;
  output: number;
}

/** What `settings.json` says beyond single values; a trusted folder's file adds to the user's. */
export interface UserSettings {
  /** By model name, or by `host/model` where two endpoints differ. */
  prices?: Record<string, Price>;
  /** By host, endpoint or model: what the endpoint does not understand, set by hand. */
  compat?: Record<string, Record<string, unknown>>;
  permissions?: { allow?: string[]; deny?: string[] };
  /** Further file patterns that tools may not read. */
  secretPatterns?: string[];
  /** Bounds of each specialist that sets none itself. */
  limits?: { turns?: number; tokens?: number; cost?: number; seconds?: number };
  compaction?: false | { reserveTokens?: number; keepRecentTokens?: number; model?: string };
  /** Further variables that commands run by tools may see; what looks like a secret is left out all the same. */
  passEnvironment?: string[];
}

/** A settings.json: single values under the names of the table, and the rest. */
export interface JsonSettings {
  readonly file: string;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly rest: UserSettings;
}

/** The form of a value. */
export type Shape =
  | { is: 'text' | 'number' | 'any' }
  | { is: 'list'; of: Shape }
  | { is: 'map'; of: Shape }
  | { is: 'fields'; fields: Record<string, Shape>; required?: string[] }
  | { is: 'false or'; other: Shape };

const TEXTS: Shape = { is: 'list', of: { is: 'text' } };
const NUMBER: Shape = { is: 'number' };

interface Field {
  shape: Shape;
  /** May the file of a trusted folder have it? */
  project: boolean;
  description: string;
}

/** The fields beyond the table's. `docs/settings.md` lists them. */
export const JSON_FIELDS: Record<keyof UserSettings, Field> = {
  prices: {
    shape: { is: 'map', of: { is: 'fields', fields: { input: NUMBER, cached: NUMBER, output: NUMBER }, required: ['input', 'output'] } },
    project: false,
    description: 'US dollars per million tokens by model (or host/model): `{"input": 1, "cached": 0.1, "output": 4}`',
  },
  compat: {
    shape: { is: 'map', of: { is: 'map', of: { is: 'any' } } },
    project: true,
    description: 'what an endpoint or model does not understand, set by hand; see docs/endpoints.md',
  },
  permissions: {
    shape: { is: 'fields', fields: { allow: TEXTS, deny: TEXTS } },
    project: true,
    description: 'rules such as `run_command(git status*)`; deny wins; `mode` is the setting FROST_PERMISSION',
  },
  secretPatterns: { shape: TEXTS, project: true, description: 'further file patterns that tools may not read' },
  limits: {
    shape: { is: 'fields', fields: { turns: NUMBER, tokens: NUMBER, cost: NUMBER, seconds: NUMBER } },
    project: false,
    description: 'bounds of each specialist that sets none itself: turns, tokens, cost (USD), seconds',
  },
  compaction: {
    shape: {
      is: 'false or',
      other: { is: 'fields', fields: { reserveTokens: NUMBER, keepRecentTokens: NUMBER, model: { is: 'text' } } },
    },
    project: true,
    description: '`false`, or `{"reserveTokens": n, "keepRecentTokens": n, "model": "…"}`',
  },
  passEnvironment: {
    shape: TEXTS,
    project: false,
    description: 'further variables that commands may see; what looks like a secret is left out all the same',
  },
};

const WORDS = { text: 'a text', number: 'a number, zero or more' };

class Checker {
  readonly problems: string[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  say(node: JsonNode, what: string): false {
    this.problems.push(`${this.#file}:${node.line}: ${what}`);
    return false;
  }

  fits(node: JsonNode, shape: Shape, at: string): boolean {
    switch (shape.is) {
      case 'any':
        return true;
      case 'false or':
        return (node.kind === 'scalar' && node.value === false) || this.fits(node, shape.other, at);
      case 'list':
        if (node.kind !== 'array') return this.say(node, `"${at}" must be a list`);
        return node.items.every((item, index) => this.fits(item, shape.of, `${at}[${index}]`));
      case 'map':
        if (node.kind !== 'object') return this.say(node, `"${at}" must be an object`);
        return [...node.fields].every(([name, field]) => this.fits(field, shape.of, `${at}.${name}`));
      case 'fields':
        return this.#fitsFields(node, shape, at);
      default:
        return this.#isScalar(node, shape.is) || this.say(node, `"${at}" must be ${WORDS[shape.is]}`);
    }
  }

  #isScalar(node: JsonNode, is: 'text' | 'number'): boolean {
    if (node.kind !== 'scalar') return false;
    if (is === 'number') return typeof node.value === 'number' && node.value >= 0;
    return typeof node.value === 'string';
  }

  #fitsFields(node: JsonNode, shape: Shape & { is: 'fields' }, at: string): boolean {
    if (node.kind !== 'object') return this.say(node, `"${at}" must be an object`);
    const missing = shape.required?.filter((name) => !node.fields.has(name)) ?? [];
    if (missing.length > 0) return this.say(node, `"${at}" lacks "${missing.join('", "')}"`);
    return [...node.fields].every(([name, field]) => {
      const known = shape.fields[name];
      if (!known) return this.say(field, `"${at}.${name}" is unknown; known are ${Object.keys(shape.fields).join(', ')}`);
      return this.fits(field, known, `${at}.${name}`);
    });
  }
}

function lookUp(root: JsonNode & { kind: 'object' }, dotted: string): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const name of dotted.split('.')) node = node?.kind === 'object' ? node.fields.get(name) : undefined;
  return node;
}

/** Takes the table's single values out of the tree, so that only the other fields stay. */
function takeEntries(root: JsonNode & { kind: 'object' }, checker: Checker, level: 'user' | 'project'): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const definition of SETTINGS) {
    const json = 'json' in definition ? definition.json : undefined;
    const node = json === undefined ? undefined : lookUp(root, json);
    if (!node || json === undefined) continue;
    const parent = json.includes('.') ? lookUp(root, json.slice(0, json.lastIndexOf('.'))) : root;
    if (parent?.kind === 'object') parent.fields.delete(json.slice(json.lastIndexOf('.') + 1));
    if (level === 'project' && definition.project !== true) checker.say(node, `"${json}" is not for a folder to set; it is ignored`);
    else if (node.kind !== 'scalar' || node.value === null) checker.say(node, `"${json}" must be a single value`);
    else entries.set(definition.name, { value: String(node.value), line: node.line });
  }
  return entries;
}

const isEmptyObject = (node: JsonNode) => node.kind === 'object' && node.fields.size === 0;

/**
 * Reads a settings.json. Text that is no JSON throws FrostError `config`; a field that is unknown or of the wrong form is left
 * out and named in `warnings` with its line. Undefined where there is no such file.
 */
export function readSettingsFile(file: string, level: 'user' | 'project', warnings: string[]): JsonSettings | undefined {
  const text = readSmallFile(file);
  if (text === undefined || text.trim() === '') return undefined;
  const root = readJson(text, file);
  const checker = new Checker(file);
  if (root.kind !== 'object') throw new FrostError('config', `${file}:${root.line} must be an object: { … }.`, { file, line: root.line });
  const entries = takeEntries(root, checker, level);
  const rest: Record<string, unknown> = {};
  for (const [name, node] of root.fields) {
    if (name === '$schema' || (name === 'timeouts' && isEmptyObject(node))) continue;
    const field = (JSON_FIELDS as Record<string, Field | undefined>)[name];
    if (!field) checker.say(node, `"${name}" is unknown`);
    else if (level === 'project' && !field.project) checker.say(node, `"${name}" is not for a folder to set; it is ignored`);
    else if (checker.fits(node, field.shape, name)) rest[name] = plain(node);
  }
  warnings.push(...checker.problems);
  return { file, entries, rest };
}

const joined = (a: string[] | undefined, b: string[] | undefined) => [...new Set([...(a ?? []), ...(b ?? [])])];

/** The user's settings with those of a trusted folder added: lists grow, the folder's values win elsewhere. */
export function mergeSettings(user: UserSettings, project: UserSettings): UserSettings {
  const permissions = {
    allow: joined(user.permissions?.allow, project.permissions?.allow),
    deny: joined(user.permissions?.deny, project.permissions?.deny),
  };
  return {
    ...user,
    ...project,
    compat: { ...user.compat, ...project.compat },
    permissions,
    // A folder may hide more of itself; what is hidden by default only its user may open.
    secretPatterns: joined(
      user.secretPatterns,
      project.secretPatterns?.filter((pattern) => !pattern.startsWith('!')),
    ),
  };
}
