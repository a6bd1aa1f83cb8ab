import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PermissionMode } from '../../src/permissions/access.js';
import { Gate } from '../../src/permissions/gate.js';
import { parseRules } from '../../src/permissions/rules.js';
import type { Tool, ToolResult } from '../../src/profiles/tool.js';
import { createWorkspaceTools, type WorkspaceToolOptions } from '../../src/tools/workspace-tools.js';
import type { Sandbox } from '../../src/workspace/sandbox.js';
import { Workspace, type WorkspaceOptions } from '../../src/workspace/workspace.js';

interface SceneOptions extends Partial<WorkspaceOptions> {
  mode?: PermissionMode;
  allow?: string[];
  env?: Record<string, string>;
  proxyFor?: WorkspaceToolOptions['proxyFor'];
  sandbox?: (workspace: Workspace) => Promise<Sandbox | undefined>;
}

/** A workspace in a temporary folder, with a neighbour folder outside of it, and its tools. */
export function workspaceScene(options: SceneOptions = {}) {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'frost-ws-')));
  const root = path.join(base, 'ws');
  fs.mkdirSync(root);
  const { mode = 'full', allow = [], sandbox } = options;
  const rules = parseRules({ allow });
  const workspace = new Workspace({ outputDir: path.join(base, 'output'), ...options, root });
  const gate = new Gate({
    mode,
    rules,
    root: workspace.root,
    addDirs: workspace.addDirs,
    readDirs: workspace.readDirs,
    realPath: (file) => workspace.realPath(file),
    isSecret: workspace.isSecret,
  });
  const env = options.env ?? { PATH: process.env['PATH'] ?? '', HOME: base };
  const tools = createWorkspaceTools({
    workspace,
    mode,
    rules,
    env,
    sandbox: async () => sandbox?.(workspace),
    judge: (request) => gate.judge(request),
    ...(options.proxyFor && { proxyFor: options.proxyFor }),
  });
  const updates: string[] = [];
  return {
    base,
    root,
    workspace,
    gate,
    updates,
    tool: (name: string): Tool | undefined => tools.find((tool) => tool.name === name),
    names: tools.map((tool) => tool.name),
    put(name: string, content: string | Buffer = '') {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      fs.writeFileSync(path.join(root, name), content);
    },
    text: (name: string) => fs.readFileSync(path.join(root, name), 'utf8'),
    async call(name: string, args: Record<string, unknown>, signal = new AbortController().signal): Promise<ToolResult> {
      const context = { signal, callId: 'c1', update: (text: string) => updates.push(text), say: () => {}, hasSaid: () => false };
      const result = await tools.find((tool) => tool.name === name)?.run(args, context);
      if (result === undefined) throw new Error(`${name} is not offered`);
      return typeof result === 'string' ? { text: result } : result;
    },
    close: () => fs.rmSync(base, { recursive: true, force: true }),
  };
}

export type WorkspaceScene = ReturnType<typeof workspaceScene>;
