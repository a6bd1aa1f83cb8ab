/** Running the tool calls of one message: side by side, with exactly one result for each, in the order of the calls. */
import type { ToolCall, ToolMessage } from '../llm/messages.js';
import type { Access } from '../permissions/access.js';
import type { MessagePart } from '../profiles/message-parts.js';
import type { Tool, ToolContext, ToolResult } from '../profiles/tool.js';
import { capText, headBytes, TOOL_TEXT_BYTES } from '../text/truncate.js';
import { parseArguments } from '../tools/arguments.js';
import type { ToolRegistry } from '../tools/registry.js';
import type { Emit, PermissionDenial } from './events.js';
import { accessOf, type Gate } from './gate.js';

/** Bytes of a result that go into `tool_end` for a screen. */
const PREVIEW_BYTES = 600;

export interface ToolPorts {
  tools: ToolRegistry;
  /** Names that the model was told of. */
  offered: readonly string[];
  gate: Gate;
  signal: AbortSignal;
  emit: Emit;
  /** The child's run id and name; absent in the main agent. */
  agent?: string;
  agentName?: string;
  /** True where the person has been told something since the last tool but send_message ended. */
  hasSaid(): boolean;
  said(parts: MessagePart[], auto: boolean): void;
  denied(denial: Omit<PermissionDenial, 'agent'>): void;
  allowed(access: Access): void;
  /** Keeps a text that is too long for the model; returns where, or undefined where it cannot be kept. */
  keepWhole?(callId: string, text: string): string | undefined;
  /** Whether this is the first call of the run that went wrong: then the result lists the tools. */
  isFirstFailure(): boolean;
}

type Prepared = { call: ToolCall; tool: Tool; args: Record<string, unknown> } | { call: ToolCall; failure: string };

const CANCELLED: ToolResult = { text: 'Cancelled by the user before it ended.', isError: true };

/** Room for the line of facts that a specialist's result leads with. */
const FACTS_BYTES = 8 * 1024;

/** How long a stopped call may take to end in order. ms; all children are to be stopped within 200. */
const IN_ORDER_MS = 150;

/** Resolves when `signal` aborts, `graceMs` later where that is given, so that a tool that does not listen cannot hold the turn. */
function aborted(signal: AbortSignal, graceMs = 0): { promise: Promise<ToolResult>; release: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => {};
  const promise = new Promise<ToolResult>((resolve) => {
    onAbort = () => {
      if (graceMs > 0) timer = setTimeout(resolve, graceMs, CANCELLED);
      else resolve(CANCELLED);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  const release = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
  return { promise, release };
}

async function prepare(call: ToolCall, { tools, offered }: ToolPorts): Promise<Prepared> {
  const tool = tools.get(call.name);
  if (!tool) return { call, failure: `There is no tool «${call.name}». Your tools are: ${offered.join(', ') || 'none'}.` };
  const parsed = await parseArguments(tool, call.arguments);
  return 'problem' in parsed ? { call, failure: parsed.problem } : { call, tool, args: parsed.args };
}

function contextOf(call: ToolCall, ports: ToolPorts, isOpen: () => boolean): ToolContext {
  return {
    signal: ports.signal,
    callId: call.id,
    ...(ports.agent !== undefined && { agent: ports.agent }),
    update: (text) => {
      if (isOpen()) ports.emit({ type: 'tool_update', callId: call.id, text });
    },
    say: (parts, auto = false) => {
      if (isOpen()) ports.said(parts, auto);
    },
    hasSaid: ports.hasSaid,
  };
}

async function permitted({ call, tool, args }: Extract<Prepared, { tool: Tool }>, ports: ToolPorts): Promise<ToolResult | undefined> {
  const access = await accessOf(tool, args);
  if (access.kind === 'none') return undefined;
  const diff = await tool.preview?.(args);
  const request = {
    tool: tool.name,
    access,
    callId: call.id,
    signal: ports.signal,
    ...(ports.agentName !== undefined && { agentName: ports.agentName }),
    ...(diff !== undefined && { diff }),
  };
  const verdict = await ports.gate.check(request);
  if (verdict.allowed) {
    ports.allowed(access);
    return undefined;
  }
  ports.denied({ tool: tool.name, callId: call.id, access, reason: verdict.reason });
  return {
    text: `Permission denied: ${verdict.reason}. Do not try the same again; go on without it, or tell the user what you would need.`,
    isError: true,
  };
}

async function perform(prepared: Prepared, ports: ToolPorts, isOpen: () => boolean, onBegin: () => void): Promise<ToolResult> {
  if ('failure' in prepared) return { text: prepared.failure, isError: true };
  try {
    // send_message and use_subagent have no access: they start in the order of the calls, within this same tick.
    const refused = prepared.tool.access ? await permitted(prepared, ports) : undefined;
    if (refused) return refused;
    if (ports.signal.aborted) return CANCELLED;
    onBegin();
    const result = await prepared.tool.run(prepared.args, contextOf(prepared.call, ports, isOpen));
    return typeof result === 'string' ? { text: result } : result;
  } catch (error) {
    return { text: `${prepared.call.name} failed: ${error instanceof Error ? error.message : String(error)}`, isError: true };
  }
}

/** The text for the model: capped, with a pointer to the whole, and never empty. */
function textFor(call: ToolCall, result: ToolResult, ports: ToolPorts): string {
  // A specialist's text is capped already and says where its whole is; its line of facts comes on top.
  const room = TOOL_TEXT_BYTES + (result.details?.kind === 'agent' ? FACTS_BYTES : 0);
  const { text, truncated } = capText(result.text === '' ? '(no output)' : result.text, room);
  const whole = truncated ? ports.keepWhole?.(call.id, result.text) : undefined;
  const pointer = whole ? `\n[The whole text is in ${whole}]` : '';
  const isListed = result.text.includes('Your tools are');
  // A specialist that failed was no slip of the pen; a call of a tool may have been meant for another.
  const isSlip = result.isError && result.details?.kind !== 'agent';
  const hint = isSlip && ports.isFirstFailure() && !isListed ? `\n(Your tools are: ${ports.offered.join(', ')}.)` : '';
  return text + pointer + hint;
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function runOne(prepared: Prepared, ports: ToolPorts): Promise<ToolMessage> {
  const { call } = prepared;
  let startedAt = performance.now();
  // A person who thinks before saying yes is not the tool's time.
  const onBegin = () => {
    startedAt = performance.now();
  };
  let open = true;
  const summary = 'tool' in prepared ? prepared.tool.summary?.(prepared.args) : undefined;
  ports.emit({
    type: 'tool_start',
    callId: call.id,
    name: call.name,
    arguments: parsedOrText(call.arguments),
    ...(summary !== undefined && { summary }),
  });
  const endsInOrder = 'tool' in prepared && prepared.tool.endsInOrder === true;
  const cancel = aborted(ports.signal, endsInOrder ? IN_ORDER_MS : 0);
  const result = await Promise.race([perform(prepared, ports, () => open, onBegin), cancel.promise]);
  cancel.release();
  open = false;
  const content = textFor(call, result, ports);
  ports.emit({
    type: 'tool_end',
    callId: call.id,
    name: call.name,
    ok: !result.isError,
    ms: Math.round(performance.now() - startedAt),
    preview: headBytes(result.text, PREVIEW_BYTES),
    ...(result.details && { details: result.details }),
  });
  return {
    role: 'tool',
    callId: call.id,
    name: call.name,
    content,
    ...(result.isError && { isError: true }),
    ...(result.images && { images: result.images }),
  };
}

/**
 * One result for every call, in call order. Calls run at once, but for those of the workspace: what changes it keeps its
 * place among them, so that an edit and the test after it can stand in one message. Never rejects.
 */
export async function runToolCalls(calls: readonly ToolCall[], ports: ToolPorts): Promise<ToolMessage[]> {
  const prepared: Prepared[] = [];
  for (const call of calls) prepared.push(await prepare(call, ports));
  let change: Promise<unknown> | undefined;
  let looks: Promise<unknown>[] = [];
  const running = prepared.map((one) => {
    const tool = 'tool' in one ? one.tool : undefined;
    if (!tool?.access) return runOne(one, ports);
    const before = tool.exclusive ? [change, ...looks].filter(Boolean) : [change].filter(Boolean);
    const result = before.length > 0 ? Promise.all(before).then(() => runOne(one, ports)) : runOne(one, ports);
    if (tool.exclusive) [change, looks] = [result, []];
    else looks.push(result);
    return result;
  });
  return Promise.all(running);
}
