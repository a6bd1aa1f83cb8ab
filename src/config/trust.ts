import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { readEnvFile } from './env-file.js';
import { writePrivateFile } from './private-file.js';
import { isFrostVariable, mayProjectSet } from './table.js';

/** `nothing`: the folder would set nothing. `changed`: trusted once, but a file is new or different now. */
export type TrustState = 'trusted' | 'untrusted' | 'changed' | 'nothing';

/** Files by path inside the folder, each with the hash of its content when the folder was trusted. */
interface TrustRecord {
  trusted: string;
  files: Record<string, string>;
}

type TrustRecords = Record<string, TrustRecord>;

export interface Trust {
  readonly state: TrustState;
  /** The folder by its real path. */
  readonly folder: string;
  /** The one line for stderr where the folder's settings are not used. */
  readonly hint?: string;
  /** The folder's files that would speak, relative. */
  readonly files: readonly string[];
  /** Those that are new or different since the folder was trusted. */
  readonly changed: readonly string[];
  /** May this file (absolute, or relative to the folder) speak? Only as it was when it was trusted. */
  allows(file: string): boolean;
}

const SINGLE_FILES = ['.env', '.frost/settings.json', 'AGENTS.md', 'CLAUDE.md'];
const TREES = ['.frost/agents', '.frost/skills', '.claude/agents', '.claude/skills', '.agents/skills'];

/** More files than this are not one folder's settings. */
const MOST_FILES = 1000;

const isFile = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;

function filesBelow(folder: string, tree: string): string[] {
  try {
    return fs
      .readdirSync(path.join(folder, tree), { recursive: true, withFileTypes: true })
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .filter((file) => isFile(path.join(folder, file)));
  } catch {
    return [];
  }
}

/** The variables that a folder's `.env` would set for frost. */
export function variablesOf(folder: string): string[] {
  const names = [...(readEnvFile(path.join(folder, '.env'))?.entries() ?? [])].filter(([, { value }]) => value.trim() !== '');
  return names.map(([name]) => name).filter((name) => isFrostVariable(name) && mayProjectSet(name));
}

/** The folder's files that would speak to frost, relative to it; an `.env` only where it has a variable that frost reads. */
export function speakingFiles(folder: string): string[] {
  const single = SINGLE_FILES.filter((file) => isFile(path.join(folder, file)) && (file !== '.env' || variablesOf(folder).length > 0));
  return [...single, ...TREES.flatMap((tree) => filesBelow(folder, tree))].slice(0, MOST_FILES);
}

/** node:crypto takes 20 ms to load: only where there is something to compare. */
function hashOf(file: string): string | undefined {
  try {
    const { createHash } = createRequire(import.meta.url)('node:crypto') as typeof import('node:crypto');
    return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  } catch {
    return undefined;
  }
}

/** The records, or none where the file is missing or damaged: then nothing is trusted. */
export function readTrust(trustFile: string): TrustRecords {
  try {
    const { folders } = JSON.parse(fs.readFileSync(trustFile, 'utf8'));
    return typeof folders === 'object' && folders !== null ? folders : {};
  } catch {
    return {};
  }
}

function writeTrust(trustFile: string, folders: TrustRecords): void {
  writePrivateFile(trustFile, `${JSON.stringify({ version: 1, folders }, null, 2)}\n`);
}

export function realFolder(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

/** Records the folder as it is now. Returns the files that may speak from here on. */
export function trustFolder(trustFile: string, folder: string): string[] {
  const real = realFolder(folder);
  const files: Record<string, string> = {};
  for (const file of speakingFiles(real)) {
    const hash = hashOf(path.join(real, file));
    if (hash !== undefined) files[file] = hash;
  }
  writeTrust(trustFile, { ...readTrust(trustFile), [real]: { trusted: new Date().toISOString(), files } });
  return Object.keys(files);
}

/** Forgets the folder; false where it was not trusted. */
export function revokeTrust(trustFile: string, folder: string): boolean {
  const { [realFolder(folder)]: record, ...others } = readTrust(trustFile);
  if (record !== undefined) writeTrust(trustFile, others);
  return record !== undefined;
}

function described(folder: string, files: readonly string[]): string {
  const shown = files.slice(0, 4).map((file) => (file === '.env' ? `.env (${variablesOf(folder).join(', ')})` : file));
  return files.length > shown.length ? `${shown.join(', ')} and ${files.length - shown.length} more` : shown.join(', ');
}

function hintFor(state: TrustState, folder: string, files: readonly string[]): string | undefined {
  if (state === 'untrusted') return `${described(folder, files)} of this folder ignored: not trusted. Look at it, then run: frost trust`;
  if (state !== 'changed') return undefined;
  return `${described(folder, files)} of this folder ignored: changed since it was trusted. Look at it, then run: frost trust`;
}

/** What may speak in a folder. Reads files only where the folder has some. */
export function trustOf(trustFile: string, folder: string): Trust {
  const real = realFolder(folder);
  const files = speakingFiles(real);
  const record = files.length === 0 ? undefined : readTrust(trustFile)[real];
  const isAsTrusted = (file: string) => {
    const hash = record?.files?.[file];
    return hash !== undefined && hash === hashOf(path.join(real, file));
  };
  const changed = record ? files.filter((file) => !isAsTrusted(file)) : [];
  const state = files.length === 0 ? 'nothing' : !record ? 'untrusted' : changed.length > 0 ? 'changed' : 'trusted';
  const hint = hintFor(state, real, record ? changed : files);
  return {
    state,
    folder: real,
    files,
    changed,
    ...(hint !== undefined && { hint }),
    allows: (file) => isAsTrusted(path.relative(real, path.resolve(real, file))),
  };
}

/** The folder's files speak as they are at this moment. */
export function trustedNow({ folder, files }: Trust): Trust {
  const hashes = new Map(files.map((file) => [file, hashOf(path.join(folder, file))]));
  return {
    state: files.length === 0 ? 'nothing' : 'trusted',
    folder,
    files,
    changed: [],
    allows: (file) => {
      const relative = path.relative(folder, path.resolve(folder, file));
      const hash = hashes.get(relative);
      return hash !== undefined && hash === hashOf(path.join(folder, relative));
    },
  };
}
