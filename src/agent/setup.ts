/** What one agent is made of, the main agent and a child alike; made by whoever wires the program. */
import type { JsonSchema, Model, ReasoningEffort } from '../llm/port.js';
import type { AgentProfile, Compaction, Limits } from '../profiles/profile.js';
import type { Specialist, SpecialistResult } from '../profiles/specialist.js';
import type { Tool } from '../profiles/tool.js';
import type { Roster } from '../tools/use-subagent.js';
import type { Price } from './bill.js';
import type { Budget } from './budget.js';
import type { Gate } from './gate.js';

/** The form an answer must have. */
export interface AnswerForm {
  output: 'text' | 'code' | 'json';
  schema?: JsonSchema;
}

export interface AgentSetup {
  /** `main`, or the specialist's name. */
  principal: string;
  model: Model;
  /** The variable that holds the key. */
  keyName?: string;
  price?: Price;
  /** Tokens that the model can take in. */
  contextWindow?: number;
  /** Asks the endpoint for `contextWindow`; once, and only when a history has grown. */
  findContextWindow?: () => Promise<number | undefined>;
  /** Another model at the same endpoint, with the same key. */
  modelNamed?: (name: string) => Model;
  system: string;
  /** Its own tools; use_subagent and task are added from `roster` and `withTask`. */
  tools: readonly Tool[];
  /** The tools that the model is told of; default: all. */
  offered?: (name: string) => boolean;
  roster: Roster;
  /** Whether it may start fresh copies of itself. */
  withTask: boolean;
  gate: Gate;
  limits: Limits;
  thinkingLevel?: ReasoningEffort;
  compaction: Compaction;
  /** Bounds of what is sent: messages, and characters of all messages. */
  context?: { maxMessages?: number; maxChars?: number };
  form?: AnswerForm;
}

/** Makes the setup of a specialist's child from its profile and its parent. Throws FrostError, naming the variable to set. */
export type SetupChild = (profile: AgentProfile, parent: AgentSetup) => Promise<AgentSetup>;

/** Who starts a child. */
export interface Parent {
  setup: AgentSetup;
  budget: Budget;
  signal: AbortSignal;
  /** 0 for the main agent. */
  depth: number;
  callId?: string;
  run?: string;
}

/** Starts children for an agent's tools. Never rejects: what goes wrong is in the result. */
export interface ChildStarter {
  /** Calls a specialist. */
  delegate(specialist: Specialist, task: string, parent: Parent): Promise<SpecialistResult>;
  /** A fresh child with the parent's whole configuration. */
  copy(prompt: string, parent: Parent): Promise<SpecialistResult>;
}
