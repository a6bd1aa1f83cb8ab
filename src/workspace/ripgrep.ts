/** Searching with the machine's ripgrep. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Match } from './search.js';
import type { Workspace } from './workspace.js';

/** Ended with an error, such as a pattern in another dialect. */
export class RipgrepFailed extends Error {
  override readonly name = 'RipgrepFailed';
}

/** Yields matching lines in the order of their files. Throws RipgrepFailed where ripgrep ends with an error. */
export async function* ripgrep(
  program: string,
  workspace: Workspace,
  { pattern, target, signal }: { pattern: string; target: string; signal: AbortSignal },
): AsyncGenerator<Match> {
  const options = [
    '--no-config',
    '--no-require-git',
    '--hidden',
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--null',
    '--color=never',
  ];
  const args = [...options, '--sort=path', '--max-columns=500', '--max-columns-preview', '--glob=!.git'];
  const child = spawn(program, [...args, `--regexp=${pattern}`, '--', target], {
    cwd: workspace.root,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(0, 2000);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(2));
    child.on('close', resolve);
  });
  let found = 0;
  try {
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
      const match = /^(.*?)\0(\d+):(.*)$/s.exec(line);
      if (!match?.[1]) continue;
      found++;
      const name = match[1].replace(/^\.\//, '');
      if (!workspace.hides(name)) yield { name, line: Number(match[2]), text: match[3] ?? '' };
    }
    const code = await ended;
    signal.throwIfAborted();
    if (code === 2 && found === 0) throw new RipgrepFailed(complaint.trim());
  } finally {
    child.kill('SIGKILL');
  }
}
