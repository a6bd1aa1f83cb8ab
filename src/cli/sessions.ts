/** `frost sessions`: the recorded conversations, what was said in them, and what can be taken back. */
import fs from 'node:fs';
import type { Command } from 'commander';
import { FrostError } from '../errors.js';
import type { SessionInfo } from '../sessions/list.js';
import type { ChildRun, LoadedSession } from '../sessions/load.js';
import { forTerminal, lineForTerminal } from '../text/sanitize.js';

export interface SessionsPorts {
  /** The folder of all sessions. */
  dir(): string;
  cwd(): string;
  /** Writes to stdout; resolves when the reader can take more. */
  print(text: string): void | Promise<void>;
  /** One line on stderr. */
  tell(line: string): void;
  /** True where stdout is a terminal, which must be spared control characters. */
  isTerminal(): boolean;
}

interface ListOptions {
  all?: boolean;
  json?: boolean;
}

function when(ms: number): string {
  const date = new Date(ms);
  const local = new Date(ms - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace('T', ' ');
}

function listLine({ id, updated, title, firstPrompt, lastPrompt, problem }: SessionInfo): string {
  const what = problem ?? title ?? firstPrompt ?? lastPrompt ?? '';
  return `${id}  ${when(updated)}  ${lineForTerminal(what).slice(0, 100)}`;
}

async function list(ports: SessionsPorts, { all = false, json = false }: ListOptions): Promise<void> {
  const { listSessions } = await import('../sessions/list.js');
  const infos = listSessions(ports.dir(), all ? undefined : ports.cwd());
  if (json) return ports.print(`${JSON.stringify(infos, null, 2)}\n`);
  if (infos.length > 0) return ports.print(infos.map((info) => `${listLine(info)}\n`).join(''));
  ports.tell(all ? 'There are no sessions yet.' : `No session was started in ${ports.cwd()}. With --all: those of every folder.`);
}

/** The session that was named, or else the last one of this folder. */
async function open(ports: SessionsPorts, given: string | undefined): Promise<LoadedSession> {
  const { findSession, latestSession } = await import('../sessions/list.js');
  const { loadSession } = await import('../sessions/load.js');
  const id = given === undefined ? latestSession(ports.dir(), ports.cwd()) : findSession(ports.dir(), given);
  if (id === undefined)
    throw new FrostError('input_missing', `No session was started in ${ports.cwd()}. 'frost sessions list --all' shows the others.`);
  return loadSession(ports.dir(), id);
}

/** A child by its run id, the end of it, or its name, which stands for the last run of that name. */
function childOf(session: LoadedSession, given: string): ChildRun {
  const children = session.children();
  const exact = children.find(({ run }) => run === given);
  const named = children.findLast(({ name }) => name.toLowerCase() === given.toLowerCase());
  const ending = given.length >= 4 ? children.filter(({ run }) => run.endsWith(given)) : [];
  const child = exact ?? named ?? (ending.length === 1 ? ending[0] : undefined);
  if (child) return child;
  const names = children.map(({ run, name }) => `${name} ${run}`).join(', ') || 'none';
  throw new FrostError('input_missing', `The session ${session.header.id} has no child run ${given}. Its children: ${names}.`);
}

interface ShowOptions {
  agent?: string;
  json?: boolean;
}

async function show(ports: SessionsPorts, given: string | undefined, { agent, json = false }: ShowOptions): Promise<void> {
  const session = await open(ports, given);
  const child = agent === undefined ? undefined : childOf(session, agent);
  if (json) {
    const records = child ? session.recordsOf(child.run) : session.recordsAt();
    await ports.print(
      `${JSON.stringify({ ...session.header, ...(child ? { agent: child } : { agents: session.children() }), records }, null, 2)}\n`,
    );
  } else {
    await writeMarkdown(ports, session, child && { agent: child.run });
  }
  tellDamage(ports, session);
}

async function writeMarkdown(
  ports: SessionsPorts,
  session: LoadedSession,
  options: { agent?: string; full?: boolean } = {},
): Promise<void> {
  const { markdownOf } = await import('../sessions/markdown.js');
  const clean = ports.isTerminal() ? forTerminal : (text: string) => text;
  let isFirst = true;
  for (const piece of markdownOf(session, options)) {
    await ports.print(`${isFirst ? '' : '\n'}${clean(piece)}\n`);
    isFirst = false;
  }
}

function tellDamage(ports: SessionsPorts, session: LoadedSession): void {
  for (const warning of session.warnings) ports.tell(`${session.header.id}: ${warning}`);
}

interface ExportOptions {
  format: string;
  out?: string;
}

async function exportSession(ports: SessionsPorts, given: string | undefined, { format, out }: ExportOptions): Promise<void> {
  if (format !== 'md' && format !== 'json') throw new FrostError('usage', `There is no format ${format}: choose md or json.`);
  const session = await open(ports, given);
  const { markdownOf } = await import('../sessions/markdown.js');
  const text =
    format === 'md'
      ? `${[...markdownOf(session, { full: true })].join('\n\n')}\n`
      : `${JSON.stringify({ ...session.header, title: session.title, agents: session.children(), records: [...session.records()] }, null, 2)}\n`;
  if (out === undefined) await ports.print(text);
  else writeNew(out, text);
  tellDamage(ports, session);
}

function writeNew(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new FrostError('failed', `Cannot write ${file}: ${(error as Error).message}`, { file });
  }
}

async function remove(ports: SessionsPorts, given: readonly string[]): Promise<void> {
  const { findSession } = await import('../sessions/list.js');
  const { removeSession } = await import('../sessions/fork.js');
  const ids = given.map((part) => findSession(ports.dir(), part));
  for (const id of ids) {
    removeSession(ports.dir(), id);
    ports.tell(`Deleted ${id}.`);
  }
}

async function undo(ports: SessionsPorts, given: string | undefined, { json = false }: { json?: boolean }): Promise<void> {
  const { header } = await open(ports, given);
  const { undoLastTurn } = await import('../sessions/undo.js');
  const result = undoLastTurn(ports.dir(), header.id);
  if (json) await ports.print(`${JSON.stringify({ session: header.id, restored: [], refused: [], ...result }, null, 2)}\n`);
  else for (const file of result?.restored ?? []) await ports.print(`${lineForTerminal(file)}\n`);
  for (const { path, reason } of result?.refused ?? []) ports.tell(`${lineForTerminal(path)} is left as it is: ${reason}.`);
  if (!result) throw new FrostError('failed', `The session ${header.id} has no change of a file that could be taken back.`);
  if (result.refused.length > 0)
    throw new FrostError(
      'failed',
      `${result.refused.length} of ${result.refused.length + result.restored.length} files could not be taken back.`,
    );
}

/** Adds `frost sessions list|show|export|rename|rm|undo`. Where a session may be left out, it is the last one of this folder. */
export function registerSessions(program: Command, ports: SessionsPorts): void {
  const sessions = program.command('sessions').description('the recorded conversations');
  sessions
    .command('list', { isDefault: true })
    .description('the sessions of this folder, the newest first')
    .option('--all', 'those of every folder')
    .option('--json', 'as one JSON array')
    .action((options: ListOptions) => list(ports, options));
  sessions
    .command('show')
    .argument('[id]', 'the session, or the beginning or end of its id')
    .description('what was said, as Markdown')
    .option('--agent <run>', "a child's own transcript, by its run id or name")
    .option('--json', 'the records, as one JSON object')
    .action((id: string | undefined, options: ShowOptions) => show(ports, id, options));
  sessions
    .command('export')
    .argument('[id]', 'the session')
    .description('everything, children included')
    .option('--format <format>', 'md or json', 'md')
    .option('-o, --out <file>', 'write to this file')
    .action((id: string | undefined, options: ExportOptions) => exportSession(ports, id, options));
  sessions
    .command('rename')
    .argument('<id>', 'the session')
    .argument('<title>', 'its new name')
    .description('give a session a name')
    .action((id: string, title: string) => rename(ports, id, title));
  sessions
    .command('rm')
    .argument('<id...>', 'the sessions')
    .description('delete sessions with all that belongs to them')
    .action((ids: string[]) => remove(ports, ids));
  sessions
    .command('undo')
    .argument('[id]', 'the session')
    .description('take back the changes to files of its last turn that made some')
    .option('--json', 'as one JSON object')
    .action((id: string | undefined, options: { json?: boolean }) => undo(ports, id, options));
}

async function rename(ports: SessionsPorts, given: string, title: string): Promise<void> {
  const { header } = await open(ports, given);
  const { openRecorder } = await import('../sessions/recorder.js');
  const recorder = openRecorder({
    dir: ports.dir(),
    cwd: header.cwd,
    id: header.id,
    warn: (text) => {
      throw new FrostError('failed', text);
    },
  });
  recorder.rename(title);
  recorder.close();
}
