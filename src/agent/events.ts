/**
 * The event stream: the whole public contract of a run. `frost ask --output stream-json` prints exactly these, one JSON
 * object a line; the session recorder and the chat read exactly these. The order:
 *
 *     run_start
 *       turn_start
 *         reasoning_delta* text_delta*
 *         message                          one complete message, as it enters the history
 *         said                             parts from send_message, or frost's own delegation notice (auto: true)
 *         tool_start, tool_update*, tool_end     exactly one end for every start, whatever happens
 *         agent_start ... agent_end        a child; its own events carry `agent`, its run id
 *         approval, usage, retry, compaction, warning
 *       turn_end
 *     run_end                              exactly once, last, always
 *
 * Times are in ms (`ts` since the epoch), sizes in bytes, money in USD. A new field may appear at any time; a change of
 * meaning raises EVENTS_VERSION.
 */
import type { Failure } from '../errors.js';
import type { Message } from '../llm/messages.js';
import type { Usage } from '../llm/port.js';
import type { Access, ApprovalAnswer } from '../permissions/access.js';
import type { MessagePart } from '../profiles/message-parts.js';
import type { Limits } from '../profiles/profile.js';
import type { ToolDetails } from '../profiles/tool.js';

export const EVENTS_VERSION = 1;

export type Outcome = 'done' | 'failed' | 'aborted' | 'limit';

/** What one principal (the main agent or a specialist) used in a run, its children not included. */
export interface PrincipalBill {
  /** `main`, or the specialist's name. */
  principal: string;
  model: string;
  host: string;
  requests: number;
  usage?: Usage;
  /** USD; absent where a price or the usage is unknown. */
  cost?: number;
  /** True where some request of this principal came without usage. */
  usageIncomplete?: boolean;
}

interface EventPayloads {
  run_start: {
    version: number;
    session?: string;
    model: string;
    host: string;
    cwd?: string;
    tools: string[];
    specialists: string[];
  };
  turn_start: { turn: number };
  reasoning_delta: { text: string };
  text_delta: { text: string };
  message: { id: string; message: Message };
  said: { parts: MessagePart[]; auto: boolean };
  tool_start: { callId: string; name: string; arguments: unknown; summary?: string };
  tool_update: { callId: string; text: string };
  /** `preview`: the first lines of the result, for a screen. */
  tool_end: { callId: string; name: string; ok: boolean; ms: number; preview?: string; details?: ToolDetails };
  agent_start: {
    run: string;
    /** Run id of the parent child; absent where the main agent delegates. */
    parent?: string;
    callId?: string;
    name: string;
    task: string;
    model: string;
    host: string;
    /** The variable that holds the key, never its value; absent where the endpoint needs none. */
    keyName?: string;
    limits: Limits;
  };
  agent_end: {
    run: string;
    name: string;
    status: Outcome;
    text: string;
    error?: Failure;
    usage?: Usage;
    cost?: number;
    ms: number;
    turns: number;
    /** Where the child's transcript is: `SESSION#RUN`. */
    transcript?: string;
    /** The whole text, where `text` was too long for the parent. */
    truncated?: { path?: string; bytes: number };
  };
  approval:
    | {
        state: 'asked';
        id: string;
        callId: string;
        tool: string;
        access: Access;
        reason: string;
        rule?: string;
        agentName?: string;
        diff?: string;
      }
    | { state: 'answered'; id: string; callId: string; tool: string; answer: ApprovalAnswer['answer'] | 'denied'; reason?: string };
  /** One model request's usage. */
  usage: { principal: string; model: string; host: string; usage?: Usage; cost?: number; contextTokens?: number; contextWindow?: number };
  retry: { attempt: number; maxAttempts: number; delayMs: number; reason: string; status?: number };
  compaction: {
    state: 'start' | 'end';
    trigger: 'auto' | 'overflow' | 'manual';
    tokensBefore: number;
    tokensAfter?: number;
    summary?: string;
    /** How many of the last messages stay as they are, after the summary. */
    kept?: number;
  };
  warning: { code: string; text: string };
  turn_end: { turn: number };
  run_end: {
    outcome: Outcome;
    /** The answer; for an outcome other than `done` the partial text, where there is some. */
    answer: string;
    /** Structured answer, where a schema was set and met. */
    structured?: unknown;
    error?: Failure;
    /** Which limit ended the run. */
    limit?: LimitName;
    turns: number;
    ms: number;
    /** Sum over all principals, and each one's own. */
    usage?: Usage;
    cost?: number;
    principals: PrincipalBill[];
    /** The last run of each specialist that did not end as `done`. */
    failedAgents: { name: string; error: Failure }[];
    permissionDenials: PermissionDenial[];
  };
}

/** A call that was refused and did not run later in the form that was refused. */
export interface PermissionDenial {
  tool: string;
  callId: string;
  access: Access;
  reason: string;
  /** The specialist that asked; absent for the main agent. */
  agent?: string;
}

export type LimitName = 'turns' | 'tokens' | 'cost' | 'seconds' | 'depth' | 'loop';

export type EventType = keyof EventPayloads;

/** One event. `agent` is the run id of the child it belongs to, absent for the main agent. */
export type AgentEvent = { [T in EventType]: { type: T; ts: number; agent?: string } & EventPayloads[T] }[EventType];

export type EventOf<T extends EventType> = Extract<AgentEvent, { type: T }>;

/** An event before the stream stamps it. */
export type NewEvent = { [T in EventType]: { type: T } & EventPayloads[T] }[EventType];

/** Receives events in order. It must not throw; a slow reader buffers for itself. */
export type EventSink = (event: AgentEvent) => void;

/** Emits on behalf of one agent; the receiver adds `ts` and `agent`. */
export type Emit = (event: NewEvent) => void;
