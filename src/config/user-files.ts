/** Changes to the user's own files, made from the chat: a key, a rule, a theme. */
import { FrostError } from '../errors.js';
import { withJsonValue } from './json-text.js';
import { cleanKey } from './key-text.js';
import type { Paths } from './paths.js';
import { writePrivateFile } from './private-file.js';
import { readSmallFile } from './small-file.js';
import { definitionOf, isSecretVariable } from './table.js';
import { readSettingsFile } from './user-settings.js';

/** A value as an env file holds it: in quotes of a kind that is not in it. */
function quoted(name: string, value: string): string {
  if (/^[\w./:@%+,=-]*$/.test(value)) return value;
  const quote = ["'", '`', '"'].find((mark) => !value.includes(mark));
  if (quote === undefined || /[\r\n]/.test(value)) {
    throw new FrostError('config', `The value for ${name} cannot be written to an env file: it has line breaks or every kind of quote.`);
  }
  return `${quote}${value}${quote}`;
}

/**
 * Sets variables in the user's `.env` (0600), keeping its other lines. Throws FrostError `auth` for a key that cannot be used,
 * `config` where the file cannot be written.
 */
export function saveVariables(paths: Paths, values: Readonly<Record<string, string>>): void {
  const lines = (readSmallFile(paths.envFile) ?? '').split(/\r?\n/);
  for (const [name, value] of Object.entries(values)) {
    const line = `${name}=${quoted(name, isSecretVariable(name) ? cleanKey(name, value) : value.trim())}`;
    const at = lines.findLastIndex((text) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*[=:]`).test(text));
    if (at >= 0) lines[at] = line;
    else lines.splice(lines.at(-1) === '' ? -1 : lines.length, 0, line);
  }
  writePrivateFile(paths.envFile, `${lines.join('\n').trimEnd()}\n`);
}

/** Sets one field of the user's `settings.json`, such as `theme` or `permissions.mode`; comments stay. Throws FrostError `config`. */
export function saveJsonField(paths: Paths, field: string, value: unknown): void {
  const text = readSmallFile(paths.settingsFile) ?? '';
  const [first = '', ...rest] = field.split('.');
  writePrivateFile(paths.settingsFile, withJsonValue(text.trim() === '' ? '{}\n' : text, [first, ...rest], value, paths.settingsFile));
}

/** Sets a setting of the table in the user's `settings.json`. */
export function saveSetting(paths: Paths, name: string, value: string | number | boolean): void {
  const field = definitionOf(name)?.json;
  if (field === undefined) throw new FrostError('config', `${name} is not a field of settings.json.`, { variable: name });
  saveJsonField(paths, field, value);
}

/** Adds a permission rule to the user's `settings.json`: what a person answered with «always». */
export function savePermissionRule(paths: Paths, list: 'allow' | 'deny', rule: string): void {
  const rules = readSettingsFile(paths.settingsFile, 'user', [])?.rest.permissions?.[list] ?? [];
  if (!rules.includes(rule)) saveJsonField(paths, `permissions.${list}`, [...rules, rule]);
}
