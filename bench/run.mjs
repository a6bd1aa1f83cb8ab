// Runs the subjects of a scenario in turn, A B C A B C …, so that a busy moment of the machine falls on all of them alike.
import { least, median, summary } from './statistics.mjs';

/**
 * @param scenario `{subjects, rows, once?, rounds?}`: a subject is a function that runs once and gives `{metric: number}`;
 *   a row's `value(pick)` is computed from `pick(subject, metric)`
 * @returns one result a row: `{id, what, against, value, best, bound, unit, ours, base}`; `value` from the medians, `best` from the minima
 */
export async function runScenario(scenario, runs, onRun = () => {}) {
  const rounds = scenario.once ? 1 : Math.min(runs, scenario.rounds ?? runs);
  const names = Object.keys(scenario.subjects);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  if (!scenario.once) for (const name of names) await scenario.subjects[name]();
  for (let round = 0; round < rounds; round++) {
    onRun(round + 1, rounds);
    for (const name of names) samples[name].push(await scenario.subjects[name]());
  }
  const series = (subject, metric) => samples[subject].map((sample) => sample[metric]);
  const reducer = (reduce) => (subject, metric) => reduce(series(subject, metric));
  return scenario.rows.map((row) => ({
    id: row.id,
    what: row.what,
    against: row.against ?? '–',
    value: row.value(reducer(median)),
    best: row.value(reducer(least)),
    bound: row.bound,
    unit: row.unit,
    ours: summary(series(...row.ours)),
    base: row.base && summary(series(...row.base)),
  }));
}
