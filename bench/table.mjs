// The results as a table for people.

const figure = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 2));
const withUnit = (value, unit) => `${figure(value)}${unit && ` ${unit}`}`;
const spread = (series) => (series ? `${figure(series.median)} [${figure(series.min)}–${figure(series.max)}]` : '–');

const HEAD = ['what', 'measured', 'against', 'its measure', 'value', 'of the minima', 'at most', ''];

/** A Markdown table, padded so that it reads in a terminal too. */
export function table(results, slack = 1) {
  const lines = results.map((row) => [
    row.what,
    spread(row.ours),
    row.against,
    spread(row.base),
    withUnit(row.value, row.unit),
    withUnit(row.best, row.unit),
    withUnit(row.bound * slack, row.unit),
    passes(row, slack) ? 'ok' : 'OVER',
  ]);
  const widths = HEAD.map((title, column) => Math.max(title.length, ...lines.map((cells) => cells[column].length)));
  const draw = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [draw(HEAD), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(draw)].join('\n');
}

/** Noise only ever adds, so a row is inside its bound when the medians or the minima are. */
export const passes = (row, slack) => Math.min(row.value, row.best) <= row.bound * slack;
