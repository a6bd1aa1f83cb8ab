/** What a tool is, seen from the profile that lists it and from the loop that runs it. */
import type { ImagePart } from '../llm/messages.js';
import type { JsonSchema } from '../llm/port.js';
import type { Access } from '../permissions/access.js';
import type { MessagePart } from './message-parts.js';

/** What the loop hands to a running tool. */
export interface ToolContext {
  /** Aborted with the turn; a tool ends soon after. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The run id of the child that calls, or undefined in the main agent. */
  readonly agent?: string;
  /** Live output for the person (a `tool_update` event); the model does not see it. */
  update(text: string): void;
  /** Speaks to the person (a `said` event). */
  say(parts: MessagePart[], auto?: boolean): void;
  /** True where this assistant message already said something to the person. */
  hasSaid(): boolean;
}

/** What a person may want to see of a result, beside the text that the model gets. */
export type ToolDetails =
  | { kind: 'diff'; path: string; diff: string; added: number; removed: number }
  | { kind: 'command'; command: string; exitCode: number | null; signal?: string; log?: string }
  | { kind: 'file'; path: string; bytes: number; lines?: number }
  | { kind: 'agent'; run: string; name: string; status: string }
  | { kind: 'data'; data: unknown };

export interface ToolResult {
  /** For the model. Capped by the loop (64 KiB, head and tail). */
  text: string;
  isError?: boolean;
  details?: ToolDetails;
  images?: ImagePart[];
}

/** A tool of the registry: one file each in src/tools, or made by `defineTool` in a user's module. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments object; arguments are validated against it before `run`. */
  readonly parameters: JsonSchema;
  /** Accepts what models write in place of the schema's own names, before validation. */
  prepare?(args: Record<string, unknown>): Record<string, unknown>;
  /** What a call would do, or undefined for a tool that touches nothing outside frost. */
  access?(args: Record<string, unknown>): Access | Promise<Access>;
  /** A unified diff of what the call would change, shown with the question for permission. */
  preview?(args: Record<string, unknown>): Promise<string | undefined>;
  /** Changes what other calls may see: waits for the calls before it in the same message, and those after it wait for it. */
  readonly exclusive?: boolean;
  /** Runs agents, which end in order by themselves: a stopped call waits a moment for that, so that their end comes before its own. */
  readonly endsInOrder?: boolean;
  /** One short line for the screen, such as the path or the command. */
  summary?(args: Record<string, unknown>): string;
  /** Throwing is allowed: it becomes an error result. */
  run(args: Record<string, unknown>, context: ToolContext): Promise<ToolResult | string>;
}
