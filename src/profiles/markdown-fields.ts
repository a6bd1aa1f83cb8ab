/** The keys of a Markdown agent's front matter: other programs' names for them included, each checked with its line. */

import { closest } from '../text/closest.js';
import type { FrontMatterField } from '../text/front-matter.js';
import { readToolNames } from './markdown-tools.js';
import type { AgentProfileInput, Limits } from './profile.js';
import { PROFILE_TOOLS } from './tool-names.js';

/** `error`: the agent is not loaded. `warning`: something is not as written. `note`: a key that frost does not need. */
export type Severity = 'error' | 'warning' | 'note';

export type Report = (severity: Severity, line: number, message: string) => void;

/** What the front matter says, in a profile's own words; `subagents` are still names. */
export interface MarkdownDraft {
  input: Record<string, unknown> & Partial<AgentProfileInput>;
  subagents: { name: string; line: number }[];
  /** Line of each profile field. */
  lines: Map<string, number>;
}

interface Reading {
  draft: MarkdownDraft;
  /** Says what is wrong with the value, and that the agent does not load. */
  refuse(message: string): void;
  note(message: string): void;
  warn(message: string): void;
}

type Reader = (value: unknown, reading: Reading, field: string) => void;

const text: (name: keyof AgentProfileInput) => Reader =
  (name) =>
  (value, { draft, refuse }, field) => {
    if (typeof value === 'string' && value.trim() !== '') draft.input[name] = value.trim() as never;
    else refuse(`'${field}' must be a text that is not empty`);
  };

const limit: (name: keyof Limits, factor?: number) => Reader =
  (name, factor = 1) =>
  (value, { draft, refuse }, field) => {
    const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    const whole = name === 'turns' || name === 'tokens';
    if (typeof amount !== 'number' || !(amount > 0) || !Number.isFinite(amount) || (whole && !Number.isInteger(amount))) {
      refuse(`'${field}' must be a ${whole ? 'whole ' : ''}number above 0, not ${JSON.stringify(value)}`);
    } else {
      draft.input.limits = { ...draft.input.limits, [name]: amount * factor };
    }
  };

const EFFORTS: Record<string, string> = { max: 'xhigh', off: 'none' };

const READERS: Record<string, Reader> = {
  name: text('name'),
  description: text('description'),
  model: (value, reading, field) => {
    if (value === 'inherit') return;
    text('model')(value, reading, field);
    if (['sonnet', 'opus', 'haiku'].includes(String(value))) {
      reading.note(`the model name '${String(value)}' is sent to the endpoint as it is`);
    }
  },
  effort: (value, { draft }) => {
    draft.input.thinkingLevel = (EFFORTS[String(value)] ?? value) as never;
  },
  endpoint: text('endpoint'),
  apikeyenv: text('apiKeyEnv'),
  tools: (value, reading, field) => {
    const names = namesOf(value, reading, field);
    if (names) reading.draft.input.tools = chosen(names, reading);
  },
  disallowedtools: (value, reading, field) => {
    const names = namesOf(value, reading, field);
    if (!names) return;
    const denied = readToolNames(names.map((name) => name.replace(/\(.*$/, ''))).tools;
    const offered = reading.draft.input.tools ?? PROFILE_TOOLS;
    reading.draft.input.tools = offered.filter((tool) => typeof tool !== 'string' || !denied.includes(tool));
  },
  permissionmode: (value, { draft, note }) => {
    if (value === 'plan')
      draft.input.tools = (draft.input.tools ?? []).filter((tool) => typeof tool === 'string' && READ_ONLY.includes(tool));
    else note(`a specialist never has more rights than the main agent; permission mode '${String(value)}' is not needed`);
  },
  skills: (value, reading, field) => {
    const names = namesOf(value, reading, field);
    if (names) reading.draft.input.skills = names;
  },
  subagents: () => {},
  maxturns: limit('turns'),
  maxtokens: limit('tokens'),
  maxcost: limit('cost'),
  timeouts: limit('seconds'),
  timeoutmins: limit('seconds', 60),
  output: text('output'),
  schema: (value, { draft, refuse }) => {
    const schema = typeof value === 'string' ? parseJson(value) : value;
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) draft.input.schema = schema as Record<string, unknown>;
    else refuse("'schema' must be a JSON Schema object, in YAML or in JSON");
  },
  compaction: (value, { draft }) => {
    draft.input.compaction = value as never;
  },
};

const READ_ONLY = ['read_file', 'list_files', 'search_files'];

const ALIASES: Record<string, string> = {
  baseurl: 'endpoint',
  thinkinglevel: 'effort',
  reasoningeffort: 'effort',
  steps: 'maxturns',
  maxsteps: 'maxturns',
};

/** The profile field behind a key, for the line of an error that the definition itself reports. */
const FIELDS: Record<string, string> = {
  effort: 'thinkingLevel',
  apikeyenv: 'apiKeyEnv',
  disallowedtools: 'tools',
  maxturns: 'limits.turns',
  maxtokens: 'limits.tokens',
  maxcost: 'limits.cost',
  timeouts: 'limits.seconds',
  timeoutmins: 'limits.seconds',
};

/** As people write them; the spelling of a key is free in capitals, `_` and `-`. */
export const MARKDOWN_KEYS = [
  'name',
  'description',
  'tools',
  'disallowedTools',
  'model',
  'effort',
  'skills',
  'maxTurns',
  'endpoint',
  'api_key_env',
  'max_tokens',
  'max_cost',
  'timeout_s',
  'subagents',
  'output',
  'schema',
  'compaction',
] as const;

const NOT_NEEDED =
  'mcpServers hooks memory background isolation color initialPrompt kind temperature top_p mode hidden disable permission approvalMode version author license metadata provider'.split(
    ' ',
  );

/** Reads all keys; reports what is unknown or wrong. `tools` comes before what narrows it, wherever it stands. */
export function readMarkdownFields(fields: ReadonlyMap<string, FrontMatterField>, report: Report): MarkdownDraft {
  const draft: MarkdownDraft = { input: {}, subagents: [], lines: new Map() };
  const entries = [...fields].map(([field, { value, line }]) => ({ field, value, line, key: canonical(field) }));
  const order = (key: string) => (key === 'disallowedtools' ? 1 : key === 'permissionmode' ? 2 : 0);
  for (const { field, value, line, key } of entries.sort((a, b) => order(a.key) - order(b.key))) {
    const read = READERS[key];
    if (!read) {
      reportUnknown(field, key, line, report);
      continue;
    }
    draft.lines.set(FIELDS[key] ?? key, line);
    if (value === undefined) {
      report('warning', line, `'${field}' has no value`);
      continue;
    }
    const reading: Reading = {
      draft,
      refuse: (message) => report('error', line, message),
      warn: (message) => report('warning', line, message),
      note: (message) => report('note', line, message),
    };
    if (key === 'subagents') draft.subagents = (namesOf(value, reading, field) ?? []).map((name) => ({ name, line }));
    else read(value, reading, field);
  }
  return draft;
}

function canonical(field: string): string {
  const plain = field.toLowerCase().replace(/[-_]/g, '');
  return ALIASES[plain] ?? plain;
}

/** A near miss may be a limit or a denied tool that would silently not hold, so such an agent does not load. */
function reportUnknown(field: string, key: string, line: number, report: Report): void {
  const others = NOT_NEEDED.map(canonical);
  if (key === 'apikey') {
    report('error', line, "a file never holds a key: put it into a variable and give that variable's name as api_key_env");
  } else if (others.includes(key)) {
    report('note', line, `frost does not use '${field}'`);
  } else {
    const near = closest(field, MARKDOWN_KEYS);
    if (near) report('error', line, `unknown key '${field}'; did you mean '${near}'?`);
    else report('warning', line, `unknown key '${field}'. Keys: ${MARKDOWN_KEYS.join(', ')}`);
  }
}

/** A YAML list, or a text with commas outside of brackets. */
function namesOf(value: unknown, { refuse }: Reading, field: string): string[] | undefined {
  const list = typeof value === 'string' ? value.split(/,(?![^(]*\))/) : value;
  if (!Array.isArray(list) || list.some((name) => typeof name !== 'string')) {
    refuse(`'${field}' must be a list of names, or names with commas between them`);
    return undefined;
  }
  return list.map((name: string) => name.trim()).filter((name) => name !== '');
}

function chosen(names: string[], { warn, note }: Reading): string[] {
  const { tools, leftOut } = readToolNames(names);
  for (const { name, why, expected } of leftOut) {
    const message = `the tool '${name}' is left out: ${why}`;
    if (expected) note(message);
    else warn(message);
  }
  return tools;
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
