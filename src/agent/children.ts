/** The children of one run: each a loop of its own with its own context, budget, signal and bill, seen live by event. */
import { exitCodeOf, type Failure, toFailure } from '../errors.js';
import type { Access } from '../permissions/access.js';
import type { AgentProfile } from '../profiles/profile.js';
import type { Specialist, SpecialistResult } from '../profiles/specialist.js';
import { capText } from '../text/truncate.js';
import { abortController } from './abort.js';
import { Bill } from './bill.js';
import { type Budget, limitText, requestsText, secondsText } from './budget.js';
import type { Emit, PermissionDenial } from './events.js';
import { newId } from './ids.js';
import { type AgentEnd, runAgent } from './run-agent.js';
import type { AgentSetup, ChildStarter, Parent, SetupChild } from './setup.js';
import type { Slots } from './slots.js';

/** How many levels of children there may be below the main agent. */
export const MAX_DEPTH = 4;

export interface ChildrenPorts {
  setupChild: SetupChild;
  /** Emits for the child with this run id, or for the main agent. */
  emitFor(run: string | undefined): Emit;
  /** The whole run's bill. */
  bill: Bill;
  slots: Slots;
  session?: string;
  keepWhole?(id: string, text: string): string | undefined;
  onDenied?(denial: PermissionDenial): void;
  onAllowed?(access: Access): void;
}

/** The same request counts in the child's own bill and in the run's. */
class SharedBill extends Bill {
  readonly #whole: Bill;

  constructor(whole: Bill) {
    super();
    this.#whole = whole;
  }

  override record(...request: Parameters<Bill['record']>): void {
    super.record(...request);
    this.#whole.record(...request);
  }
}

export class Children implements ChildStarter {
  readonly #ports: ChildrenPorts;
  readonly #running = new Map<string, AbortController>();
  /** The last failure of each specialist whose last run did not end as `done`. */
  readonly #failures = new Map<string, Failure>();

  constructor(ports: ChildrenPorts) {
    this.#ports = ports;
  }

  get failedAgents(): { name: string; error: Failure }[] {
    return [...this.#failures].map(([name, error]) => ({ name, error }));
  }

  /** Ends one child and what it started; the run goes on. */
  stop(run: string): void {
    this.#running.get(run)?.abort('stopped');
  }

  /** Calls a specialist for `parent`. Never rejects: what goes wrong is in the result. */
  async delegate(specialist: Specialist, task: string, parent: Parent): Promise<SpecialistResult> {
    return specialist(task, (profile, given) =>
      this.#start(profile.name, given, parent, () => this.#ports.setupChild(profile, parent.setup)),
    );
  }

  /** Runs a profile that no roster lists, such as `frost ask --agent`. */
  async profile(profile: AgentProfile, task: string, parent: Parent): Promise<SpecialistResult> {
    return this.#start(profile.name, task, parent, () => this.#ports.setupChild(profile, parent.setup));
  }

  /** A fresh child with the parent's whole configuration. */
  async copy(prompt: string, parent: Parent): Promise<SpecialistResult> {
    return this.#start('task', prompt, parent, async () => parent.setup);
  }

  async #start(name: string, task: string, parent: Parent, setup: () => Promise<AgentSetup>): Promise<SpecialistResult> {
    const run = newId('run');
    const result = await this.#attempt(run, name, task, parent, setup);
    if (result.status === 'done') this.#failures.delete(name);
    // What ended with the whole run is no failure of its own.
    else if (!parent.signal.aborted)
      this.#failures.set(name, result.error ?? { kind: 'failed', message: `${name} ended as ${result.status}.` });
    return result;
  }

  async #attempt(run: string, name: string, task: string, parent: Parent, makeSetup: () => Promise<AgentSetup>): Promise<SpecialistResult> {
    const startedAt = Date.now();
    const refuse = (status: SpecialistResult['status'], error: Failure): SpecialistResult => ({
      run,
      name,
      status,
      text: '',
      error,
      ms: Date.now() - startedAt,
      turns: 0,
    });
    if (parent.depth >= MAX_DEPTH) {
      return refuse('limit', {
        kind: 'limit',
        message: `${name} was not started: agents may be nested ${MAX_DEPTH} levels deep.`,
        facts: { limit: 'depth', bound: MAX_DEPTH },
      });
    }
    const controller = abortController();
    this.#running.set(run, controller);
    const onAbort = () => controller.abort(parent.signal.reason);
    if (parent.signal.aborted) onAbort();
    else parent.signal.addEventListener('abort', onAbort, { once: true });
    const free = parent.depth === 0 ? await this.#ports.slots.take(controller.signal) : () => {};
    try {
      if (controller.signal.aborted) return refuse('aborted', stopped(name));
      const setup = await makeSetup();
      // What was stopped while it was being set up shows nothing of itself any more.
      if (controller.signal.aborted) return refuse('aborted', stopped(name));
      // No call of a model started it: the person spoke straight to it.
      const granted = parent.budget.reserve(setup.limits, parent.callId === undefined);
      if ('limit' in granted) {
        return refuse('limit', {
          kind: 'limit',
          message: `${name} was not started: nothing is left of the run's limit of ${limitText(granted)}.`,
          facts: { limit: granted.limit },
        });
      }
      if (parent.budget.limits.cost !== undefined && !setup.price) {
        granted.release();
        return refuse('limit', {
          kind: 'limit',
          message: `${name} was not started: the run has a cost limit, and the price of ${setup.model.name} is not known. Add it under «prices» in settings.json.`,
        });
      }
      return await this.#work(run, name, task, parent, setup, granted, controller);
    } catch (thrown) {
      return refuse('failed', toFailure(thrown));
    } finally {
      free();
      parent.signal.removeEventListener('abort', onAbort);
      this.#running.delete(run);
    }
  }

  async #work(
    run: string,
    name: string,
    task: string,
    parent: Parent,
    setup: AgentSetup,
    { budget, release }: { budget: Budget; release: () => void },
    controller: AbortController,
  ): Promise<SpecialistResult> {
    const startedAt = Date.now();
    const bill = new SharedBill(this.#ports.bill);
    const emitParent = this.#ports.emitFor(parent.run);
    const emit = this.#ports.emitFor(run);
    const timer = budget.msLeft === undefined ? undefined : setTimeout(() => controller.abort('limit'), budget.msLeft);
    timer?.unref();
    emitParent({
      type: 'agent_start',
      run,
      ...(parent.run !== undefined && { parent: parent.run }),
      ...(parent.callId !== undefined && { callId: parent.callId }),
      name,
      task,
      model: setup.model.name,
      host: setup.model.host,
      ...(setup.keyName !== undefined && { keyName: setup.keyName }),
      limits: budget.limits,
    });
    const message = { role: 'user' as const, content: task };
    emit({ type: 'message', id: newId('m'), message });
    const end = await runAgent({
      setup: { ...setup, principal: name === 'task' ? 'task' : setup.principal },
      history: [message],
      signal: controller.signal,
      emit,
      budget,
      bill,
      children: this,
      depth: parent.depth + 1,
      run,
      ...(this.#ports.onDenied && { onDenied: this.#ports.onDenied }),
      ...(this.#ports.onAllowed && { onAllowed: this.#ports.onAllowed }),
      ...(this.#ports.keepWhole && { keepWhole: this.#ports.keepWhole }),
    });
    clearTimeout(timer);
    release();
    const result = this.#resultOf(run, name, end, bill, startedAt, budget, controller.signal);
    emitParent({ type: 'agent_end', ...result, ...(this.#ports.session && { transcript: `${this.#ports.session}#${run}` }) });
    return result;
  }

  #resultOf(
    run: string,
    name: string,
    end: AgentEnd,
    bill: Bill,
    startedAt: number,
    budget: Budget,
    signal: AbortSignal,
  ): SpecialistResult {
    const isOutOfTime = end.outcome === 'aborted' && signal.reason === 'limit';
    const status = isOutOfTime ? 'limit' : end.outcome;
    const capped = capText(end.answer);
    const path = capped.truncated ? this.#ports.keepWhole?.(run, end.answer) : undefined;
    const error = isOutOfTime ? outOfTime(name, budget) : (end.error ?? (status === 'aborted' ? stopped(name) : undefined));
    const { usage, cost } = bill;
    return {
      run,
      name,
      status,
      text: capped.text,
      ...('structured' in end && { structured: end.structured }),
      ...(error && { error }),
      ...(usage && { usage }),
      ...(cost !== undefined && { cost }),
      ms: Date.now() - startedAt,
      turns: end.turns,
      ...(capped.truncated && { truncated: { bytes: capped.bytes, ...(path && { path }) } }),
    };
  }
}

function stopped(name: string): Failure {
  return { kind: 'interrupted', message: `${name} was stopped by the user.`, facts: { exit: exitCodeOf('interrupted') } };
}

function outOfTime(name: string, { limits, turns }: Budget): Failure {
  const bound = Math.round((limits.seconds ?? 0) * 10) / 10;
  return {
    kind: 'limit',
    message: `${name} reached its limit of ${secondsText(bound)} and was stopped after ${requestsText(turns)}.`,
    facts: { limit: 'seconds', bound },
  };
}
