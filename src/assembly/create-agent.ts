/** The SDK's way in: an agent in a program of one's own, with the same loop, credentials and events as the command line. */
import type { RunEnd } from '../agent/agent.js';
import type { AgentEvent, EventSink } from '../agent/events.js';
import type { Environment } from '../config/environment.js';
import { type Failure, FrostError } from '../errors.js';
import type { ContentPart, Message } from '../llm/messages.js';
import type { JsonSchema } from '../llm/port.js';
import type { PermissionMode } from '../permissions/access.js';
import { type AgentDefinition, type AgentDefinitionInput, defineAgent } from '../profiles/define-agent.js';
import type { Assembled } from './assemble.js';

export interface CreateAgentOptions {
  /** Working folder; default: the process's. */
  cwd?: string;
  /** Variables instead of the process environment. */
  env?: Environment;
  /** A file of variables that is read too. */
  envFile?: string;
  /** What tools may do; default: look only. Rules are those of `frost ask --allow` and `--deny`. */
  permission?: { mode?: PermissionMode; allow?: readonly string[]; deny?: readonly string[] };
}

export interface RunOptions {
  /** A JSON Schema: the answer is JSON that meets it, in `data`. */
  result?: JsonSchema;
  /** Stops the run and every child of it. */
  signal?: AbortSignal;
}

export interface TaskOptions extends RunOptions {
  /** A specialist's name. Omitted: a fresh copy of the agent itself. */
  agent?: string;
}

export interface Answer<T = unknown> extends Pick<RunEnd, 'usage' | 'cost' | 'principals' | 'failedAgents' | 'turns' | 'ms'> {
  text: string;
  /** The answer as data, where `result` asked for it. */
  data?: T;
}

const WITHOUT_ERROR: Record<RunEnd['outcome'], Failure> = {
  aborted: { kind: 'interrupted', message: 'The run was stopped.' },
  limit: { kind: 'limit', message: 'The run reached a limit.' },
  failed: { kind: 'failed', message: 'The run failed.' },
  done: { kind: 'empty', message: 'The run gave no answer.' },
};

/** A run that gave no answer. `run` is its last event, with the partial text and what it used. */
export class RunError extends FrostError {
  override readonly name = 'RunError';
  readonly run: RunEnd;

  constructor(run: RunEnd) {
    const { kind, message, facts } = run.error ?? WITHOUT_ERROR[run.outcome];
    super(kind, message, facts);
    this.run = run;
  }
}

/** One conversation. Its methods take turns: a second run while one is under way is refused. */
export interface Session {
  /** Answers in this conversation. Throws RunError where there is no answer, FrostError where nothing could start. */
  prompt<T = unknown>(input: string | ContentPart[], options?: RunOptions): Promise<Answer<T>>;
  /** One task beside this conversation, which stays as it is. */
  task<T = unknown>(task: string, options?: TaskOptions): Promise<Answer<T>>;
  /** Replaces the older part of the conversation by a summary; false where it was too short for one. */
  compact(): Promise<boolean>;
  /** Reads the event stream, the same as `frost ask --output stream-json`; returns how to leave. */
  subscribe(listener: EventSink): () => void;
  /** Stops what is running. */
  stop(): void;
  /** The conversation so far. */
  messages(): Promise<readonly Message[]>;
  close(): Promise<void>;
}

export interface CreatedAgent {
  /**
   * A conversation. Without a name it is in memory only; one with a name is recorded and goes on where it ended, in this
   * program or another.
   */
  session(name?: string): Session;
  /** Closes every session. */
  close(): Promise<void>;
}

/**
 * An agent to talk to. Nothing is read and nobody is asked before its first run.
 * @throws {FrostError} of the kind `config` where the definition is not right.
 */
export function createAgent(
  definition: AgentDefinition | AgentDefinitionInput | Promise<AgentDefinition>,
  options: CreateAgentOptions = {},
): CreatedAgent {
  const defined = definition instanceof Promise ? definition : Promise.resolve(defineAgent(definition));
  const unnamed = new Set<Session>();
  const named = new Map<string, Session>();
  return {
    session(name) {
      const existing = name === undefined ? undefined : named.get(name);
      if (existing) return existing;
      const forget = () => (name === undefined ? unnamed.delete(session) : named.delete(name));
      const session = new AgentSession((warn) => assembled(defined, options, name, warn), forget);
      if (name === undefined) unnamed.add(session);
      else named.set(name, session);
      return session;
    },
    async close() {
      await Promise.all([...unnamed, ...named.values()].map((session) => session.close()));
    },
  };
}

class AgentSession implements Session {
  readonly #listeners = new Set<EventSink>();
  readonly #assemble: () => Promise<Assembled>;
  readonly #forget: () => void;
  #assembled: Promise<Assembled> | undefined;
  #isClosed = false;

  constructor(assemble: (warn: (text: string) => void) => Promise<Assembled>, forget: () => void) {
    this.#assemble = () => assemble((text) => this.#tell({ type: 'warning', ts: Date.now(), code: 'setup', text }));
    this.#forget = forget;
  }

  async prompt<T>(input: string | ContentPart[], { result, signal }: RunOptions = {}): Promise<Answer<T>> {
    const { agent } = await this.#ready();
    return answerOf(await agent.prompt(input, { ...formOf(result), ...(signal && { signal }) }));
  }

  async task<T>(task: string, { agent: name, result, signal }: TaskOptions = {}): Promise<Answer<T>> {
    const { agent } = await this.#ready();
    return answerOf(await agent.task(task, { ...formOf(result), ...(signal && { signal }), ...(name !== undefined && { agent: name }) }));
  }

  async compact(): Promise<boolean> {
    return (await this.#ready()).agent.compact();
  }

  subscribe(listener: EventSink): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#assembled?.then(({ agent }) => agent.stop()).catch(() => {});
  }

  async messages(): Promise<readonly Message[]> {
    return (await this.#ready()).agent.history;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#forget();
    const assembled = await this.#assembled?.catch(() => undefined);
    assembled?.agent.stop();
    assembled?.close();
  }

  /** Wired at the first use. A failure is not kept: a variable may be set by the next try. */
  #ready(): Promise<Assembled> {
    if (this.#isClosed) throw new FrostError('usage', 'This session is closed. Ask the agent for another one.');
    this.#assembled ??= this.#wire();
    return this.#assembled;
  }

  async #wire(): Promise<Assembled> {
    try {
      const assembled = await this.#assemble();
      assembled.agent.subscribe((event) => this.#tell(event));
      return assembled;
    } catch (error) {
      this.#assembled = undefined;
      throw error;
    }
  }

  #tell(event: AgentEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

async function assembled(
  defined: Promise<AgentDefinition>,
  options: CreateAgentOptions,
  name: string | undefined,
  warn: (text: string) => void,
): Promise<Assembled> {
  const [{ assemble }, { loadSettings }, { processEnvironment }] = await Promise.all([
    import('./assemble.js'),
    import('../config/settings.js'),
    import('../config/environment.js'),
  ]);
  const { cwd = process.cwd(), env = processEnvironment(), envFile, permission } = options;
  const settings = loadSettings({ env, cwd, ...(envFile !== undefined && { envFile }) });
  if (settings.trust.hint) warn(settings.trust.hint);
  const session = await sessionOf(name, settings.paths.sessionsDir, cwd);
  const result = await assemble({
    settings,
    cwd,
    interactive: false,
    warn,
    notice: warn,
    signal: new AbortController().signal,
    definition: await defined,
    session,
    ...(permission && { permission }),
  });
  if (name !== undefined && session.kind === 'new') result.recorder?.rename(name);
  return result;
}

async function sessionOf(name: string | undefined, dir: string, cwd: string) {
  if (name === undefined) return { kind: 'none' as const };
  const { listSessions } = await import('../sessions/list.js');
  const known = listSessions(dir, cwd).find(({ title }) => title === name);
  return known ? { kind: 'id' as const, id: known.id } : { kind: 'new' as const };
}

const formOf = (result: JsonSchema | undefined) => (result ? { form: { output: 'json' as const, schema: result } } : {});

function answerOf<T>(run: RunEnd): Answer<T> {
  if (run.outcome !== 'done') throw new RunError(run);
  const { answer, usage, cost, principals, failedAgents, turns, ms } = run;
  return {
    text: answer,
    ...('structured' in run && { data: run.structured as T }),
    ...(usage && { usage }),
    ...(cost !== undefined && { cost }),
    principals,
    failedAgents,
    turns,
    ms,
  };
}
