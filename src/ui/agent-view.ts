/** The fold of one agent's events, the main agent's or a child's: what it does, what it runs, what it has finished. */
import type { EventOf } from '../agent/events.js';
import { cut, finish, NEW_CUTTER } from './blocks.js';
import type { AgentView, Block, ToolRow } from './view-state.js';

export const IDLE: AgentView = { step: { kind: 'idle' }, cutter: NEW_CUTTER, wroteText: false, tools: [], blocks: [] };

/** Tools whose effect is drawn as something better than a tool line. */
const DRAWN_OTHERWISE = new Set(['send_message']);
const DELEGATING = new Set(['use_subagent', 'task']);

export const plus = (of: AgentView, ...blocks: Block[]): AgentView =>
  blocks.length === 0 ? of : { ...of, blocks: [...of.blocks, ...blocks] };

/** The step that an agent falls back to: its running tool, or the model. */
export function stepOf(tools: readonly ToolRow[]): AgentView['step'] {
  const tool = tools.at(-1);
  return tool ? { kind: 'tool', name: tool.name, summary: tool.summary } : { kind: 'waiting' };
}

/** Folded reasoning becomes a block when something else follows. */
function endReasoning(of: AgentView, ts: number): AgentView {
  if (!of.reasoning) return of;
  const { reasoning, ...rest } = of;
  return plus(rest, { kind: 'reasoning', text: reasoning.text, ms: Math.max(0, ts - reasoning.startedAt) });
}

export function onText(of: AgentView, event: EventOf<'text_delta'>): AgentView {
  const ended = endReasoning(of, event.ts);
  const { pieces, cutter } = cut(ended.cutter, event.text);
  const blocks = pieces.map((piece): Block => ({ kind: 'answer', piece }));
  return { ...plus(ended, ...blocks), cutter, wroteText: true, step: { kind: 'writing' } };
}

export function onReasoning(of: AgentView, event: EventOf<'reasoning_delta'>): AgentView {
  const startedAt = of.reasoning?.startedAt ?? event.ts;
  return { ...of, reasoning: { text: (of.reasoning?.text ?? '') + event.text, startedAt }, step: { kind: 'thinking' } };
}

/** The end of what streams: the open rest becomes final. */
export function endText(of: AgentView, ts: number, incomplete?: 'aborted' | 'error' | 'length'): AgentView {
  const ended = endReasoning(of, ts);
  if (!ended.wroteText) return ended;
  const blocks = finish(ended.cutter).map((piece): Block => ({ kind: 'answer', piece }));
  const end: Block = { kind: 'answer_end', ...(incomplete && { incomplete }) };
  return { ...plus(ended, ...blocks, end), cutter: NEW_CUTTER, wroteText: false };
}

export function onToolStart(of: AgentView, event: EventOf<'tool_start'>): AgentView {
  const { callId, name, arguments: args, summary = '' } = event;
  const tools = [...of.tools, { callId, name, summary, arguments: args, startedAt: event.ts }];
  return { ...endText(of, event.ts), tools, step: stepOf(tools) };
}

export function onToolUpdate(of: AgentView, event: EventOf<'tool_update'>): AgentView {
  const line = event.text.trimEnd().split('\n').at(-1) ?? '';
  if (line.trim() === '') return of;
  return { ...of, tools: of.tools.map((tool) => (tool.callId === event.callId ? { ...tool, update: line } : tool)) };
}

export function onToolEnd(of: AgentView, event: EventOf<'tool_end'>): AgentView {
  const { callId, name, ok, ms, preview, details } = event;
  const started = of.tools.find((tool) => tool.callId === callId);
  const tools = of.tools.filter((tool) => tool.callId !== callId);
  const base = started ?? { callId, name, summary: '', arguments: undefined, startedAt: event.ts - ms };
  const tool: ToolRow = { ...base, ok, ms, ...(preview !== undefined && { preview }), ...(details && { details }) };
  const next = { ...of, tools, step: stepOf(tools) };
  const isDrawn = (ok && DRAWN_OTHERWISE.has(name)) || (DELEGATING.has(name) && details?.kind === 'agent');
  return isDrawn ? next : plus(next, { kind: 'tool', tool });
}

export function onRetry(of: AgentView, event: EventOf<'retry'>): AgentView {
  const { attempt, maxAttempts, delayMs, reason } = event;
  return { ...of, step: { kind: 'retry', attempt: attempt + 1, maxAttempts, until: event.ts + delayMs, reason } };
}
