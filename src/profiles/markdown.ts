/** Agents as Markdown files: front matter for the definition, the body as instructions. */
import fs from 'node:fs';
import path from 'node:path';
import { specialistVariable } from '../config/table.js';
import { FrostError } from '../errors.js';
import { readFrontMatter } from '../text/front-matter.js';
import { defineAgentProfile } from './define.js';
import { type MarkdownDraft, readMarkdownFields, type Severity } from './markdown-fields.js';
import type { AgentProfile, AgentProfileInput } from './profile.js';

export interface MarkdownProblem {
  file: string;
  line: number;
  message: string;
  severity: Severity;
}

export interface MarkdownFolders {
  /** The user's own folder. Its agents may replace built-in ones. */
  userDir: string;
  /** Folders of the project, strongest first. */
  projectDirs: readonly string[];
  /** Whether a project's file may speak: only as it was when the folder was trusted. Any other is not even read. */
  allows: (file: string) => boolean;
  /** Specialists that come with frost, which `subagents` may name too. */
  builtins?: readonly AgentProfile[];
  /** True for a variable whose value comes from outside of the project; a project's file may not name it. */
  isUserVariable?: (name: string) => boolean;
}

export interface MarkdownAgents {
  /** In the order of their folders and file names, each name once. */
  profiles: readonly AgentProfile[];
  problems: readonly MarkdownProblem[];
}

interface Draft extends MarkdownDraft {
  name: string;
  file: string;
  level: 'user' | 'project';
}

const MAX_BYTES = 256 * 1024;

/** Two names of one variable are one agent: `Coder` and `coder` would share a key. */
const keyOf = (name: string) => specialistVariable(name, 'API_KEY');

/**
 * Reads all agent files. A file that is wrong is reported and left out, the others load. A Markdown file without front matter,
 * or without a `name` in it, is documentation.
 */
export async function loadMarkdownAgents(folders: MarkdownFolders): Promise<MarkdownAgents> {
  const problems: MarkdownProblem[] = [];
  const drafts: Draft[] = [];
  for (const { file, level } of agentFiles(folders)) {
    const draft = await readDraft(file, level, problems);
    if (draft && mayJoin(draft, drafts, folders, problems)) drafts.push(draft);
  }
  return { profiles: new Resolver(drafts, folders.builtins ?? [], problems).all(), problems };
}

/** The agents of frost's own map and of files as one list: a user's file takes the place of the built-in of its name. */
export function mergeAgents(builtins: readonly AgentProfile[], loaded: readonly AgentProfile[]): AgentProfile[] {
  const replaced = new Map(loaded.map((profile) => [keyOf(profile.name), profile]));
  const kept = builtins.map((builtin) => {
    const key = keyOf(builtin.name);
    const profile = replaced.get(key) ?? builtin;
    replaced.delete(key);
    return profile;
  });
  return [...kept, ...replaced.values()];
}

/** Every agent file with its folder's level, in order. */
export function agentFiles({ userDir, projectDirs, allows }: MarkdownFolders): { file: string; level: 'user' | 'project' }[] {
  const user = markdownIn(userDir).map((file) => ({ file, level: 'user' as const }));
  const project = projectDirs
    .flatMap(markdownIn)
    .filter(allows)
    .map((file) => ({ file, level: 'project' as const }));
  return [...user, ...project];
}

function markdownIn(folder: string): string[] {
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => /\.md$/i.test(name) && !name.startsWith('.'))
    .sort()
    .map((name) => path.join(folder, name));
}

async function readDraft(file: string, level: Draft['level'], problems: MarkdownProblem[]): Promise<Draft | undefined> {
  let failed = false;
  const report = (severity: Severity, line: number, message: string) => {
    failed ||= severity === 'error';
    problems.push({ file, line, message, severity });
  };
  const source = readText(file, report);
  const matter = source === undefined ? undefined : await readFrontMatter(source);
  if (!matter) return undefined;
  if (matter.problem) {
    report('error', matter.problem.line, matter.problem.message);
    return undefined;
  }
  if (matter.fields.get('name')?.value === undefined) return undefined;
  const draft = readMarkdownFields(matter.fields, report);
  if (matter.body === '') report('error', 1, 'the file has no text below the front matter: that text is the agent’s instructions');
  if (failed) return undefined;
  draft.input.instructions = matter.body;
  return { ...draft, name: String(draft.input.name), file, level };
}

function readText(file: string, report: (severity: Severity, line: number, message: string) => void): string | undefined {
  try {
    if (fs.statSync(file).size <= MAX_BYTES) return fs.readFileSync(file, 'utf8');
    report('error', 1, `the file is larger than ${MAX_BYTES / 1024} KiB`);
  } catch (error) {
    report('error', 1, `the file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return undefined;
}

/** A project adds agents; it never takes the name of one that the user has already. */
function mayJoin(draft: Draft, drafts: readonly Draft[], folders: MarkdownFolders, problems: MarkdownProblem[]): boolean {
  const { file, level, lines, input } = draft;
  const refuse = (field: string, message: string) => {
    problems.push({ file, line: lines.get(field) ?? 1, message, severity: 'error' });
    return false;
  };
  const same = (name: string) => keyOf(name) === keyOf(draft.name);
  const twin = drafts.find((other) => same(other.name));
  if (twin) return refuse('name', `'${draft.name}' is defined in ${twin.file} already; this file is left out`);
  if (level === 'project' && folders.builtins?.some(({ name }) => same(name))) {
    return refuse('name', `a project's file cannot replace the built-in agent '${draft.name}'; choose another name`);
  }
  const { apiKeyEnv } = input;
  if (level === 'project' && apiKeyEnv && folders.isUserVariable?.(apiKeyEnv)) {
    return refuse(
      'apiKeyEnv',
      `a project's file cannot use ${apiKeyEnv}, which is set outside of this project; set a key of its own in the project's .env`,
    );
  }
  return true;
}

/** Turns drafts into profiles, subagents first. */
class Resolver {
  readonly #done = new Map<Draft, AgentProfile | undefined>();

  constructor(
    readonly drafts: readonly Draft[],
    readonly builtins: readonly AgentProfile[],
    readonly problems: MarkdownProblem[],
  ) {}

  all(): AgentProfile[] {
    return this.drafts.map((draft) => this.#build(draft, [])).filter((profile) => profile !== undefined);
  }

  #build(draft: Draft, trail: readonly Draft[]): AgentProfile | undefined {
    if (!this.#done.has(draft)) this.#done.set(draft, this.#define(draft, [...trail, draft]));
    return this.#done.get(draft);
  }

  #define(draft: Draft, trail: readonly Draft[]): AgentProfile | undefined {
    const { file, level, input, lines } = draft;
    try {
      const subagents = draft.subagents.map(({ name, line }) => this.#subagent(name, line, draft, trail));
      return defineAgentProfile({ ...input, subagents } as AgentProfileInput, { level, file });
    } catch (error) {
      if (!(error instanceof FrostError)) throw error;
      const { field, line } = error.facts;
      this.problems.push({ file, line: Number(line ?? lines.get(String(field)) ?? 1), message: error.message, severity: 'error' });
      return undefined;
    }
  }

  /** A user's agent sees the user's and the built-in ones only, so that no project can put itself below it. */
  #subagent(name: string, line: number, parent: Draft, trail: readonly Draft[]): AgentProfile {
    const fail = (message: string) => {
      throw new FrostError('config', message, { line });
    };
    const visible = this.drafts.filter(({ level }) => parent.level === 'project' || level === 'user');
    const draft = visible.find((other) => other.name === name);
    if (!draft) {
      const names = [...visible.map((other) => other.name), ...this.builtins.map((builtin) => builtin.name)].filter(
        (other) => other !== parent.name,
      );
      return (
        this.builtins.find((builtin) => builtin.name === name) ??
        fail(`there is no agent '${name}' for 'subagents'. Agents: ${names.join(', ') || 'none'}`)
      );
    }
    if (trail.includes(draft)) {
      const circle = [...trail.slice(trail.indexOf(draft)), draft].map((other) => other.name);
      fail(`its subagents lead back to itself (${circle.join(' → ')})`);
    }
    return this.#build(draft, trail) ?? fail(`its subagent '${name}' did not load`);
  }
}
