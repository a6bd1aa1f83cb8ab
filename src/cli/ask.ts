/** `frost ask`: one question, in one shot and in a pipe. stdout is the answer and nothing else. */
import type { Command } from 'commander';
import type { Agent, RunEnd } from '../agent/agent.js';
import type { Assembled } from '../assembly/assemble.js';
import { exitCodeOf, type Failure, FrostError, toFailure } from '../errors.js';
import { ChangedFiles } from '../print/changed-files.js';
import { resultObject, type Verdict, verdictOf } from '../print/result-object.js';
import { type AskFlags, type AskRequest, checkFlags, defineAsk } from './ask-flags.js';
import { askInput } from './ask-input.js';
import { checkOutFile, deliver } from './ask-output.js';
import { readers } from './ask-readers.js';
import { assembleAsk } from './ask-setup.js';
import { printDryRun } from './dry-run.js';
import { Interrupts } from './interrupts.js';
import { Output } from './output.js';
import { optimiseForTools, withOptimiser, withoutOptimiser } from './short-run.js';

export function registerAsk(command: Command): void {
  defineAsk(command).action((words: string[], flags: AskFlags) => ask(words, flags));
}

/** Runs the command to its end and leaves the process with its exit status. */
async function ask(words: string[], flags: AskFlags): Promise<void> {
  const startedAt = Date.now();
  const interrupts = new Interrupts();
  const output = new Output((error) => interrupts.abort(error));
  const changed = new ChangedFiles();
  let assembled: Assembled | undefined;
  let end: RunEnd | undefined;
  let verdict: Verdict;
  let result: string | undefined;
  try {
    const request = checkFlags(words, flags);
    if (flags.out !== undefined) checkOutFile(flags.out);
    const feedback = readers.feedback(request, output);
    const prepared = await assembleAsk(request, output, feedback, interrupts.signal);
    assembled = prepared.assembled;
    interrupts.startTimeout(assembled.settings.number('FROST_TIMEOUT'));
    const input = await askInput(request, { warn: (text) => feedback.warn(text), onLate: (error) => interrupts.abort(error) });
    interrupts.signal.throwIfAborted();
    assembled.agent.subscribe(changed.sink);
    readers.subscribe(request, assembled, output, feedback);
    withoutOptimiser();
    assembled.agent.subscribe(optimiseForTools);
    end = await run(assembled.agent, request, input, interrupts.signal);
    if (prepared.dryRun?.request) {
      printDryRun(prepared.dryRun, (text) => output.write(text));
      // That nothing was answered is no failure of a specialist.
      end = undefined;
      verdict = { exit: 0 };
    } else {
      verdict = interrupts.verdict ?? verdictOf(end);
      const delivered = await deliver(request, end, verdict, output);
      verdict = delivered.verdict;
      result = delivered.result;
    }
  } catch (thrown) {
    verdict =
      interrupts.verdict ??
      failed(interrupts.signal.aborted && interrupts.signal.reason instanceof FrostError ? interrupts.signal.reason : thrown);
  }
  assembled?.close();
  if (flags.output === 'json' && !flags.dryRun) {
    const recorder = assembled?.recorder;
    const facts = {
      verdict,
      ms: Date.now() - startedAt,
      ...(end && { end }),
      ...(result !== undefined && { result }),
      ...(recorder?.saving && { sessionId: recorder.id }),
      files: changed.list,
      ...(assembled && { model: assembled.main.model }),
    };
    output.write(`${JSON.stringify(resultObject(facts))}\n`);
  }
  await leave(verdict, end, output, interrupts);
}

async function run(
  agent: Agent,
  { agent: specialist, flags }: AskRequest,
  input: Awaited<ReturnType<typeof askInput>>,
  signal: AbortSignal,
): Promise<RunEnd> {
  if (specialist === undefined) return agent.prompt(input.content, { signal });
  const { form } = agent.setup;
  return agent.delegate(specialist, input.text, { signal, ...(flags.schema !== undefined && form && { form }) });
}

function failed(thrown: unknown): Verdict {
  const error = toFailure(thrown);
  return { exit: exitCodeOf(error.kind), error };
}

/** Says what went wrong, one line each, lets both streams drain, and ends the process. */
async function leave({ exit, error }: Verdict, end: RunEnd | undefined, output: Output, interrupts: Interrupts): Promise<never> {
  interrupts.release();
  withOptimiser();
  await output.flush();
  const { broken } = output;
  const lines = broken ? [broken.message] : linesOf(error, end);
  for (const line of lines) if (line !== '') output.error(`frost: ${line.replace(/\s*\n\s*/g, ' ')}\n`);
  await output.flush();
  process.exit(broken?.exitCode ?? exit);
}

/** The failure itself, and what else a script should know: refused permissions and failed specialists. */
function linesOf(error: Failure | undefined, end: RunEnd | undefined): string[] {
  const lines = error ? [error.message] : [];
  const denials = (end?.permissionDenials ?? []).map(
    ({ tool, reason, agent }) => `${agent ? `${agent}'s ` : ''}${tool} was not allowed: ${reason}.`,
  );
  const agents = (end?.failedAgents ?? []).map(({ name, error: failure }) => `${name} failed: ${failure.message}`);
  const isTold = (line: string) => lines.some((told) => told.includes(line) || line.includes(told));
  for (const line of [...denials, ...agents]) if (!isTold(line)) lines.push(line);
  return lines;
}
