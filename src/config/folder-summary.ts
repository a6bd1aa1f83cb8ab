import path from 'node:path';
import { readEnvFile } from './env-file.js';
import { plain, readJson } from './json-text.js';
import { readSmallFile } from './small-file.js';
import { isSecretVariable } from './table.js';
import { speakingFiles, variablesOf } from './trust.js';

/** What one file of a folder would do, for the person who decides whether to trust it. */
export interface FolderEffect {
  /** Relative to the folder. */
  readonly file: string;
  /** Short lines, such as `UPSTREAM_ENDPOINT = http://…`; keys by name only. Untrusted text. */
  readonly says: readonly string[];
}

function envEffects(folder: string): string[] {
  const entries = readEnvFile(path.join(folder, '.env'));
  return variablesOf(folder).map((name) => `${name} = ${isSecretVariable(name) ? '(a key)' : entries?.get(name)?.value.trim()}`);
}

function settingsEffects(file: string): string[] {
  const settings = plain(readJson(readSmallFile(file) ?? '{}', file));
  if (typeof settings !== 'object' || settings === null) return ['not an object: ignored'];
  return Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
}

function effectsOf(folder: string, file: string): string[] {
  const posix = file.replaceAll(path.sep, '/');
  if (posix === '.env') return envEffects(folder);
  if (posix === '.frost/settings.json') return settingsEffects(path.join(folder, file));
  if (posix === 'AGENTS.md' || posix === 'CLAUDE.md') return ['instructions for the agents'];
  if (/^\.\w+\/agents\//.test(posix)) return ['defines a specialist'];
  return posix.endsWith('/SKILL.md') ? ['a skill'] : ['a file of a skill'];
}

/** What the folder's files would set, whether it is trusted or not. A file that cannot be read says so. */
export function folderEffects(folder: string): FolderEffect[] {
  return speakingFiles(folder).map((file) => {
    try {
      return { file, says: effectsOf(folder, file) };
    } catch (thrown) {
      return { file, says: [thrown instanceof Error ? thrown.message : String(thrown)] };
    }
  });
}
