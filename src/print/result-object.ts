/**
 * The one object of `--output json`. Field names are Claude Code's where they mean the same; `usage` is the main agent's,
 * `modelUsage` counts by model, children included, `principals` by who is billed. `is_error` agrees with the exit code.
 */
import { addUsage } from '../agent/bill.js';
import type { EventOf, PrincipalBill } from '../agent/events.js';
import { exitCodeOf, type Failure } from '../errors.js';
import type { Usage } from '../llm/port.js';
import type { ChangedFile } from './changed-files.js';

/** What a run came to, as the exit code says it. */
export interface Verdict {
  exit: number;
  /** Present exactly where `exit` is not 0. */
  error?: Failure;
}

/** The verdict on a finished run: its own failure first, then refused permissions, then failed specialists. */
export function verdictOf({ outcome, error, failedAgents, permissionDenials }: EventOf<'run_end'>): Verdict {
  if (outcome !== 'done') {
    const failure = error ?? {
      kind: outcome === 'limit' ? ('limit' as const) : outcome === 'aborted' ? ('interrupted' as const) : ('failed' as const),
      message: `The run ended as ${outcome}.`,
    };
    return { exit: exitCodeOf(failure.kind), error: failure };
  }
  const [denial] = permissionDenials;
  if (denial) {
    const who = denial.agent ? `${denial.agent}'s ` : '';
    return { exit: exitCodeOf('denied'), error: { kind: 'denied', message: `${who}${denial.tool} was not allowed: ${denial.reason}.` } };
  }
  const [failed] = failedAgents;
  if (failed)
    return { exit: exitCodeOf('specialist'), error: { kind: 'specialist', message: `${failed.name} failed: ${failed.error.message}` } };
  return { exit: 0 };
}

const snake = (usage: Usage | undefined) =>
  usage && {
    ...(usage.inputTokens !== undefined && { input_tokens: usage.inputTokens }),
    ...(usage.outputTokens !== undefined && { output_tokens: usage.outputTokens }),
    ...(usage.cachedTokens !== undefined && { cache_read_input_tokens: usage.cachedTokens }),
    ...(usage.reasoningTokens !== undefined && { reasoning_output_tokens: usage.reasoningTokens }),
  };

function modelUsage(principals: readonly PrincipalBill[]): Record<string, object> {
  const models = new Map<string, { usage: Usage | undefined; requests: number; cost: number | undefined }>();
  for (const { model, usage, requests, cost } of principals) {
    const sum = models.get(model);
    const costs = sum === undefined ? cost : sum.cost === undefined || cost === undefined ? undefined : sum.cost + cost;
    models.set(model, { usage: addUsage(sum?.usage, usage), requests: (sum?.requests ?? 0) + requests, cost: costs });
  }
  return Object.fromEntries(
    [...models].map(([name, { usage, requests, cost }]) => [
      name,
      { ...snake(usage), requests, ...(cost !== undefined && { cost_usd: cost }) },
    ]),
  );
}

const SUBTYPES: Partial<Record<string, string>> = {
  turns: 'error_max_turns',
  cost: 'error_max_budget_usd',
  tokens: 'error_max_tokens',
  seconds: 'error_max_seconds',
};

function subtypeOf(end: EventOf<'run_end'> | undefined, { error }: Verdict): string {
  if (!error) return 'success';
  if (end?.limit) return SUBTYPES[end.limit] ?? 'error_limit';
  if (error.kind === 'form') return 'error_max_structured_output_retries';
  return 'error_during_execution';
}

export interface ResultFacts {
  end?: EventOf<'run_end'>;
  verdict: Verdict;
  sessionId?: string;
  /** The answer as it is delivered (the code of `--code`), where it differs from the run's. */
  result?: string;
  model?: string;
  /** What the run changed. */
  files?: readonly ChangedFile[];
  ms: number;
}

/** The object, ready for JSON.stringify. */
export function resultObject({ end, verdict, sessionId, result, model, files = [], ms }: ResultFacts): Record<string, unknown> {
  const { error, exit } = verdict;
  const mains = (end?.principals ?? []).filter(({ principal }) => principal === 'main');
  const own = mains.reduce<Usage | undefined>((sum, { usage }) => addUsage(sum, usage), undefined);
  const answer = result ?? end?.answer;
  return {
    type: 'result',
    subtype: subtypeOf(end, verdict),
    is_error: exit !== 0,
    exit_code: exit,
    ...(end?.outcome === 'done' || exit === 6 || exit === 4 ? { result: answer ?? '' } : answer ? { partial_result: answer } : {}),
    ...(end && 'structured' in end && { structured_output: end.structured }),
    ...(error && { error: { kind: error.kind, message: error.message, ...error.facts }, errors: [error.message] }),
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(model !== undefined && { model }),
    num_turns: end?.turns ?? 0,
    duration_ms: ms,
    ...(own && { usage: snake(own) }),
    modelUsage: modelUsage(end?.principals ?? []),
    ...(end?.cost !== undefined && { total_cost_usd: end.cost }),
    principals: (end?.principals ?? []).map(({ principal, model: name, host, requests, usage, cost, usageIncomplete }) => ({
      principal,
      model: name,
      host,
      requests,
      ...(usage && { usage: snake(usage) }),
      ...(cost !== undefined ? { cost_usd: cost } : {}),
      ...(usageIncomplete && { usage_incomplete: true }),
    })),
    failed_agents: (end?.failedAgents ?? []).map(({ name, error: failure }) => ({ name, kind: failure.kind, message: failure.message })),
    files,
    permission_denials: (end?.permissionDenials ?? []).map(({ tool, callId, reason, agent }) => ({
      tool_name: tool,
      tool_use_id: callId,
      reason,
      ...(agent && { agent }),
    })),
  };
}
