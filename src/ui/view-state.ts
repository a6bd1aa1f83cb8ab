/** What the chat knows, as plain data: the result of folding the event stream (view.ts). Times in ms, money in USD. */
import type { Outcome, PrincipalBill } from '../agent/events.js';
import type { Failure } from '../errors.js';
import type { Usage } from '../llm/port.js';
import type { Access } from '../permissions/access.js';
import type { MessagePart } from '../profiles/message-parts.js';
import type { ToolDetails } from '../profiles/tool.js';
import type { Cutter, Piece } from './blocks.js';

/** A finished part of the transcript. It goes to the scrollback once and never changes. */
export type Block =
  | { kind: 'user'; text: string; how?: 'steered' | 'delegated' }
  | { kind: 'answer'; piece: Piece }
  /** The whole answer has ended here; `incomplete` says that it was broken off. */
  | { kind: 'answer_end'; incomplete?: 'aborted' | 'error' | 'length' }
  | { kind: 'reasoning'; text: string; ms: number }
  | { kind: 'said'; parts: MessagePart[]; auto: boolean; speaker?: string }
  | { kind: 'tool'; tool: ToolRow }
  | { kind: 'agent'; row: ChildRow }
  | { kind: 'approval'; tool: string; access: Access; answer: string; agentName?: string; reason?: string }
  | { kind: 'compaction'; tokensBefore: number; tokensAfter?: number }
  | { kind: 'warning'; text: string; agentName?: string }
  | {
      kind: 'run_end';
      outcome: Outcome;
      ms: number;
      error?: Failure;
      limit?: string;
      principals: PrincipalBill[];
      cost?: number;
      usage?: Usage;
    }
  /** Something the chat itself says: the result of a command. */
  | { kind: 'notice'; text: string; tone?: 'plain' | 'good' | 'bad' | 'dim' }
  | { kind: 'diff'; diff: string }
  | { kind: 'shell'; command: string; output: string; exitCode: number | null; hidden: boolean };

export interface ToolRow {
  callId: string;
  name: string;
  summary: string;
  arguments: unknown;
  startedAt: number;
  /** The last line of live output. */
  update?: string;
  ok?: boolean;
  ms?: number;
  preview?: string;
  details?: ToolDetails;
}

/** What an agent does at this moment. */
export type Step =
  | { kind: 'idle' }
  | { kind: 'waiting' }
  | { kind: 'thinking' }
  | { kind: 'writing' }
  | { kind: 'tool'; name: string; summary: string }
  | { kind: 'approval'; tool: string }
  /** `attempt`: the one that comes next. */
  | { kind: 'retry'; attempt: number; maxAttempts: number; until: number; reason: string }
  | { kind: 'compacting' };

/** One agent's part of the screen: the main agent's, or a child's. */
export interface AgentView {
  readonly step: Step;
  readonly cutter: Cutter;
  readonly wroteText: boolean;
  readonly reasoning?: { text: string; startedAt: number };
  /** Calls that run now. */
  readonly tools: readonly ToolRow[];
  /** Finished, in order. The main agent's are taken away by `takeBlocks`; a child's stay for its transcript. */
  readonly blocks: readonly Block[];
}

/** Tokens and money so far; `unknown` where some request came without a price or without usage. */
export interface Spent {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly requests: number;
  readonly unknownCost: boolean;
}

/** A specialist at work, or done in this run. */
export interface ChildRow {
  readonly run: string;
  readonly parent?: string;
  readonly name: string;
  readonly task: string;
  readonly model: string;
  readonly host: string;
  readonly keyName?: string;
  readonly startedAt: number;
  readonly status: 'running' | Outcome;
  readonly ms?: number;
  readonly turns?: number;
  readonly error?: Failure;
  readonly text?: string;
  readonly spent: Spent;
  readonly view: AgentView;
}

export interface Approval {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  readonly access: Access;
  readonly reason: string;
  readonly rule?: string;
  readonly agentName?: string;
  readonly diff?: string;
}

export interface View {
  readonly session?: string;
  readonly model?: string;
  readonly host?: string;
  readonly running: boolean;
  readonly startedAt?: number;
  readonly main: AgentView;
  /** By run id, in the order in which they started; those of earlier runs stay for their transcripts. */
  readonly children: ReadonlyMap<string, ChildRow>;
  /** Run ids of the children of the run that goes on now, or of the last one. */
  readonly current: readonly string[];
  readonly approvals: readonly Approval[];
  /** Sent while a turn runs, not yet in the history. */
  readonly steering: readonly string[];
  readonly runSpent: Spent;
  readonly sessionSpent: Spent;
  /** What the session spent, by principal. */
  readonly byPrincipal: ReadonlyMap<string, Spent & { model: string; host: string }>;
  readonly contextTokens?: number;
  readonly contextWindow?: number;
  readonly lastEnd?: { outcome: Outcome; limit?: string; ms: number };
}

export const NOTHING_SPENT: Spent = { inputTokens: 0, outputTokens: 0, cost: 0, requests: 0, unknownCost: false };
