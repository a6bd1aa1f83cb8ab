/** The thin class around the loop: it owns the history, the one AbortController, and the rule «one run at a time». */
import { type Failure, FrostError, toFailure } from '../errors.js';
import type { ContentPart, Message, UserMessage } from '../llm/messages.js';
import type { Access, ApprovalAnswer } from '../permissions/access.js';
import { type Specialist, type SpecialistResult, specialist } from '../profiles/specialist.js';
import { findSpecialist } from '../tools/use-subagent.js';
import { abortController } from './abort.js';
import type { Approvals } from './approvals.js';
import { Bill } from './bill.js';
import { Budget, requestsText } from './budget.js';
import { Children } from './children.js';
import { ContextKeeper } from './context.js';
import { type AgentEvent, type Emit, EVENTS_VERSION, type EventOf, type EventSink, type PermissionDenial } from './events.js';
import { newId } from './ids.js';
import { type AgentEnd, runAgent } from './run-agent.js';
import type { AgentSetup, Parent, SetupChild } from './setup.js';
import { Slots } from './slots.js';

export interface AgentOptions {
  setup: AgentSetup;
  setupChild: SetupChild;
  /** What was said before, without the system prompt. */
  history?: readonly Message[];
  approvals?: Approvals;
  /** Children that may run at once. */
  maxParallel?: number;
  session?: string;
  cwd?: string;
  keepWhole?(id: string, text: string): string | undefined;
  /** Waits for slow readers of the events. */
  drained?(): Promise<void> | undefined;
  /** Called before every run: the setup may change between runs (an edited agent file, another model). */
  refresh?(setup: AgentSetup): Promise<AgentSetup>;
}

export type RunEnd = EventOf<'run_end'>;

export interface PromptOptions {
  signal?: AbortSignal;
  /** The form of this answer; default: the setup's. */
  form?: AgentSetup['form'];
}

/** One run of the agent while it lasts. */
interface Running {
  controller: AbortController;
  children: Children;
  bill: Bill;
  denials: PermissionDenial[];
  startedAt: number;
}

const DEFAULT_PARALLEL = 8;

export class Agent {
  readonly history: Message[];
  #setup: AgentSetup;
  readonly #options: AgentOptions;
  readonly #sinks = new Set<EventSink>();
  #running: Running | undefined;
  #steering: string[] = [];

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#setup = options.setup;
    this.history = [...(options.history ?? [])];
    options.approvals?.connect(this.#emitFor(undefined));
  }

  get setup(): AgentSetup {
    return this.#setup;
  }

  /** Replaces what the agent is made of, from the next run on. */
  set setup(setup: AgentSetup) {
    this.#setup = setup;
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  /** Adds a reader of the event stream; returns how to leave. */
  subscribe(sink: EventSink): () => void {
    this.#sinks.add(sink);
    return () => this.#sinks.delete(sink);
  }

  /** Answers `input`. Resolves with the run's last event, whatever happened; rejects only where a run is under way. */
  async prompt(input: string | ContentPart[], options: PromptOptions = {}): Promise<RunEnd> {
    return this.#run(options, async (running, setup) => {
      this.#append({ role: 'user', content: input });
      return runAgent({
        setup: options.form ? { ...setup, form: options.form } : setup,
        history: this.history,
        signal: running.controller.signal,
        emit: this.#emitFor(undefined),
        budget: new Budget(setup.limits),
        bill: running.bill,
        children: running.children,
        depth: 0,
        steering: () => this.#takeSteering(),
        onDenied: (denial) => running.denials.push(denial),
        onAllowed: (access) => forgive(running.denials, access),
        ...(this.#options.keepWhole && { keepWhole: this.#options.keepWhole }),
        ...(this.#options.drained && { drained: this.#options.drained }),
      });
    });
  }

  /** Straight to a specialist: the same events, its answer as the run's. The exchange enters the history as text. */
  async delegate(name: string, task: string, options: PromptOptions = {}): Promise<RunEnd> {
    return this.#run(options, async (running, setup) => {
      const found = specialistOf(setup, name, options.form);
      this.#append({ role: 'user', content: `@${found.profile.name} ${task}` });
      const result = await running.children.delegate(found, task, parentOf(running, setup));
      if (result.text !== '')
        this.#append({ role: 'assistant', content: result.text, ...(result.status !== 'done' && { incomplete: 'error' as const }) });
      return endOf(result);
    });
  }

  /** One task beside the conversation, which stays as it is: by a specialist, or by a fresh copy of this agent. */
  async task(task: string, options: PromptOptions & { agent?: string } = {}): Promise<RunEnd> {
    const { agent, form } = options;
    return this.#run(options, async (running, setup) => {
      const { children } = running;
      if (agent !== undefined) return endOf(await children.delegate(specialistOf(setup, agent, form), task, parentOf(running, setup)));
      return endOf(await children.copy(task, parentOf(running, form ? { ...setup, form } : setup)));
    });
  }

  /** What the person adds while a run is under way; it goes in after the running tools. */
  steer(text: string): void {
    this.#steering.push(text);
  }

  /** Takes back the last of what was added and has not gone in yet. */
  takeBackSteer(): string | undefined {
    return this.#steering.pop();
  }

  /** Stops the run and every child, also one just starting. */
  stop(): void {
    this.#running?.controller.abort('stopped');
  }

  stopChild(run: string): void {
    this.#running?.children.stop(run);
  }

  answer(approval: string, answer: ApprovalAnswer): void {
    this.#options.approvals?.answer(approval, answer);
  }

  /** Replaces the history, as rewinding or resuming does. Throws FrostError `usage` while a run is under way. */
  setHistory(messages: readonly Message[]): void {
    this.#refuseWhileRunning();
    this.history.splice(0, this.history.length, ...messages);
  }

  /** Replaces the older part of the history by a summary that the model writes. */
  async compact(): Promise<boolean> {
    this.#refuseWhileRunning();
    const controller = abortController();
    const running: Running = { controller, children: this.#children(new Bill(), []), bill: new Bill(), denials: [], startedAt: Date.now() };
    this.#running = running;
    try {
      const keeper = new ContextKeeper({
        setup: this.#setup,
        history: this.history,
        signal: controller.signal,
        emit: this.#emitFor(undefined),
        bill: running.bill,
      });
      return await keeper.compact('manual');
    } finally {
      this.#running = undefined;
    }
  }

  /** Picks up what changed between runs, as every run does at its start; gives what was in the way and left the agent as it was. */
  async refresh(): Promise<string | undefined> {
    try {
      if (this.#options.refresh) this.#setup = await this.#options.refresh(this.#setup);
      return undefined;
    } catch (thrown) {
      return toFailure(thrown).message;
    }
  }

  #refuseWhileRunning(): void {
    if (this.#running) throw new FrostError('usage', 'A run is under way. Stop it, or wait for its end.');
  }

  #takeSteering(): UserMessage[] {
    return this.#steering.splice(0).map((content) => ({ role: 'user', content }));
  }

  #append(message: Message): void {
    this.history.push(message);
    this.#emitFor(undefined)({ type: 'message', id: newId('m'), message });
  }

  #emitFor(run: string | undefined): Emit {
    return (event) => {
      const stamped = { ts: Date.now(), ...(run !== undefined && { agent: run }), ...event } as AgentEvent;
      for (const sink of this.#sinks) sink(stamped);
    };
  }

  #children(bill: Bill, denials: PermissionDenial[]): Children {
    const { setupChild, maxParallel = DEFAULT_PARALLEL, session, keepWhole } = this.#options;
    return new Children({
      setupChild,
      emitFor: (run) => this.#emitFor(run),
      bill,
      slots: new Slots(maxParallel),
      ...(session !== undefined && { session }),
      ...(keepWhole && { keepWhole }),
      onDenied: (denial) => denials.push(denial),
      onAllowed: (access) => forgive(denials, access),
    });
  }

  async #run(options: PromptOptions, work: (running: Running, setup: AgentSetup) => Promise<AgentEnd>): Promise<RunEnd> {
    this.#refuseWhileRunning();
    const bill = new Bill();
    const denials: PermissionDenial[] = [];
    const running: Running = {
      controller: abortController(),
      children: this.#children(bill, denials),
      bill,
      denials,
      startedAt: Date.now(),
    };
    this.#running = running;
    const onAbort = () => running.controller.abort(options.signal?.reason);
    if (options.signal?.aborted) onAbort();
    options.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const problem = await this.refresh();
      this.#emitFor(undefined)(this.#runStart());
      if (problem !== undefined) this.#emitFor(undefined)({ type: 'warning', code: 'refresh_failed', text: problem });
      return this.#finish(running, await this.#timed(running, work));
    } finally {
      options.signal?.removeEventListener('abort', onAbort);
      this.#steering = [];
      this.#running = undefined;
    }
  }

  /** The work, ended by the run's own bound on seconds where it has one. Never rejects. */
  async #timed(running: Running, work: (running: Running, setup: AgentSetup) => Promise<AgentEnd>): Promise<AgentEnd> {
    const { seconds } = this.#setup.limits;
    const timer = seconds === undefined ? undefined : setTimeout(() => running.controller.abort('limit'), seconds * 1000);
    try {
      const end = await work(running, this.#setup);
      if (end.outcome !== 'aborted' || running.controller.signal.reason !== 'limit') return end;
      const error: Failure = {
        kind: 'limit',
        message: `The run reached its limit of ${seconds} seconds and was stopped after ${requestsText(end.turns)}.`,
        facts: { limit: 'seconds' },
      };
      return { ...end, outcome: 'limit', limit: 'seconds', error };
    } catch (thrown) {
      return { outcome: 'failed', answer: '', error: toFailure(thrown), turns: 0 };
    } finally {
      clearTimeout(timer);
    }
  }

  #runStart(): Extract<Parameters<Emit>[0], { type: 'run_start' }> {
    const { model, tools, roster, withTask, offered } = this.#setup;
    const names = [
      ...tools.map(({ name }) => name).filter((name) => offered?.(name) ?? true),
      ...(roster.size > 0 ? ['use_subagent'] : []),
      ...(withTask ? ['task'] : []),
    ];
    const { session, cwd } = this.#options;
    return {
      type: 'run_start',
      version: EVENTS_VERSION,
      ...(session !== undefined && { session }),
      model: model.name,
      host: model.host,
      ...(cwd !== undefined && { cwd }),
      tools: names,
      specialists: [...roster.keys()],
    };
  }

  #finish({ bill, children, denials, startedAt }: Running, end: AgentEnd): RunEnd {
    const { usage, cost, principals } = bill;
    const event: RunEnd = {
      type: 'run_end',
      ts: Date.now(),
      outcome: end.outcome,
      answer: end.answer,
      ...('structured' in end && { structured: end.structured }),
      ...(end.error && { error: end.error }),
      ...(end.limit && { limit: end.limit }),
      turns: end.turns,
      ms: Date.now() - startedAt,
      ...(usage && { usage }),
      ...(cost !== undefined && { cost }),
      principals,
      failedAgents: children.failedAgents,
      permissionDenials: denials,
    };
    for (const sink of this.#sinks) sink(event);
    return event;
  }
}

/** The specialist of that name; with a form, it answers in that form and not in its own. */
function specialistOf({ roster }: AgentSetup, name: string, form: AgentSetup['form']): Specialist {
  const found = findSpecialist(roster, name);
  if (!found) {
    const names = [...roster.keys()].join(', ') || 'none';
    throw new FrostError('usage', `There is no specialist «${name}». The specialists are: ${names}.`);
  }
  return form ? specialist({ ...found.profile, ...form }) : found;
}

function parentOf({ controller }: Running, setup: AgentSetup): Parent {
  return { setup, budget: new Budget(setup.limits), signal: controller.signal, depth: 0 };
}

function endOf(result: SpecialistResult): AgentEnd {
  const { status, text, error, turns } = result;
  const structured = 'structured' in result && { structured: result.structured };
  return { outcome: status, answer: text, turns, ...(error && { error }), ...structured };
}

/** What was refused and later allowed was not missing: only what stands at the end counts. */
function forgive(denials: PermissionDenial[], access: Access): void {
  const allowed = JSON.stringify(access);
  for (let i = denials.length - 1; i >= 0; i -= 1) if (JSON.stringify(denials[i]?.access) === allowed) denials.splice(i, 1);
}
