/** What is around the agents: Node, terminal, folder, files. */
import fs from 'node:fs';
import path from 'node:path';
import { readEnvFile } from '../config/env-file.js';
import type { Environment } from '../config/environment.js';
import type { SpecialistRequest } from '../config/principals.js';
import type { Settings } from '../config/settings.js';
import { SETTINGS, specialistVariable } from '../config/table.js';
import { closest } from '../text/closest.js';

/** `warning`: frost works, but look at it. */
export type CheckStatus = 'ok' | 'warning' | 'failed';

export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly text: string;
}

/** What the checks need to know of the process. */
export interface Surroundings {
  readonly env: Environment;
  readonly specialists: readonly SpecialistRequest[];
  readonly nodeVersion: string;
  readonly terminal: { readonly isTerminal: boolean; readonly columns?: number; readonly rows?: number };
}

function sessionsCheck(folder: string): Check {
  let existing = folder;
  while (!fs.existsSync(existing) && path.dirname(existing) !== existing) existing = path.dirname(existing);
  try {
    fs.accessSync(existing, fs.constants.W_OK | fs.constants.X_OK);
    return { name: 'sessions', status: 'ok', text: `${folder}${existing === folder ? '' : ' (made with the first session)'}` };
  } catch {
    return { name: 'sessions', status: 'warning', text: `${folder} cannot be written: frost answers, but records nothing` };
  }
}

function folderCheck({ trust }: Settings): Check {
  if (trust.hint !== undefined) return { name: 'folder', status: 'warning', text: trust.hint };
  return {
    name: 'folder',
    status: 'ok',
    text: trust.state === 'trusted' ? `${trust.folder} is trusted: ${trust.files.join(', ')}` : 'sets nothing for frost',
  };
}

function terminalCheck({ env, terminal }: Surroundings): Check {
  const term = env['TERM'] ?? '';
  if (!terminal.isTerminal)
    return { name: 'terminal', status: 'ok', text: 'stdout is not a terminal: frost ask works, the chat needs one' };
  if (term === 'dumb') return { name: 'terminal', status: 'warning', text: 'TERM=dumb: the chat uses plain lines' };
  return { name: 'terminal', status: 'ok', text: `${term || 'unknown'}, ${terminal.columns ?? '?'}×${terminal.rows ?? '?'}` };
}

function settingsChecks(settings: Settings, env: Environment): Check[] {
  const warnings = settings.warnings.map((text): Check => ({ name: 'settings', status: 'warning', text }));
  const mode = fs.statSync(settings.paths.envFile, { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    warnings.push({ name: 'settings', status: 'warning', text: `${settings.paths.envFile} can be read by others: chmod 600 it` });
  }
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    warnings.push({
      name: 'network',
      status: 'warning',
      text: 'NODE_TLS_REJECT_UNAUTHORIZED=0 is set. For a private CA set NODE_EXTRA_CA_CERTS instead',
    });
  }
  if (!env['NODE_EXTRA_CA_CERTS'] && settings.get('NODE_EXTRA_CA_CERTS')) {
    const text = 'NODE_EXTRA_CA_CERTS does nothing in a file: Node reads it from the environment when it starts. Export it';
    warnings.push({ name: 'network', status: 'warning', text });
  }
  const { http, https } = settings.proxy;
  if (http !== undefined || https !== undefined) {
    const names = [http && 'HTTP_PROXY', https && 'HTTPS_PROXY'].filter(Boolean).join(' and ');
    warnings.push({ name: 'network', status: 'ok', text: `through ${names}` });
  }
  return warnings;
}

/** A variable that frost does not read, but whose name is nearly one that it does. */
function misspelled(settings: Settings, specialists: readonly SpecialistRequest[]): Check[] {
  const file = settings.paths.envFile;
  const parts = ['ENDPOINT', 'API_KEY', 'MODEL'] as const;
  const own = specialists.flatMap(({ name, apiKeyEnv }) => [
    ...parts.map((part) => specialistVariable(name, part)),
    ...(apiKeyEnv ? [apiKeyEnv] : []),
  ]);
  const known = [...SETTINGS.map(({ name }) => name as string), ...own];
  const entries = [...(readEnvFile(file) ?? [])].filter(([name]) => !known.includes(name));
  return entries.flatMap(([name, { line }]): Check[] => {
    const near = closest(name, known);
    return near === undefined
      ? []
      : [{ name: 'settings', status: 'warning', text: `${file}:${line}: ${name} is not read; did you mean ${near}?` }];
  });
}

function nodeCheck(version: string): Check {
  const isOld = Number(version.split('.')[0]) < 20;
  return { name: 'node', status: isOld ? 'failed' : 'ok', text: isOld ? `${version}; frost needs 20 or later` : version };
}

/** The checks that need no endpoint. */
export function surroundings(settings: Settings, around: Surroundings): Check[] {
  return [
    nodeCheck(around.nodeVersion),
    terminalCheck(around),
    folderCheck(settings),
    sessionsCheck(settings.paths.sessionsDir),
    ...settingsChecks(settings, around.env),
    ...misspelled(settings, around.specialists),
  ];
}
