/** One way to wire a runnable agent, for `frost ask`, the chat and the SDK: settings → principals → models → tools → specialists → recorder. */
import { Agent } from '../agent/agent.js';
import { Approvals } from '../agent/approvals.js';
import type { AgentEvent } from '../agent/events.js';
import type { AgentSetup } from '../agent/setup.js';
import { NOBODY } from '../config/nobody.js';
import type { Principal } from '../config/principal.js';
import type { Settings } from '../config/settings.js';
import type { ConnectionOptions } from '../llm/client.js';
import type { Model, ReasoningEffort } from '../llm/port.js';
import type { PermissionMode } from '../permissions/access.js';
import type { AgentDefinition } from '../profiles/define-agent.js';
import type { AgentProfile, Limits } from '../profiles/profile.js';
import type { Tool } from '../profiles/tool.js';
import type { Recorder } from '../sessions/recorder.js';
import type { Skill } from '../skills/skills.js';
import { sendMessage } from '../tools/send-message.js';
import { skillTools } from '../tools/skill.js';
import { ChildSetups, formOf } from './child-setup.js';
import { connect, findMain, refuseUnpriced, withEyes, withModel } from './connections.js';
import { mainOfDefinition } from './definition-principal.js';
import { builtinProfiles, findSkills, type ProfileSource, profileSource, rosterFrom } from './roster.js';
import { openSession, type SessionChoice } from './session.js';
import { defaultSystemPrompt } from './system-prompt.js';
import { type Undo, undoOf } from './undo.js';
import { type WorkspaceParts, workspaceParts } from './workspace-parts.js';

export interface AssembleOptions {
  settings: Settings;
  cwd: string;
  /** A person sits there: questions for permission can be asked. */
  interactive: boolean;
  /** One line of trouble that does not stop the run. */
  warn(text: string): void;
  /** One line of progress. */
  notice(text: string): void;
  /** Ends the preparations. */
  signal: AbortSignal;
  /** A main agent from a module or an agent file. */
  definition?: AgentDefinition;
  session: SessionChoice;
  appendSystem?: string;
  noTools?: boolean;
  form?: AgentSetup['form'];
  permission?: { mode?: PermissionMode; allow?: readonly string[]; deny?: readonly string[]; confirmedFull?: boolean };
  workspace?: string;
  addDirs?: readonly string[];
  /** Puts something before every model, such as a dry run. */
  wrapModel?(model: Model, connection: ConnectionOptions): Model;
  drained?(): Promise<void> | undefined;
  /** The run goes straight to a specialist: the main agent need not be configured. */
  specialistOnly?: boolean;
  /** Built-in specialists only, whatever folders hold (the demo). */
  builtinsOnly?: boolean;
}

export interface Assembled {
  agent: Agent;
  settings: Settings;
  main: Principal & { model: string };
  /** Absent where nothing is recorded. */
  recorder?: Recorder;
  workspace: WorkspaceParts;
  profiles: readonly AgentProfile[];
  skills: readonly Skill[];
  /** The setup of a profile's child, for `--agent`. */
  children: ChildSetups;
  /** Absent where nothing is recorded. */
  undo?: Undo;
  close(): void;
}

const DEFAULT_TURNS = 25;

export async function assemble(options: AssembleOptions): Promise<Assembled> {
  const { settings, definition } = options;
  const early = settings.warnings.length;
  for (const text of settings.warnings) options.warn(text);
  const main = await mainOf(options);
  for (const text of settings.warnings.slice(early)) options.warn(text);
  const session = await openSession(options.session, { settings, cwd: options.cwd, warn: options.warn });
  const approvals = new Approvals();
  const undo = session.recorder && undoOf(settings, session.recorder.id, options.warn);
  const workspace = await workspaceParts({
    ...options,
    main,
    ...(options.interactive && { approvals }),
    ...(session.recorder && { sessionId: session.recorder.id }),
    ...(undo && { changes: undo.hooks }),
  });
  const fixed = definition?.subagents ?? (options.builtinsOnly ? builtinProfiles : undefined);
  const source = profileSource(settings, options.warn);
  const [profiles, skills] = await Promise.all([fixed ?? source().then(({ profiles }) => profiles), findSkills(settings, options.warn)]);
  const wrap = options.wrapModel ?? ((model: Model) => model);
  const children = new ChildSetups({ settings, main, workspace, skills, wrap, signal: options.signal });
  const setup = mainSetup(options, main, workspace, profiles, skills, wrap);
  const agent = new Agent({
    setup,
    setupChild: (profile, parent) => children.setup(profile, parent),
    history: session.history,
    approvals,
    maxParallel: settings.number('FROST_MAX_PARALLEL_AGENTS') ?? 8,
    cwd: options.cwd,
    keepWhole: (id, text) => workspace.keepWhole(id, text),
    ...(session.recorder && { session: session.recorder.id }),
    ...(options.drained && { drained: options.drained }),
    ...(options.interactive && !fixed && { refresh: refresher(source) }),
  });
  if (session.recorder) agent.subscribe(session.recorder.sink);
  if (undo) agent.subscribe((event: AgentEvent) => undo.sink(event));
  agent.subscribe((event: AgentEvent) => workspace.onEvent(event));
  return {
    agent,
    settings,
    main,
    ...(session.recorder && { recorder: session.recorder }),
    workspace,
    profiles,
    skills,
    children,
    ...(undo && { undo }),
    close: () => {
      session.recorder?.close();
      undo?.close();
    },
  };
}

/** Who the main agent is; for a run straight to a specialist it may be nobody. */
async function mainOf(options: AssembleOptions): Promise<Principal & { model: string }> {
  const { settings, definition, notice, signal } = options;
  try {
    const found = definition ? await mainOfDefinition(settings, definition, notice, signal) : await findMain(settings, notice, signal);
    return await withModel(settings, found, signal);
  } catch (error) {
    if (options.specialistOnly) return { ...NOBODY, model: 'none' };
    throw error;
  }
}

/** Picks up agent files that were edited since the last run. */
function refresher(source: ProfileSource): (setup: AgentSetup) => Promise<AgentSetup> {
  return async (setup) => {
    const { profiles, changed } = await source();
    return changed ? { ...setup, roster: rosterFrom(profiles) } : setup;
  };
}

/** A flag says more than the agent's definition, and that more than what is set for every agent. */
function strongest(settings: Settings, name: 'SYSTEM_PROMPT' | 'THINKING_LEVEL', defined: string | undefined): string | undefined {
  const found = settings.resolve(name);
  if (defined !== undefined && found?.source.kind !== 'flag') return defined;
  return name === 'THINKING_LEVEL' ? settings.choice(name) : found?.value;
}

function limitsOf({ settings, definition }: AssembleOptions, main: { host: string; model: string }): Limits {
  const tokens = settings.number('FROST_MAX_TOKENS');
  const cost = settings.number('FROST_MAX_COST');
  const turns = settings.number('MAX_ITERATIONS') ?? DEFAULT_TURNS;
  const limits: Limits = {
    turns,
    ...definition?.limits,
    ...(settings.resolve('MAX_ITERATIONS')?.source.kind === 'flag' && { turns }),
    ...(tokens !== undefined && { tokens }),
    ...(cost !== undefined && { cost }),
  };
  refuseUnpriced(settings, 'The run', limits, main);
  return limits;
}

function toolsOf(
  { noTools, definition }: AssembleOptions,
  workspace: WorkspaceParts,
  skills: readonly Skill[],
): { tools: Tool[]; offered: ReadonlySet<string> } {
  if (noTools) return { tools: [], offered: new Set() };
  if (definition) {
    const own = definition.tools.map((tool) => workspace.named(tool));
    const tools = [sendMessage, ...own, ...skillTools(skills, definition.name ?? 'The agent', definition.skills)];
    return { tools, offered: new Set(tools.map(({ name }) => name)) };
  }
  const shown = [sendMessage, ...skillTools(skills, 'main')];
  return { tools: [...shown, ...workspace.all], offered: new Set([...shown.map(({ name }) => name), ...workspace.offered]) };
}

function mainSetup(
  options: AssembleOptions,
  main: Principal & { model: string },
  workspace: WorkspaceParts,
  profiles: readonly AgentProfile[],
  skills: readonly Skill[],
  wrap: (model: Model, connection: ConnectionOptions) => Model,
): AgentSetup {
  const { settings, definition, noTools = false, cwd } = options;
  const form = options.form ?? (definition && formOf(definition));
  const blind = connect(settings, main, wrap);
  // A dry run sends nothing, so nothing looks at images either.
  const connected = options.wrapModel ? blind : withEyes(settings, main, blind);
  const { tools, offered } = toolsOf(options, workspace, skills);
  const roster = rosterFrom(noTools ? [] : profiles);
  const maxMessages = settings.number('MAX_CONTEXT_MESSAGES');
  const maxChars = settings.number('MAX_CONTEXT_CHARS');
  const thinkingLevel = strongest(settings, 'THINKING_LEVEL', definition?.thinkingLevel) as ReasoningEffort | undefined;
  const written = strongest(settings, 'SYSTEM_PROMPT', definition?.instructions);
  const system = written ?? defaultSystemPrompt({ cwd, hasTools: !noTools, hasSubagents: roster.size > 0, now: new Date() });
  const added = [system, workspace.instructions, options.appendSystem].filter(Boolean).join('\n\n');
  return {
    principal: 'main',
    ...connected,
    system: added,
    tools,
    offered: (name) => offered.has(name) || name === 'use_subagent' || name === 'task',
    roster,
    withTask: !noTools && (!definition || roster.size > 0),
    gate: workspace.gate,
    limits: limitsOf(options, main),
    ...(thinkingLevel && { thinkingLevel }),
    compaction: definition?.compaction ?? settings.json.compaction ?? {},
    context: { ...(maxMessages !== undefined && { maxMessages }), ...(maxChars !== undefined && { maxChars }) },
    ...(form && { form }),
  };
}
