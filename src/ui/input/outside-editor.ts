import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Terminal } from './terminal.js';

export interface OutsideEditor {
  /** The value of VISUAL or EDITOR: a command line. */
  command: string;
  env: Record<string, string>;
  terminal: Terminal;
}

/**
 * Lets the person write in an editor of their own; resolves to the new text, without line ends at its end. Undefined where
 * the editor could not be started or ended with a failure, as with `:cq`: the text stays as it was.
 */
export async function editOutside(text: string, { command, env, terminal }: OutsideEditor): Promise<string | undefined> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'frost-'));
  const file = path.join(folder, 'prompt.md');
  try {
    await fs.writeFile(file, text, { mode: 0o600 });
    const code = await terminal.lend(() => run(command, file, env));
    return code === 0 ? (await fs.readFile(file, 'utf8')).replace(/[\r\n]+$/, '') : undefined;
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

/** The command is for the shell, as everywhere: it may hold options. */
function run(command: string, file: string, env: Record<string, string>): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'editor', file], { stdio: 'inherit', env });
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
}
