/** A unified diff as lines to read. */
import { forTerminal } from '../text/sanitize.js';
import type { Theme } from './theme.js';
import { clip } from './wrap.js';

export interface DiffLook {
  /** Lines shown; the rest is counted. */
  most?: number;
  /** Columns; longer lines are cut. Without it they are left to the terminal. */
  width?: number;
  /** Show the file headers too: nothing else names the file. */
  files?: boolean;
}

const HEADER = /^(---|\+\+\+|===|Index:|diff |\\ No newline)/;

function painted(line: string, theme: Theme): string {
  if (/^(---|\+\+\+) /.test(line)) return theme.strong(line);
  if (line.startsWith('+')) return theme.added(line);
  if (line.startsWith('-')) return theme.removed(line);
  return line.startsWith('@@') ? theme.hunk(line) : line;
}

export function diffLines(diff: string, theme: Theme, { most = Number.POSITIVE_INFINITY, width, files = false }: DiffLook = {}): string[] {
  const lines = forTerminal(diff)
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => files || !HEADER.test(line));
  const shown = (lines.length > most ? lines.slice(0, most - 1) : lines).map((line) =>
    width === undefined ? line : clip(line.replaceAll('\t', '    '), width),
  );
  const out = shown.map((line) => painted(line, theme));
  return lines.length > shown.length ? [...out, theme.dim(`… +${lines.length - shown.length}`)] : out;
}
