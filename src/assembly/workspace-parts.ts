/** The folder's side of an agent: boundary, permissions, the tools that work in it, its AGENTS.md. */
import fs from 'node:fs';
import type { Agent } from 'node:http';
import path from 'node:path';
import type { Approvals } from '../agent/approvals.js';
import type { AgentEvent } from '../agent/events.js';
import type { Gate as AgentGate } from '../agent/gate.js';
import type { Principal } from '../config/principal.js';
import type { Settings } from '../config/settings.js';
import { trustOf } from '../config/trust.js';
import { FrostError } from '../errors.js';
import type { PermissionMode } from '../permissions/access.js';
import { demandFullAllowed } from '../permissions/full-mode.js';
import { Gate } from '../permissions/gate.js';
import { deniesReading, opensSecret, parseRules } from '../permissions/rules.js';
import type { Tool } from '../profiles/tool.js';
import { createWorkspaceTools, isOffered } from '../tools/workspace-tools.js';
import { readInstructions } from '../workspace/instructions.js';
import type { Sandbox } from '../workspace/sandbox.js';
import { type ChangeHooks, Workspace } from '../workspace/workspace.js';

export interface WorkspaceParts {
  workspace: Workspace;
  gate: Gate;
  /** Every tool that works in the folder. */
  all: readonly Tool[];
  /** Names of those that the model is told of in this mode. */
  offered: readonly string[];
  /** Whether the model is told of one of these tools in a mode. */
  offers(name: string, mode: PermissionMode): boolean;
  /** Throws FrostError `denied` where the mode is refused. */
  setMode(mode: PermissionMode): Promise<void>;
  /** Text of AGENTS.md and the like; empty where there is none, or the folder is not trusted. */
  instructions: string;
  /** A tool that a profile lists. Throws FrostError `config` for a name that is none. */
  named(tool: string | Tool): Tool;
  /** A child's gate: at most what its parent's allows. */
  childGate(parent: AgentGate): AgentGate;
  /** Keeps a text that was too long for the model; returns its path, or undefined where it could not be written. */
  keepWhole(id: string, text: string): string | undefined;
  onEvent(event: AgentEvent): void;
}

export interface WorkspacePartsOptions {
  settings: Settings;
  cwd: string;
  interactive: boolean;
  main: Principal;
  warn(text: string): void;
  approvals?: Approvals;
  sessionId?: string;
  permission?: { mode?: PermissionMode; allow?: readonly string[]; deny?: readonly string[]; confirmedFull?: boolean };
  workspace?: string;
  addDirs?: readonly string[];
  /** Keeps what files were before they are changed. */
  changes?: ChangeHooks;
}

function modeOf({ settings, interactive, permission }: WorkspacePartsOptions): PermissionMode {
  const mode = permission?.mode ?? (settings.choice('FROST_PERMISSION') as PermissionMode | undefined) ?? (interactive ? 'ask' : 'read');
  return mode;
}

function outputDirOf({ settings, sessionId }: WorkspacePartsOptions): string {
  return path.join(settings.paths.stateDir, 'outputs', sessionId ?? `run-${process.pid}`);
}

export async function workspaceParts(options: WorkspacePartsOptions): Promise<WorkspaceParts> {
  const { settings, permission, approvals } = options;
  const mode = modeOf(options);
  const { allow = [], deny = [] } = settings.json.permissions ?? {};
  const rules = parseRules({ allow: [...allow, ...(permission?.allow ?? [])], deny: [...deny, ...(permission?.deny ?? [])] });
  const outputDir = outputDirOf(options);
  const workspace = new Workspace({
    root: options.workspace ?? options.cwd,
    ...(options.addDirs && { addDirs: options.addDirs }),
    ...(settings.json.secretPatterns && { secretPatterns: settings.json.secretPatterns }),
    outputDir,
    isDenied: (name) => deniesReading(rules, [name]),
    isOpened: (name) => opensSecret(rules, 'read_file', 'read', [name]),
    ...options.changes,
  });
  const env = settings.processEnv();
  let sandbox: Promise<Sandbox | undefined> | undefined;
  const findSandboxOnce = () => {
    sandbox ??= findSandbox(workspace, env, options.warn);
    return sandbox;
  };
  const demandAllowed = async (wanted: PermissionMode) => {
    if (wanted !== 'full' || process.getuid?.() !== 0) return;
    const isSandboxed = (await findSandboxOnce()) !== undefined;
    demandFullAllowed({ isRoot: true, isSandboxed, isConfirmed: permission?.confirmedFull ?? false });
  };
  await demandAllowed(mode);
  const gate = new Gate({
    mode,
    rules,
    root: workspace.root,
    addDirs: workspace.addDirs,
    readDirs: workspace.readDirs,
    isSecret: workspace.isSecret,
    realPath: (absolute) => workspace.realPath(absolute),
    remember: async (rule) => (await import('../config/user-files.js')).savePermissionRule(settings.paths, 'allow', rule),
    sandboxed: async () => (await findSandboxOnce()) !== undefined,
    ...(approvals && { ask: (question) => approvals.ask(question) }),
  });
  const network = () => gate.mode === 'full' || rules.allow.some(({ tool }) => tool === 'network');
  const all = createWorkspaceTools({
    workspace,
    mode: 'full',
    rules,
    env,
    sandbox: findSandboxOnce,
    judge: (request) => gate.judge(request),
    network,
    proxyFor: (url) => proxyFor(settings, url),
  });
  const offered = all.map(({ name }) => name).filter((name) => isOffered(name, mode, rules));
  const byName = new Map(all.map((tool) => [tool.name, tool]));
  return {
    workspace,
    gate,
    all,
    offered,
    offers: (name, current) => isOffered(name, current, rules),
    async setMode(wanted) {
      await demandAllowed(wanted);
      gate.mode = wanted;
    },
    instructions: readInstructions({ cwd: workspace.root, allows: (file) => mayInstruct(settings, file) }).text,
    named(tool) {
      if (typeof tool !== 'string') return tool;
      const found = byName.get(tool);
      if (!found) throw new FrostError('config', `There is no tool «${tool}». The tools are: ${[...byName.keys()].join(', ')}.`);
      return found;
    },
    childGate: (parent) => (parent instanceof Gate ? parent.child() : parent),
    keepWhole: (id, text) => keep(outputDir, id, settings.mask.mask(text)),
    onEvent: () => {},
  };
}

async function proxyFor({ proxy }: Settings, url: URL): Promise<Agent | undefined> {
  const named = url.protocol === 'https:' ? proxy.https : proxy.http;
  return named === undefined ? undefined : (await import('../llm/proxy-agent.js')).proxyAgentFor(url, named, proxy.no);
}

const NO_SANDBOX =
  'this machine has no sandbox for commands (bubblewrap on Linux): they can write anywhere and use the network, so every command needs your permission.';

/** Says so, once, where there is none. */
async function findSandbox(workspace: Workspace, env: Record<string, string>, warn: (text: string) => void): Promise<Sandbox | undefined> {
  const found = await (await import('../workspace/sandbox.js')).findSandbox(workspace, env);
  if (!found) warn(NO_SANDBOX);
  return found;
}

/** A file of the working folder as it was trusted; one of a folder above, as that folder was. */
function mayInstruct({ trust, paths }: Settings, file: string): boolean {
  return path.dirname(file) === trust.folder ? trust.allows(file) : trustOf(paths.trustFile, path.dirname(file)).allows(file);
}

function keep(folder: string, id: string, text: string): string | undefined {
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, `${id.replace(/[^\w.-]/g, '_')}.txt`);
    fs.writeFileSync(file, text, { mode: 0o600 });
    return file;
  } catch {
    return undefined;
  }
}
