/** The benchmark as CI calls it. One scenario that needs no time stands for all. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const BENCH = path.resolve(import.meta.dirname, '../../bench/bench.mjs');
const bench = (...args: string[]) => spawnSync(process.execPath, [BENCH, '--only', 'package-size', ...args], { encoding: 'utf8' });

describe('npm run bench', () => {
  it('prints a table with what was measured, its bound and whether it holds', () => {
    const { status, stdout } = bench();
    expect(status).toBe(0);
    expect(stdout).toMatch(/the published package, unpacked .* 5\.00 MB +\| ok/);
  });

  it('gives scripts one JSON object', () => {
    const { results, machine } = JSON.parse(bench('--json').stdout);
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ id: 'package-size', bound: 5, unit: 'MB' });
    expect(results[0].value).toBeGreaterThan(0);
    expect(machine.node).toBe(process.version);
  });

  it('ends with 1 behind --gate where a bound is passed, and names the row', () => {
    const { status, stderr } = bench('--gate', '--slack', '0.01');
    expect(status).toBe(1);
    expect(stderr).toContain('past the bound: package-size');
    expect(bench('--gate').status).toBe(0);
  });
});
