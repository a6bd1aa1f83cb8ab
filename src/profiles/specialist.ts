/** A specialist: a stateless function over a validated profile. All it needs comes in with the call. */
import type { Failure } from '../errors.js';
import type { Usage } from '../llm/port.js';
import type { AgentProfile } from './profile.js';

/** What a parent learns of a child's work. `failed`, `aborted` and `limit` always carry `error`; `done` never has an empty text. */
export interface SpecialistResult {
  run: string;
  name: string;
  status: 'done' | 'failed' | 'aborted' | 'limit';
  text: string;
  structured?: unknown;
  error?: Failure;
  usage?: Usage;
  cost?: number;
  ms: number;
  turns: number;
  truncated?: { path?: string; bytes: number };
}

/** Runs a profile on a task in a context of its own; given by whoever delegates. */
export type RunProfile = (profile: AgentProfile, task: string) => Promise<SpecialistResult>;

export interface Specialist {
  (task: string, run: RunProfile): Promise<SpecialistResult>;
  readonly profile: AgentProfile;
}

/** Turns a profile into a specialist. */
export function specialist(profile: AgentProfile): Specialist {
  return Object.freeze(Object.assign((task: string, run: RunProfile) => run(profile, task), { profile }));
}
