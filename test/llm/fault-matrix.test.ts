/** Every cell of the fault matrix in docs/endpoints.md, from a run of the built program. `UPDATE_DOCS=1` writes the document. */
import { afterAll, describe, expect, it } from 'vitest';
import { partOf, table, updatePart } from './support/endpoints-doc.js';
import { type Cell, closeCells, FAULTS, runCell, WHENS, WHOS, type When, type Who } from './support/fault-matrix.js';

const AT_ONCE = 4;

const cells = FAULTS.flatMap((fault) => WHOS.flatMap((who) => WHENS.map((when) => ({ fault, who, when }))));

async function runAll(): Promise<Map<string, Cell>> {
  const results = new Map<string, Cell>();
  const waiting = [...cells];
  const worker = async () => {
    for (let cell = waiting.shift(); cell; cell = waiting.shift()) results.set(key(cell), await runCell(cell.fault, cell.when, cell.who));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

const key = ({ fault, who, when }: { fault: { name: string }; who: Who; when: When }) => `${fault.name} · ${when} · ${who}`;

const quoted = (text: string) => (text === '' ? '(empty)' : `\`${text.trimEnd()}\``);

describe('the fault matrix', () => {
  afterAll(closeCells);

  it('has its exit code, stdout, stderr and session state in every cell, as the document says', { timeout: 300_000 }, async () => {
    const results = await runAll();
    for (const cell of cells) checkCell(key(cell), cell, results.get(key(cell)));
    const rows = cells.map((cell) => {
      const result = results.get(key(cell));
      return [
        cell.fault.name,
        cell.when,
        cell.who,
        String(result?.exit),
        quoted(result?.stdout ?? ''),
        quoted(result?.stderr ?? ''),
        result?.session ?? '',
      ];
    });
    const content = table(['fault', 'text', 'at', 'exit', 'stdout', 'stderr', 'session'], rows);
    updatePart('faults', content);
    expect(partOf('faults')).toBe(content);
  });
});

/** What holds for every cell, whatever the document says. */
function checkCell(name: string, { who, when }: { who: Who; when: When }, cell: Cell | undefined): void {
  if (!cell) throw new Error(`${name} was not run`);
  const isFailure = cell.exit !== 0;
  if (isFailure) {
    expect(cell.stderr, name).toMatch(who === 'main' ? /main agent/ : /Coder/);
    expect(cell.session, name).toContain('failed');
  }
  if (when !== 'after') expect(isFailure, name).toBe(true);
  if (who === 'child') expect(cell.stdout, name).toBe('Coder is back.\n');
  else expect(['', 'Half of it', 'All of it'], name).toContain(cell.stdout.trimEnd());
  expect(cell.stderr.split('\n').length, name).toBeLessThan(4);
}
