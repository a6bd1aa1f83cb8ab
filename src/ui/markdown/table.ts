/** Tables that fit the width: cells wrap; where even that is too narrow, one line for each cell. */
import type { Tokens } from 'marked';
import { type Span, widthOf, wrap } from '../wrap.js';
import type { Look } from './inline.js';

/** Narrower than this a column cannot be read. */
const NARROWEST = 5;
const GAP = 3;

type Cells = Span[][];

const natural = (spans: readonly Span[]): number => widthOf(spans.map(({ text }) => text).join(''));

/** Widths of the columns, or undefined where they cannot fit. The widest give way first. */
function columnWidths(rows: readonly Cells[], width: number): number[] | undefined {
  const columns = rows[0]?.length ?? 0;
  const room = width - GAP * (columns - 1);
  const widths = Array.from({ length: columns }, (_, at) => Math.max(1, ...rows.map((row) => natural(row[at] ?? []))));
  if (widths.reduce((sum, one) => sum + Math.min(one, NARROWEST), 0) > room) return undefined;
  let extra = widths.reduce((sum, one) => sum + one, 0) - room;
  while (extra > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const others = widths.filter((_, at) => at !== widest);
    const next = Math.max(NARROWEST, ...others.filter((one) => one < (widths[widest] ?? 0)));
    const give = Math.max(1, Math.min(extra, (widths[widest] ?? 0) - next));
    widths[widest] = (widths[widest] ?? 0) - give;
    extra -= give;
  }
  return widths;
}

function padded(painted: string, plainWidth: number, width: number, align: string | null): string {
  const space = Math.max(0, width - plainWidth);
  if (align === 'right') return ' '.repeat(space) + painted;
  if (align === 'center') return ' '.repeat(space >> 1) + painted + ' '.repeat(space - (space >> 1));
  return painted + ' '.repeat(space);
}

const bare = (line: string): string => line.replace(/\x1b\][^\x1b]*\x1b\\|\x1b\[[0-9;]*m/g, '');

function rowLines(row: Cells, widths: readonly number[], align: readonly (string | null)[], look: Look): string[] {
  const cells = widths.map((width, at) => wrap(row[at] ?? [], width));
  const height = Math.max(...cells.map((lines) => lines.length));
  const bar = look.theme.dim(' │ ');
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, at) => padded(lines[line] ?? '', widthOf(bare(lines[line] ?? '')), widths[at] ?? 1, align[at] ?? null))
      .join(bar)
      .trimEnd(),
  );
}

/** `spansOf` turns a cell's source into runs. */
export function tableLines(table: Tokens.Table, look: Look, spansOf: (source: string, isHeader: boolean) => Span[]): string[] {
  const header = table.header.map((cell) => spansOf(cell.text, true));
  const rows = table.rows.map((row) => row.map((cell) => spansOf(cell.text, false)));
  const widths = columnWidths([header, ...rows], look.width);
  if (!widths) return listed(header, rows, look);
  const rule = look.theme.dim(widths.map((width) => '─'.repeat(width)).join('─┼─'));
  return [rowLines(header, widths, table.align, look), [rule], ...rows.map((row) => rowLines(row, widths, table.align, look))].flat();
}

function listed(header: Cells, rows: readonly Cells[], look: Look): string[] {
  const lines = rows.map((row) => row.flatMap((cell, at) => wrap([...(header[at] ?? []), { text: ': ' }, ...cell], look.width)));
  return lines.flatMap((row, at) => (at === 0 ? row : ['', ...row]));
}
