/** The screen is a fold over the event stream: `apply(view, event)` is pure, knows no React and no terminal. */
import type { AgentEvent, EventOf } from '../agent/events.js';
import { textOf } from '../llm/messages.js';
import type { Usage } from '../llm/port.js';
import { endText, IDLE, onReasoning, onRetry, onText, onToolEnd, onToolStart, onToolUpdate, plus, stepOf } from './agent-view.js';
import { cutRows, type Piece } from './blocks.js';
import { type AgentView, type Approval, type Block, type ChildRow, NOTHING_SPENT, type Spent, type View } from './view-state.js';

export const EMPTY_VIEW: View = {
  running: false,
  main: IDLE,
  children: new Map(),
  current: [],
  approvals: [],
  steering: [],
  runSpent: NOTHING_SPENT,
  sessionSpent: NOTHING_SPENT,
  byPrincipal: new Map(),
};

export function addBlocks(view: View, ...blocks: Block[]): View {
  return { ...view, main: { ...view.main, blocks: [...view.main.blocks, ...blocks] } };
}

/** The finished blocks that were not taken yet, and the view without them. */
export function takeBlocks(view: View): { blocks: readonly Block[]; view: View } {
  const { blocks } = view.main;
  return blocks.length === 0 ? { blocks, view } : { blocks, view: { ...view, main: { ...view.main, blocks: [] } } };
}

/** Keeps the open rest of the answer at `most` rows: what is above goes among the finished blocks. */
export function shortenRest(view: View, most: number, rowsOf: (piece: Piece) => number): View {
  const found = cutRows(view.main.cutter, most, rowsOf);
  if (!found) return view;
  return { ...view, main: { ...plus(view.main, { kind: 'answer', piece: found.piece }), cutter: found.cutter } };
}

/** Changes the view of the agent that an event belongs to; an event of an unknown child changes nothing. */
function onAgent(view: View, agent: string | undefined, change: (of: AgentView) => AgentView): View {
  if (agent === undefined) return { ...view, main: change(view.main) };
  const row = view.children.get(agent);
  return row ? withChild(view, { ...row, view: change(row.view) }) : view;
}

function withChild(view: View, row: ChildRow): View {
  return { ...view, children: new Map(view.children).set(row.run, row) };
}

/** Specialists of earlier runs, before any of this one's. */
export function withEarlier(view: View, rows: readonly ChildRow[]): View {
  return { ...view, children: new Map([...rows.map((row) => [row.run, row] as const), ...view.children]) };
}

/** Text for the running turn was sent, and waits until it enters the history. */
export function addSteering(view: View, text: string): View {
  return { ...view, steering: [...view.steering, text] };
}

/** What waits goes back to whoever wrote it. */
export function clearSteering(view: View): View {
  return view.steering.length === 0 ? view : { ...view, steering: [] };
}

/** A user's message is drawn by whoever sent it, save one that steers: it is drawn where it enters the history. */
function onUserMessage(view: View, event: EventOf<'message'>): View {
  const [first, ...rest] = view.steering;
  if (
    first === undefined ||
    event.agent !== undefined ||
    (event.message.role === 'user' && event.message.auto) ||
    !textOf(event.message).includes(first)
  )
    return view;
  return { ...addBlocks(view, { kind: 'user', text: first, how: 'steered' }), steering: rest };
}

function onMessage(view: View, event: EventOf<'message'>): View {
  const { message } = event;
  if (message.role === 'user') return onUserMessage(view, event);
  if (message.role !== 'assistant') return view;
  return onAgent(view, event.agent, (of) => {
    // A message that never streamed (a model's one-piece reply) is shown all the same.
    const shown = of.wroteText || message.content === '' ? of : onText(of, { ...event, type: 'text_delta', text: message.content });
    return { ...endText(shown, event.ts, message.incomplete), step: stepOf(of.tools) };
  });
}

function onAgentStart(view: View, event: EventOf<'agent_start'>): View {
  const { run, parent, name, task, model, host, keyName } = event;
  const row: ChildRow = {
    run,
    name,
    task,
    model,
    host,
    ...(parent !== undefined && { parent }),
    ...(keyName !== undefined && { keyName }),
    startedAt: event.ts,
    status: 'running',
    spent: NOTHING_SPENT,
    view: { ...IDLE, step: { kind: 'waiting' }, blocks: [{ kind: 'user', text: task }] },
  };
  return { ...withChild(view, row), current: [...view.current, run] };
}

function onAgentEnd(view: View, event: EventOf<'agent_end'>): View {
  const row = view.children.get(event.run);
  if (!row) return view;
  const { status, ms, turns, error, text, cost } = event;
  const ended = endText({ ...row.view, tools: [] }, event.ts, status === 'aborted' ? 'aborted' : undefined);
  const spent = cost === undefined ? row.spent : { ...row.spent, cost, unknownCost: false };
  const done: ChildRow = { ...row, status, ms, turns, text, spent, ...(error && { error }), view: { ...ended, step: { kind: 'idle' } } };
  const block: Block = { kind: 'agent', row: done };
  return onAgent(withChild(view, done), row.parent, (of) => plus(of, block));
}

const nameOf = (view: View, agent: string | undefined): string | undefined =>
  agent === undefined ? undefined : view.children.get(agent)?.name;

/** What an agent says to the person goes to the main transcript, whoever says it. */
function onSaid(view: View, event: EventOf<'said'>): View {
  const speaker = nameOf(view, event.agent);
  const block: Block = { kind: 'said', parts: event.parts, auto: event.auto, ...(speaker !== undefined && { speaker }) };
  const main = { ...endText(view.main, event.ts), step: view.main.step };
  const said = { ...view, main: plus(main, block) };
  return event.agent === undefined ? said : onAgent(said, event.agent, (of) => plus(of, block));
}

function onApproval(view: View, event: EventOf<'approval'>): View {
  if (event.state === 'asked') {
    const { type: _, ts: __, agent, state: ___, ...asked } = event;
    const agentName = asked.agentName ?? nameOf(view, agent);
    const approval: Approval = { ...asked, ...(agentName !== undefined && { agentName }) };
    const waiting = onAgent(view, agent, (of) => ({ ...of, step: { kind: 'approval', tool: asked.tool } }));
    return { ...waiting, approvals: [...view.approvals, approval] };
  }
  const asked = view.approvals.find((approval) => approval.id === event.id);
  const rest = { ...view, approvals: view.approvals.filter((approval) => approval.id !== event.id) };
  const resumed = onAgent(rest, event.agent, (of) => ({ ...of, step: stepOf(of.tools) }));
  if (!asked) return resumed;
  const { tool, access, agentName } = asked;
  return addBlocks(resumed, {
    kind: 'approval',
    tool,
    access,
    answer: event.answer,
    ...(agentName !== undefined && { agentName }),
    ...(event.reason !== undefined && { reason: event.reason }),
  });
}

function plusUsage(spent: Spent, usage: Usage | undefined, cost: number | undefined): Spent {
  return {
    inputTokens: spent.inputTokens + (usage?.inputTokens ?? 0),
    outputTokens: spent.outputTokens + (usage?.outputTokens ?? 0),
    cost: spent.cost + (cost ?? 0),
    requests: spent.requests + 1,
    unknownCost: spent.unknownCost || cost === undefined,
  };
}

function onUsage(view: View, event: EventOf<'usage'>): View {
  const { principal, model, host, usage, cost, contextTokens, contextWindow } = event;
  const known = view.byPrincipal.get(principal) ?? NOTHING_SPENT;
  const next: View = {
    ...view,
    runSpent: plusUsage(view.runSpent, usage, cost),
    sessionSpent: plusUsage(view.sessionSpent, usage, cost),
    byPrincipal: new Map(view.byPrincipal).set(principal, { ...plusUsage(known, usage, cost), model, host }),
    ...(event.agent === undefined && contextTokens !== undefined && { contextTokens }),
    ...(event.agent === undefined && contextWindow !== undefined && { contextWindow }),
  };
  const row = event.agent === undefined ? undefined : view.children.get(event.agent);
  return row ? withChild(next, { ...row, spent: plusUsage(row.spent, usage, cost) }) : next;
}

function onCompaction(view: View, event: EventOf<'compaction'>): View {
  if (event.state === 'start') return onAgent(view, event.agent, (of) => ({ ...of, step: { kind: 'compacting' } }));
  const { tokensBefore, tokensAfter } = event;
  const block: Block = { kind: 'compaction', tokensBefore, ...(tokensAfter !== undefined && { tokensAfter }) };
  const blocks = tokensAfter === undefined ? [] : [block];
  const next = onAgent(view, event.agent, (of) => plus({ ...of, step: view.running ? stepOf(of.tools) : { kind: 'idle' } }, ...blocks));
  return event.agent === undefined && tokensAfter !== undefined ? { ...next, contextTokens: tokensAfter } : next;
}

function onRunEnd(view: View, event: EventOf<'run_end'>): View {
  const { outcome, ms, error, limit, principals, cost, usage } = event;
  const ended = endText({ ...view.main, tools: [] }, event.ts, outcome === 'aborted' ? 'aborted' : undefined);
  const block: Block = {
    kind: 'run_end',
    outcome,
    ms,
    principals,
    ...(error && { error }),
    ...(limit && { limit }),
    ...(cost !== undefined && { cost }),
    ...(usage && { usage }),
  };
  const { startedAt: _, ...rest } = view;
  return {
    ...rest,
    running: false,
    approvals: [],
    main: plus({ ...ended, step: { kind: 'idle' } }, block),
    lastEnd: { outcome, ms, ...(limit && { limit }) },
  };
}

function onRunStart(view: View, event: EventOf<'run_start'>): View {
  const { session, model, host } = event;
  return {
    ...view,
    running: true,
    startedAt: event.ts,
    model,
    host,
    ...(session !== undefined && { session }),
    current: [],
    runSpent: NOTHING_SPENT,
    main: { ...view.main, step: { kind: 'waiting' }, tools: [] },
  };
}

function onWarning(view: View, event: EventOf<'warning'>): View {
  const agentName = nameOf(view, event.agent);
  return addBlocks(view, { kind: 'warning', text: event.text, ...(agentName !== undefined && { agentName }) });
}

/** The view after one more event. */
export function apply(view: View, event: AgentEvent): View {
  switch (event.type) {
    case 'run_start':
      return onRunStart(view, event);
    case 'turn_start':
      return onAgent(view, event.agent, (of) => ({ ...of, step: { kind: 'waiting' } }));
    case 'text_delta':
      return onAgent(view, event.agent, (of) => onText(of, event));
    case 'reasoning_delta':
      return onAgent(view, event.agent, (of) => onReasoning(of, event));
    case 'message':
      return onMessage(view, event);
    case 'said':
      return onSaid(view, event);
    case 'tool_start':
      return onAgent(view, event.agent, (of) => onToolStart(of, event));
    case 'tool_update':
      return onAgent(view, event.agent, (of) => onToolUpdate(of, event));
    case 'tool_end':
      return onAgent(view, event.agent, (of) => onToolEnd(of, event));
    case 'agent_start':
      return onAgentStart(view, event);
    case 'agent_end':
      return onAgentEnd(view, event);
    case 'approval':
      return onApproval(view, event);
    case 'usage':
      return onUsage(view, event);
    case 'retry':
      return onAgent(view, event.agent, (of) => onRetry(of, event));
    case 'compaction':
      return onCompaction(view, event);
    case 'warning':
      return onWarning(view, event);
    case 'turn_end':
      return view;
    case 'run_end':
      return onRunEnd(view, event);
  }
}
