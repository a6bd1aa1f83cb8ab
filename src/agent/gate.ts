/** The permission port: asked before every tool call that touches something outside frost. */
import type { Access } from '../permissions/access.js';
import type { GateAnswer, GateRequest } from '../permissions/gate.js';
import type { Tool } from '../profiles/tool.js';

export interface Gate {
  check(request: GateRequest): Promise<GateAnswer>;
}

/** What a call would touch; a tool that says nothing touches nothing. */
export async function accessOf(tool: Tool, args: Record<string, unknown>): Promise<Access> {
  return (await tool.access?.(args)) ?? { kind: 'none' };
}
