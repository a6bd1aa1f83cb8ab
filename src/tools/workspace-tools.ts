/** The tools that see and change the workspace. */
import type { Agent } from 'node:http';
import type { PermissionMode, Verdict } from '../permissions/access.js';
import { NO_RULES, namesHost, type Rules } from '../permissions/rules.js';
import type { Tool } from '../profiles/tool.js';
import type { Sandbox } from '../workspace/sandbox.js';
import type { Workspace } from '../workspace/workspace.js';
import { editFileTool } from './edit-file.js';
import { fetchUrlTool } from './fetch-url.js';
import { listFilesTool } from './list-files.js';
import { readFileTool } from './read-file.js';
import { runCommandTool } from './run-command.js';
import { searchFilesTool } from './search-files.js';
import { writeFileTool } from './write-file.js';

export interface WorkspaceToolOptions {
  workspace: Workspace;
  /** The mode at the start; in `read` only what can be allowed is offered. */
  mode: PermissionMode;
  rules?: Rules;
  /** The environment of every process that a tool starts. */
  env: Readonly<Record<string, string>>;
  /** Resolves to undefined where this machine has no sandbox. */
  sandbox: () => Promise<Sandbox | undefined>;
  /** The gate's verdict on a redirect of fetch_url. */
  judge: (request: { tool: string; access: { kind: 'fetch'; url: string } }) => Promise<Verdict>;
  /** The agent of the proxy that fetch_url reaches an address through; default: none. */
  proxyFor?: (url: URL) => Promise<Agent | undefined>;
  /** Whether commands may use the network; default: where the mode is `full`, or a rule `network` allows it. */
  network?: () => boolean;
}

/** The tools that may be of use in this mode: where only reading is allowed, others are offered only if a rule grants them. */
export function createWorkspaceTools(options: WorkspaceToolOptions): Tool[] {
  const { workspace, mode, rules = NO_RULES, env, sandbox, judge } = options;
  const network = options.network ?? (() => mode === 'full' || rules.allow.some(({ tool }) => tool === 'network'));
  const reading = [readFileTool(workspace), listFilesTool(workspace), searchFilesTool(workspace, env)];
  const acting = [
    writeFileTool(workspace),
    editFileTool(workspace),
    runCommandTool({ workspace, env, sandbox, network }),
    fetchUrlTool({
      mayBePrivate: (url) => namesHost(rules, 'fetch_url', url),
      ...(options.proxyFor && { agentFor: options.proxyFor }),
      judge: (url) => judge({ tool: 'fetch_url', access: { kind: 'fetch', url: url.href } }),
    }),
  ];
  return [...reading, ...acting.filter(({ name }) => isOffered(name, mode, rules))];
}

const READING = ['read_file', 'list_files', 'search_files'];
const WRITING = ['write_file', 'edit_file'];

/** Whether a tool is worth telling the model of: where only reading is allowed, the others are if a rule grants them. */
export function isOffered(name: string, mode: PermissionMode, rules: Rules): boolean {
  const names = WRITING.includes(name) ? WRITING : [name];
  return mode !== 'read' || READING.includes(name) || rules.allow.some(({ tool }) => names.includes(tool));
}
