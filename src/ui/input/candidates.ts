/** What a list under the prompt offers: commands, specialists, files. */
import { ranked } from './completion.js';

/** Rows of a list. */
export const MENU_SIZE = 8;

export interface Candidate {
  /** What is put into the text. */
  insert: string;
  /** What is shown and matched. */
  label: string;
  note?: string;
  /** False where nothing more is to be typed after it, so that Enter may send at once. */
  goesOn: boolean;
}

export interface CommandChoice {
  name: string;
  note?: string;
  /** True where the command takes more words. */
  takesMore?: boolean;
}

export interface AgentChoice {
  name: string;
  note?: string;
}

function named(sign: string, { name, note }: AgentChoice, goesOn: boolean): Candidate {
  const whole = sign + name;
  return { insert: whole, label: whole, goesOn, ...(note !== undefined && { note }) };
}

export function commandCandidates(commands: readonly CommandChoice[], query: string): Candidate[] {
  const found = ranked(commands, query, ({ name }) => name, MENU_SIZE);
  return found.map((command) => named('/', command, command.takesMore ?? false));
}

export function agentCandidates(agents: readonly AgentChoice[], query: string): Candidate[] {
  return ranked(agents, query, ({ name }) => name, MENU_SIZE).map((agent) => named('@', agent, true));
}

/** A path with spaces stands in quotes. */
export function pathCandidate(path: string): Candidate {
  return { insert: /[\s",;]/.test(path) ? `@"${path}"` : `@${path}`, label: path, goesOn: true };
}
