/** The permission port: asked before every tool call that touches something outside frost. */
import type { Access } from '../permissions/access.js';
import type { Tool } from '../profiles/tool.js';

export interface GateRequest {
  tool: string;
  access: Access;
  callId: string;
  /** The specialist that asks; absent for the main agent. */
  agentName?: string;
  /** A unified diff of what an edit would do, where the tool can tell. */
  diff?: string;
  signal: AbortSignal;
}

export interface Gate {
  check(request: GateRequest): Promise<{ allowed: true } | { allowed: false; reason: string }>;
}

/** What a call would touch; a tool that says nothing touches nothing. */
export async function accessOf(tool: Tool, args: Record<string, unknown>): Promise<Access> {
  return (await tool.access?.(args)) ?? { kind: 'none' };
}
