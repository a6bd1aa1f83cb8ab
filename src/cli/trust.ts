import fs from 'node:fs';
import path from 'node:path';
/** `frost trust`: lets a folder's settings speak, by the hash of what they are now. */
import type { Command } from 'commander';
import { processEnvironment } from '../config/environment.js';
import { type FolderEffect, folderEffects } from '../config/folder-summary.js';
import { pathsOf } from '../config/paths.js';
import { readTrust, realFolder, revokeTrust, trustFolder, trustOf } from '../config/trust.js';
import { FrostError } from '../errors.js';
import { lineForTerminal } from '../text/sanitize.js';

interface TrustOptions {
  list?: boolean;
  revoke?: boolean;
  show?: boolean;
}

const MOST_LINES = 12;

function effectLines({ file, says }: FolderEffect): string[] {
  const shown = says.slice(0, MOST_LINES).map((line) => `    ${lineForTerminal(line)}`);
  return [`  ${lineForTerminal(file)}`, ...shown, ...(says.length > MOST_LINES ? [`    … and ${says.length - MOST_LINES} more`] : [])];
}

function listText(trustFile: string): string {
  const folders = Object.entries(readTrust(trustFile));
  if (folders.length === 0) return 'No folder is trusted.\n';
  const states = { trusted: 'as trusted', changed: 'changed since', untrusted: 'gone', nothing: 'sets nothing now' };
  return `${folders.map(([folder, { trusted }]) => `${lineForTerminal(folder)}  ${states[trustOf(trustFile, folder).state]}  ${trusted}`).join('\n')}\n`;
}

function folderOf(dir: string | undefined, mustExist: boolean): string {
  const folder = path.resolve(dir ?? '.');
  if (mustExist && !fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new FrostError('input_missing', `There is no folder ${folder}.`, { folder });
  }
  return realFolder(folder);
}

/** Does what was asked and returns what to print. */
function trustCommand(dir: string | undefined, options: TrustOptions): string {
  const { trustFile } = pathsOf(processEnvironment());
  if (options.list) return listText(trustFile);
  const folder = folderOf(dir, !options.revoke);
  const name = lineForTerminal(folder);
  if (options.revoke) return revokeTrust(trustFile, folder) ? `${name} is no longer trusted.\n` : `${name} was not trusted.\n`;
  const effects = folderEffects(folder);
  if (effects.length === 0)
    return `${name} has nothing that frost would read: no .env with its variables, no .frost, no agents, no AGENTS.md.\n`;
  const lines = effects.flatMap(effectLines).join('\n');
  if (options.show) return `${name} would set:\n${lines}\n`;
  trustFolder(trustFile, folder);
  return `${name} is trusted as it is now; a file that changes is asked about again.\n${lines}\n`;
}

/** Gives `frost trust` its argument, flags and work. */
export function registerTrust(command: Command): void {
  command
    .argument('[dir]', 'the folder; default: this one')
    .option('--show', 'only show what the folder would set')
    .option('--list', 'list the trusted folders')
    .option('--revoke', 'forget a folder')
    .action((dir: string | undefined, options: TrustOptions) => {
      process.stdout.write(trustCommand(dir, options));
    });
}
