/** `frost agents test`: one real call of a specialist, with everything about it. */
import { requestsText } from '../agent/budget.js';
import type { EventOf } from '../agent/events.js';
import { processEnvironment } from '../config/environment.js';
import { loadSettings } from '../config/settings.js';
import { exitCodeOf } from '../errors.js';
import { cost, seconds, tokens } from '../print/figures.js';
import { forTerminal, lineForTerminal } from '../text/sanitize.js';
import { table } from './agent-text.js';

type Start = EventOf<'agent_start'>;
type End = EventOf<'agent_end'>;
type RunEnd = EventOf<'run_end'>;

export interface TryOptions {
  envFile?: string;
  json?: boolean;
}

export async function tryAgent(name: string, task: string, options: TryOptions): Promise<void> {
  const { assemble } = await import('../assembly/assemble.js');
  const cwd = process.cwd();
  const settings = loadSettings({ env: processEnvironment(), cwd, ...(options.envFile !== undefined && { envFile: options.envFile }) });
  const tell = (text: string) => void process.stderr.write(`frost: ${lineForTerminal(settings.mask.mask(text))}\n`);
  if (settings.trust.hint) tell(settings.trust.hint);
  const controller = new AbortController();
  const stop = () => controller.abort('interrupted');
  process.once('SIGINT', stop);
  const { agent, close } = await assemble({
    settings,
    cwd,
    interactive: false,
    warn: tell,
    notice: tell,
    signal: controller.signal,
    session: { kind: 'none' },
    specialistOnly: true,
  });
  let start: Start | undefined;
  let end: End | undefined;
  agent.subscribe((event) => {
    if (event.type === 'agent_start') start ??= event;
    if (event.type === 'agent_end' && event.run === start?.run) end = event;
  });
  const run = await agent.task(task, { agent: name, signal: controller.signal });
  process.off('SIGINT', stop);
  close();
  const text = options.json ? JSON.stringify(dataOf(name, run, start, end), null, 2) : reportOf(name, run, start, end);
  const masked = settings.mask.mask(text);
  process.stdout.write(`${process.stdout.isTTY ? forTerminal(masked) : masked}\n`);
  if (run.error) tell(run.error.message);
  if (run.outcome !== 'done') process.exitCode = exitCodeOf(run.error?.kind ?? 'failed');
}

function dataOf(name: string, run: RunEnd, start?: Start, end?: End): Record<string, unknown> {
  const { outcome, answer, structured, error, ms } = run;
  return {
    agent: start?.name ?? name,
    model: start?.model,
    host: start?.host,
    key: start?.keyName,
    outcome,
    answer,
    ...(structured !== undefined && { structured }),
    ...(error && { error }),
    ms: end?.ms ?? ms,
    turns: end?.turns ?? run.turns,
    usage: end?.usage,
    cost: end?.cost,
  };
}

function reportOf(name: string, run: RunEnd, start?: Start, end?: End): string {
  const rows = [
    ['agent', start?.name ?? name],
    ['model', start?.model ?? '-'],
    ['host', start?.host ?? '-'],
    ['key', start ? (start.keyName ?? 'none') : '-'],
    ['outcome', run.outcome],
    ['time', `${seconds(end?.ms ?? run.ms)}, ${requestsText(end?.turns ?? run.turns)}`],
    ['tokens', end?.usage ? tokens(end.usage) : 'unknown'],
    [
      'cost',
      end?.cost === undefined ? `unknown: no price for ${start?.model ?? 'its model'} under "prices" in settings.json` : cost(end.cost),
    ],
  ];
  return run.answer === '' ? table(rows) : `${table(rows)}\n\n${run.answer}`;
}
