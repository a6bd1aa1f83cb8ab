/**
 * The model port: what the loop knows of a language model. An adapter never throws for provider trouble, it ends its
 * stream with a reason; the last event of every stream is `end`, exactly once.
 */
import type { Failure } from '../errors.js';
import type { AssistantMessage, Message } from './messages.js';

/** A JSON Schema object, as sent over the wire. */
export type JsonSchema = { [key: string]: unknown };

/** A tool as the model sees it. */
export interface ToolSchema {
  name: string;
  description: string;
  parameters: JsonSchema;
}

/** Tokens of one request, or a sum of several. A field the endpoint did not report is absent, never zero. */
export interface Usage {
  inputTokens?: number;
  /** The part of `inputTokens` that the endpoint served from its cache. */
  cachedTokens?: number;
  outputTokens?: number;
  /** The part of `outputTokens` spent on reasoning. */
  reasoningTokens?: number;
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly ToolSchema[];
  /** Reaches down to the socket: aborting closes it. */
  signal: AbortSignal;
  reasoningEffort?: ReasoningEffort;
  /** Asks the endpoint for JSON of this schema, where it can. */
  responseFormat?: { name: string; schema: JsonSchema };
  /** Tokens that the answer may take. */
  maxOutputTokens?: number;
}

export type EndReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'refusal' | 'error' | 'aborted';

export interface ModelEnd {
  type: 'end';
  reason: EndReason;
  /** What arrived, complete only for `stop` and `tool_calls`; otherwise `incomplete` is set and there are no half calls. */
  message: AssistantMessage;
  usage?: Usage;
  /** Present for `error`, `content_filter`, `refusal`, `length`. */
  error?: Failure;
  /** True where at least one byte of text or reasoning was passed on as an event. */
  textPassedOn: boolean;
}

/** Text deltas are batched: what one network read brought is one event. */
export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** A tool call has begun to arrive (its name is known), for a screen that wants to show it early. */
  | { type: 'tool_call'; name: string }
  | { type: 'retry'; attempt: number; maxAttempts: number; delayMs: number; reason: string; status?: number }
  | { type: 'warning'; code: string; text: string }
  /** A finished request to another model that this answer needed, such as one that sees images. USD. */
  | { type: 'helper'; model: string; host: string; usage?: Usage; cost?: number }
  | ModelEnd;

export interface Model {
  /** The model's name at its endpoint. */
  readonly name: string;
  /** Host and port of the endpoint, for people. */
  readonly host: string;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}
