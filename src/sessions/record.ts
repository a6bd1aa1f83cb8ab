/**
 * The lines of a session file. The first is the header, every other one is a record. Records form a tree by `parent`: the
 * main agent's newest record is the leaf of the conversation, a child's records hang below its `agent_start`. Nothing in a
 * file is ever rewritten; what a session means now follows from its last records.
 */
import type { Message } from '../llm/messages.js';

/** Raised when an older frost would misread the records. Unknown record types and fields do not raise it. */
export const FORMAT_VERSION = 1;

export interface SessionHeader {
  type: 'session';
  version: number;
  id: string;
  /** The folder the session was started in. */
  cwd: string;
  /** ms since the epoch. */
  created: number;
  /** The session and record that this one was forked from. */
  forked?: { session: string; record: string | null };
}

/** What every record has; the rest depends on `type`. */
export interface RecordHead {
  id: string;
  /** The record before it: in the same agent, or the `agent_start` of the child. Null for the first one. */
  parent: string | null;
  /** ms since the epoch. */
  ts: number;
  type: string;
  /** The run id of the child that it belongs to; absent for the main agent. */
  agent?: string;
}

/**
 * A record: `message` {message}, `run_start`, `run_end`, `agent_start`, `agent_end`, `compaction` (the events of these names,
 * without the texts that a message record holds already), `title` {title}, `leaf` {} (the conversation goes on from its parent).
 */
export type SessionRecord = RecordHead & { message?: Message; [field: string]: unknown };

/** One record as its whole line. The head comes first and in a fixed order, so that a reader may index without parsing. */
export function lineOf(head: RecordHead, payload: object): string {
  const { id, parent, ts, type, agent } = head;
  return `${JSON.stringify({ id, parent, ts, type, ...(agent !== undefined && { agent }), ...payload })}\n`;
}

const HEAD = /^\{"id":"([^"\\]+)","parent":(?:"([^"\\]+)"|null),"ts":(\d+),"type":"(\w+)"(?:,"agent":"([^"\\]+)")?[,}]/;

/** The longest head that is looked for; ids are short. */
export const HEAD_BYTES = 320;

/** The head of a line as `lineOf` writes it, or undefined for anything else. */
export function headOf(start: string): RecordHead | undefined {
  const match = HEAD.exec(start);
  if (!match) return undefined;
  const [, id = '', parent, ts, type = '', agent] = match;
  return { id, parent: parent ?? null, ts: Number(ts), type, ...(agent !== undefined && { agent }) };
}

const isString = (value: unknown): value is string => typeof value === 'string';
const fieldsOf = (value: unknown) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

function isPart(value: unknown): boolean {
  const { type, text, url } = fieldsOf(value);
  return (type === 'text' && isString(text)) || (type === 'image' && isString(url));
}

function isCall(value: unknown): boolean {
  const { id, name, arguments: args } = fieldsOf(value);
  return isString(id) && isString(name) && isString(args);
}

/** True for what a history may hold: damage that left JSON behind must not reach a request. */
function isMessage(value: unknown): value is Message {
  const { role, content, toolCalls = [], callId, name } = fieldsOf(value);
  if (role === 'user') return isString(content) || (Array.isArray(content) && content.every(isPart));
  if (!isString(content)) return false;
  if (role === 'assistant') return Array.isArray(toolCalls) && toolCalls.every(isCall);
  return role === 'system' || (role === 'tool' && isString(callId) && isString(name));
}

/** A parsed line as a record, or undefined where it is none. */
export function recordOf(value: unknown): SessionRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, parent, ts, type, agent, message } = value as Record<string, unknown>;
  if (type === 'message' && !isMessage(message)) return undefined;
  const isRecord =
    typeof id === 'string' &&
    typeof type === 'string' &&
    (parent === null || typeof parent === 'string') &&
    (agent === undefined || typeof agent === 'string');
  return isRecord ? ({ ...value, ts: typeof ts === 'number' ? ts : 0 } as SessionRecord) : undefined;
}
