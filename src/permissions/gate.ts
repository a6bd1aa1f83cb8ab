/** The gate before every tool call: mode, rules, the person's grants and the parents' gates, joined into one answer. */
import type { Access, ApprovalAnswer, PermissionMode, Verdict } from './access.js';
import { NO_RULES, parseRule, type Rules } from './rules.js';
import type { SecretTest } from './secrets.js';

/** One call that wants to pass. */
export interface GateRequest {
  tool: string;
  access: Access;
  callId: string;
  /** The child that asks; absent for the main agent. */
  agentName?: string;
  /** A diff of what would change, for the person. */
  diff?: string;
  /** Aborting it takes an open question back. */
  signal?: AbortSignal;
}

/** What a person is asked. `rule` is what the answer `always` would write. */
export interface GateQuestion extends GateRequest {
  reason: string;
  rule?: string;
}

export type GateAnswer = { allowed: true } | { allowed: false; reason: string };

export interface GateOptions {
  mode: PermissionMode;
  rules?: Rules;
  root: string;
  addDirs?: readonly string[];
  /** Folders of frost's own that may be read. */
  readDirs?: readonly string[];
  isSecret: SecretTest;
  /** Whether commands run in an operating-system sandbox; asked at the first command. */
  sandboxed?: () => Promise<boolean>;
  realPath?: (absolute: string) => string;
  /** Puts a question to the person. Without it what would have to ask is denied. */
  ask?: (question: GateQuestion) => Promise<ApprovalAnswer>;
  /** Writes an `always` rule to the user's settings. */
  remember?: (rule: string) => void | Promise<void>;
  /** The gate of the agent that delegated; this one never allows more. */
  parent?: Gate;
}

export class Gate {
  mode: PermissionMode;
  readonly #options: GateOptions;
  /** Rules granted for this session; a child's grants count for its siblings too, so the top gate keeps them. */
  #granted: Rules = NO_RULES;
  readonly #grantedCalls = new Set<string>();
  #questions: Promise<unknown> = Promise.resolve();

  constructor(options: GateOptions) {
    this.#options = options;
    this.mode = options.mode;
  }

  /** A gate for a child: at most what this one allows, less what its own mode and rules take away. */
  child(narrower: { mode?: PermissionMode; rules?: Rules } = {}): Gate {
    return new Gate({ ...this.#options, mode: narrower.mode ?? 'full', rules: narrower.rules ?? NO_RULES, parent: this });
  }

  /** The verdict without asking anyone. */
  async judge(request: Pick<GateRequest, 'tool' | 'access'>): Promise<Verdict> {
    const { decide, strictest } = await import('./decide.js');
    const { rules = NO_RULES, root, addDirs = [], readDirs = [], isSecret, realPath, parent } = this.#options;
    const sandboxed = request.access.kind === 'run' && ((await this.#options.sandboxed?.()) ?? false);
    const context = { tool: request.tool, root, addDirs, readDirs, isSecret, sandboxed, ...(realPath && { realPath }) };
    const granted = this.#top.#granted;
    const own = decide(request.access, this.mode, { allow: [...rules.allow, ...granted.allow], deny: rules.deny }, context);
    const verdict = parent ? strictest([own, await parent.judge(request)]) : own;
    return verdict.verdict === 'ask' && this.#top.#grantedCalls.has(keyOf(request)) ? { verdict: 'allow' } : verdict;
  }

  /** Judges a call and asks the person where the verdict says so. One question at a time; never throws. */
  async check(request: GateRequest): Promise<GateAnswer> {
    const verdict = await this.judge(request);
    if (verdict.verdict === 'allow') return { allowed: true };
    if (verdict.verdict === 'deny') return { allowed: false, reason: verdict.reason };
    const top = this.#top;
    const answer = top.#questions.then(() => this.#askPerson(request));
    top.#questions = answer.catch(() => undefined);
    return answer;
  }

  get #top(): Gate {
    return this.#options.parent ? this.#options.parent.#top : this;
  }

  /** Judges anew first: an answer given meanwhile may cover this call too. */
  async #askPerson(request: GateRequest): Promise<GateAnswer> {
    const verdict = await this.judge(request);
    if (verdict.verdict === 'allow') return { allowed: true };
    if (verdict.verdict === 'deny') return { allowed: false, reason: verdict.reason };
    const { ask } = this.#options;
    if (!ask) return { allowed: false, reason: `${verdict.reason}, and nobody can be asked here${hint(verdict.rule)}` };
    const { signal } = request;
    if (signal?.aborted) return { allowed: false, reason: 'the turn was stopped' };
    const answer = await Promise.race([ask({ ...request, ...verdict }), ...(signal ? [abortOf(signal)] : [])]);
    if (answer.answer === 'no') return { allowed: false, reason: answer.reason ?? 'the user said no' };
    await this.#grant(request, verdict.rule, answer.answer);
    return { allowed: true };
  }

  async #grant(request: GateRequest, rule: string | undefined, answer: 'once' | 'session' | 'always'): Promise<void> {
    if (answer === 'once') return;
    const top = this.#top;
    if (rule === undefined) top.#grantedCalls.add(keyOf(request));
    else top.#granted = { allow: [...top.#granted.allow, parseRule(rule)], deny: [] };
    if (answer === 'always' && rule !== undefined) await this.#options.remember?.(rule);
  }
}

const keyOf = ({ tool, access }: Pick<GateRequest, 'tool' | 'access'>) => JSON.stringify([tool, access]);
const hint = (rule: string | undefined) => (rule ? `; --allow '${rule.replaceAll("'", "'\\''")}' would let it` : '');

function abortOf(signal: AbortSignal): Promise<ApprovalAnswer> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ answer: 'no', reason: 'the turn was stopped' }), { once: true });
  });
}
