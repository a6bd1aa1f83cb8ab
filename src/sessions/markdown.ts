/** A session as Markdown, for people: what was said, what was done, and by whom. */
import type { Failure } from '../errors.js';
import type { Message, ToolCall } from '../llm/messages.js';
import type { ChildRun, LoadedSession } from './load.js';
import type { SessionRecord } from './record.js';

export interface MarkdownOptions {
  /** The run id of a child, for its transcript; default: the conversation. */
  agent?: string;
  /** Everything in full, children's transcripts in their places; else results are shortened and children are named. */
  full?: boolean;
}

const SHOWN_LINES = 20;

/** A fence longer than any run of backticks inside. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function shortened(text: string, full: boolean): string {
  const lines = text.split('\n');
  if (full || lines.length <= SHOWN_LINES) return text;
  return [...lines.slice(0, SHOWN_LINES), `… ${lines.length - SHOWN_LINES} more lines`].join('\n');
}

function argumentsOf(call: ToolCall): string {
  return call.arguments.includes('\n') || call.arguments.length > 100 ? `\n${fenced(call.arguments, 'json')}` : ` \`${call.arguments}\``;
}

function contentOf(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  return message.content
    .map((part) => (part.type === 'text' ? part.text : `![picture](${part.url.startsWith('data:') ? 'data:…' : part.url})`))
    .join('\n');
}

const INTERRUPTED = { aborted: '*(stopped)*', error: '*(cut off by a failure)*', length: '*(cut off by the length limit)*' };

function messageText(message: Message, name: string, full: boolean): string[] {
  if (message.role === 'user') return [`## ${message.auto ? 'frost' : 'You'}\n\n${contentOf(message)}`];
  if (message.role === 'system') return [`## System\n\n${message.content}`];
  if (message.role === 'tool')
    return [`**${message.name}** ${message.isError ? 'failed' : 'gave'}:\n\n${fenced(shortened(message.content, full))}`];
  const said = message.content === '' ? [] : [`## ${name}\n\n${message.content}`];
  const calls = (message.toolCalls ?? []).map((call) => `**${call.name}** called with${argumentsOf(call)}`);
  return [...said, ...calls, ...(message.incomplete ? [INTERRUPTED[message.incomplete]] : [])];
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function runEndText(record: SessionRecord): string[] {
  const { outcome, error } = record as { outcome?: string; error?: Failure };
  return outcome === undefined || outcome === 'done' ? [] : [`*The run ended as ${outcome}${error ? `: ${error.message}` : '.'}*`];
}

class MarkdownWriter {
  readonly #session: LoadedSession;
  readonly #full: boolean;
  readonly #children: Map<string, ChildRun>;

  constructor(session: LoadedSession, full: boolean) {
    this.#session = session;
    this.#full = full;
    this.#children = new Map(session.children().map((child) => [child.run, child]));
  }

  heading(): string {
    const { header, title } = this.#session;
    const facts = [`Session \`${header.id}\``, `in \`${header.cwd}\``, `started ${new Date(header.created).toISOString()}`];
    return `# ${title ?? 'frost session'}\n\n${facts.join(', ')}.`;
  }

  *conversation(): Generator<string> {
    for (const record of this.#session.records(this.#session.pathTo())) yield* this.#record(record, 'frost');
  }

  *child(run: string): Generator<string> {
    const child = this.#children.get(run);
    if (!child) return;
    yield `## ${child.name} \`${run}\`\n\n${child.model} at ${child.host}, ${child.status ?? 'never ended'}.`;
    for (const record of this.#session.recordsOf(run)) if (record['run'] !== run) yield* this.#record(record, child.name);
  }

  *#record(record: SessionRecord, name: string): Generator<string> {
    if (record.message) yield* messageText(record.message, name, this.#full);
    else if (record.type === 'run_end') yield* runEndText(record);
    else if (record.type === 'compaction') yield `*The conversation so far was summarised:*\n\n${quoted(String(record['summary']))}`;
    else if (record.type === 'agent_start') yield* this.#delegation(String(record['run']));
  }

  *#delegation(run: string): Generator<string> {
    const child = this.#children.get(run);
    if (!child) return;
    if (this.#full) {
      for (const part of this.child(run)) yield quoted(part);
      return;
    }
    const where = `frost sessions show ${this.#session.header.id} --agent ${run}`;
    yield `*${child.name} was called: ${child.model} at ${child.host}, ${child.status ?? 'never ended'}. Its transcript: \`${where}\`*`;
  }
}

/** The pieces of a session's Markdown, each a paragraph or more. Records are read as they are needed. */
export function* markdownOf(session: LoadedSession, { agent, full = false }: MarkdownOptions = {}): Generator<string> {
  const writer = new MarkdownWriter(session, full);
  yield writer.heading();
  yield* agent === undefined ? writer.conversation() : writer.child(agent);
}
