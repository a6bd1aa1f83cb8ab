/** What the chat needs of the program around it. Whoever starts the chat provides it; the screen knows no disk. */
import type { EventOf, EventSink, Outcome } from '../agent/events.js';
import type { ContentPart, Message } from '../llm/messages.js';
import type { ApprovalAnswer, PermissionMode } from '../permissions/access.js';
import type { Language } from './lang/lang.js';
import type { ThemeName } from './theme.js';

/** The agent as the screen uses it. */
export interface ChatAgent {
  readonly history: readonly Message[];
  readonly running: boolean;
  prompt(input: string | ContentPart[]): Promise<EventOf<'run_end'>>;
  delegate(name: string, task: string): Promise<EventOf<'run_end'>>;
  steer(text: string): void;
  takeBackSteer(): string | undefined;
  stop(): void;
  stopChild(run: string): void;
  answer(approval: string, answer: ApprovalAnswer): void;
  compact(): Promise<unknown>;
  /** Picks up agent files that were edited since the last run. */
  refresh(): Promise<unknown>;
  subscribe(sink: EventSink): () => void;
}

export interface SpecialistFacts {
  name: string;
  description: string;
  /** Absent where its own settings are not complete; `problem` says what is missing. */
  model?: string;
  host?: string;
  keyName?: string;
  problem?: string;
  tools: readonly string[];
}

export interface SessionFacts {
  id: string;
  name?: string;
  /** The first thing that was asked. */
  title: string;
  /** ms since the epoch. */
  changed: number;
  messages?: number;
}

export interface EarlierChild {
  run: string;
  parent?: string;
  name: string;
  task: string;
  model: string;
  host: string;
  status: Outcome;
  messages: readonly Message[];
}

export interface Backend {
  readonly version: string;
  readonly cwd: string;
  agent(): ChatAgent;
  /** The id of the session, or undefined where nothing is recorded. */
  session(): string | undefined;
  model(): { model: string; host: string };
  models(): Promise<string[]>;
  chooseModel(name: string): Promise<void>;
  specialists(): SpecialistFacts[];
  tools(): { name: string; description: string }[];
  mode(): PermissionMode;
  /** Throws FrostError where the mode is refused. */
  setMode(mode: PermissionMode): Promise<void>;
  trust(): { state: 'trusted' | 'untrusted' | 'changed' | 'nothing'; folder: string };
  /** Trusts the folder as it is now, or forgets it; what it sets counts from the next start on. */
  setTrust(trusted: boolean): Promise<void>;
  sessions(): Promise<SessionFacts[]>;
  /** Opens another session; its messages are the agent's history from now on. */
  open(id: string): Promise<void>;
  /** The last specialists that worked in this session before it was opened, oldest first. */
  earlierChildren(): Promise<EarlierChild[]>;
  /** Starts a new session. */
  fresh(): Promise<void>;
  /** A copy of this session goes on; the old one stays as it is. */
  fork(): Promise<void>;
  rename(name: string): Promise<void>;
  /** The messages of the person, oldest first: the number to give to `rewind`, and the text. */
  turns(): { index: number; text: string }[];
  /** Goes back to before message `index` of the history. */
  rewind(index: number): Promise<void>;
  /** Takes back the last change to files: the paths, or undefined where there is none. */
  undo(): Promise<string[] | undefined>;
  /** What changed in the files of this session, as a unified diff. */
  diff(): Promise<string>;
  writeFile(name: string, text: string): Promise<string>;
  /** Lines to show. */
  status(): Promise<string[]>;
  doctor(): Promise<string[]>;
  config(): Promise<string[]>;
  setTheme(theme: ThemeName): void;
  setLanguage(language: Language): void;
  /** Runs a command of the person's own in the folder. */
  shell(command: string, signal: AbortSignal): Promise<{ output: string; exitCode: number | null }>;
  /** Text as the model shall get it: `@path` becomes the file's content. */
  expand(text: string): Promise<string | ContentPart[]>;
  /** Files of the folder, for completion. */
  walk(): AsyncIterable<string>;
  /** Writes in the person's editor; undefined where that failed. */
  edit(text: string): Promise<string | undefined>;
  inputHistory(): Promise<string[]>;
  addInput(text: string): void;
}
