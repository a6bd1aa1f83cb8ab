/** The tools that see and change the workspace. */
import type { PermissionMode } from '../permissions/access.js';
import { NO_RULES, type Rules } from '../permissions/rules.js';
import type { Tool } from '../profiles/tool.js';
import type { Workspace } from '../workspace/workspace.js';
import { listFilesTool } from './list-files.js';
import { readFileTool } from './read-file.js';

export interface WorkspaceToolOptions {
  workspace: Workspace;
  mode: PermissionMode;
  rules?: Rules;
  /** Describes an image (data: URL) for a main model that cannot see. */
  describeImage?: (url: string, signal: AbortSignal) => Promise<string>;
}

/** The tools that may be of use in this mode: where only reading is allowed, others are offered only if a rule grants them. */
export function createWorkspaceTools(options: WorkspaceToolOptions): Tool[] {
  const { workspace, mode, rules = NO_RULES } = options;
  const reading = [readFileTool(workspace, options.describeImage), listFilesTool(workspace)];
  const acting: Tool[] = [];
  const granted = new Set(rules.allow.map(({ tool }) => tool));
  return [...reading, ...acting.filter(({ name }) => mode !== 'read' || granted.has(name))];
}
