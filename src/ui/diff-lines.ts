/** A unified diff as lines to read. */
import { forTerminal } from '../text/sanitize.js';
import type { Theme } from './theme.js';

/** At most `most` lines; the rest is counted. Without `files` the file headers are left out: a tool line names the file. */
export function diffLines(diff: string, theme: Theme, most: number, files = false): string[] {
  const lines = forTerminal(diff)
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => files || !/^(---|\+\+\+|===|Index:|diff |\\ No newline)/.test(line));
  const shown = lines.length > most ? lines.slice(0, most - 1) : lines;
  const painted = shown.map((line) => {
    if (/^(---|\+\+\+) /.test(line)) return theme.strong(line);
    if (line.startsWith('+')) return theme.added(line);
    if (line.startsWith('-')) return theme.removed(line);
    return line.startsWith('@@') ? theme.hunk(line) : line;
  });
  return lines.length > shown.length ? [...painted, theme.dim(`… +${lines.length - shown.length}`)] : painted;
}
