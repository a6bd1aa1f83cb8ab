/** An agent profile: one specialist as a validated, frozen definition. */
import type { JsonSchema, ReasoningEffort } from '../llm/port.js';
import type { Tool } from './tool.js';

/** Bounds of one run; an absent field is no bound of its own. */
export interface Limits {
  /** Model requests. */
  turns?: number;
  /** Input and output tokens together. */
  tokens?: number;
  /** USD. */
  cost?: number;
  /** Wall time. */
  seconds?: number;
}

/** `false` switches compaction off. Tokens; `model` names the model that writes the summary. */
export type Compaction = false | { reserveTokens?: number; keepRecentTokens?: number; model?: string };

export interface AgentProfileInput {
  /** Stable and machine-friendly: a letter, then letters, digits, `_`, `-`; 64 characters at most. */
  name: string;
  /** Delegation guidance: when to call it, what answer to expect. Shown to the parent model. */
  description: string;
  instructions: string;
  model?: string;
  thinkingLevel?: ReasoningEffort;
  /** Base URL of an OpenAI-compatible endpoint. */
  endpoint?: string;
  /** Name of the variable that holds the key; default `<NAME>_API_KEY`. */
  apiKeyEnv?: string;
  /** Names of built-in tools, or tools made by `defineTool`. Omitted: none. */
  tools?: readonly (string | Tool)[];
  /** Names of skills. Omitted: none. */
  skills?: readonly string[];
  /** Omitted: none. */
  subagents?: readonly AgentProfile[];
  compaction?: Compaction;
  limits?: Limits;
  /** The form of the answer; `schema` goes with `json`. */
  output?: 'text' | 'code' | 'json';
  schema?: JsonSchema;
}

export interface AgentProfile extends Readonly<AgentProfileInput> {
  readonly tools: readonly (string | Tool)[];
  readonly skills: readonly string[];
  readonly subagents: readonly AgentProfile[];
  /** Where the definition came from, for people and for the credential rules. */
  readonly origin: ProfileOrigin;
}

export type ProfileOrigin = { level: 'builtin' | 'module' } | { level: 'user' | 'project'; file: string };
