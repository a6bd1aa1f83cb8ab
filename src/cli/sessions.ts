/** `frost sessions`: the recorded conversations, what was said in them, and what can be taken back. */
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { processEnvironment } from '../config/environment.js';
import { loadSettings, type Settings } from '../config/settings.js';
import { FrostError } from '../errors.js';
import type { SessionInfo } from '../sessions/list.js';
import type { ChildRun, LoadedSession } from '../sessions/load.js';
import { forTerminal, lineForTerminal } from '../text/sanitize.js';
import { Output } from './output.js';

/** What every one of these commands works with. */
interface Desk {
  settings: Settings;
  /** The folder of all sessions. */
  dir: string;
  cwd: string;
  output: Output;
  /** Writes to stdout; resolves when the reader can take more. Rejects when the reader has gone away. */
  print(text: string): Promise<void>;
  /** One line on stderr. */
  tell(line: string): void;
}

/** Does one command's work and lets both streams drain. */
async function atDesk(work: (desk: Desk) => Promise<void>): Promise<void> {
  const settings = loadSettings({ env: processEnvironment(), cwd: process.cwd() });
  const output = new Output(() => {});
  output.use(settings.mask);
  const tell = (line: string) => output.error(`frost: ${line}\n`);
  const print = async (text: string) => {
    if (output.broken) throw output.broken;
    output.write(text);
    await output.drained();
  };
  try {
    await work({ settings, dir: settings.paths.sessionsDir, cwd: process.cwd(), output, print, tell });
  } finally {
    await output.flush();
  }
  if (output.broken) throw output.broken;
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

async function list(desk: Desk, { all = false, json = false }: ListOptions): Promise<void> {
  const { listSessions } = await import('../sessions/list.js');
  const infos = listSessions(desk.dir, all ? undefined : desk.cwd);
  if (json) return desk.print(`${JSON.stringify(infos, null, 2)}\n`);
  if (infos.length > 0) return desk.print(infos.map((info) => `${listLine(info)}\n`).join(''));
  desk.tell(all ? 'There are no sessions yet.' : `No session was started in ${desk.cwd}. With --all: those of every folder.`);
}

/** The session that was named, or else the last one of this folder. */
async function open(desk: Desk, given: string | undefined): Promise<LoadedSession> {
  const { findSession, latestSession } = await import('../sessions/list.js');
  const { loadSession } = await import('../sessions/load.js');
  const id = given === undefined ? latestSession(desk.dir, desk.cwd) : findSession(desk.dir, given);
  if (id === undefined)
    throw new FrostError('input_missing', `No session was started in ${desk.cwd}. 'frost sessions list --all' shows the others.`);
  return loadSession(desk.dir, id);
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

async function show(desk: Desk, given: string | undefined, { agent, json = false }: ShowOptions): Promise<void> {
  const session = await open(desk, given);
  const child = agent === undefined ? undefined : childOf(session, agent);
  if (json) {
    const records = child ? session.recordsOf(child.run) : session.recordsAt();
    await desk.print(
      `${JSON.stringify({ ...session.header, ...(child ? { agent: child } : { agents: session.children() }), records }, null, 2)}\n`,
    );
  } else {
    await writeMarkdown(desk, session, child && { agent: child.run });
  }
  tellDamage(desk, session);
}

async function writeMarkdown(desk: Desk, session: LoadedSession, options: { agent?: string; full?: boolean } = {}): Promise<void> {
  const { markdownOf } = await import('../sessions/markdown.js');
  const clean = process.stdout.isTTY ? forTerminal : (text: string) => text;
  let isFirst = true;
  for (const piece of markdownOf(session, options)) {
    await desk.print(`${isFirst ? '' : '\n'}${clean(piece)}\n`);
    isFirst = false;
  }
}

function tellDamage(desk: Desk, session: LoadedSession): void {
  for (const warning of session.warnings) desk.tell(`${session.header.id}: ${warning}`);
}

interface ExportOptions {
  format: string;
  out?: string;
}

async function exportSession(desk: Desk, given: string | undefined, { format, out }: ExportOptions): Promise<void> {
  if (format !== 'md' && format !== 'json') throw new FrostError('usage', `There is no format ${format}: choose md or json.`);
  const session = await open(desk, given);
  const { markdownOf } = await import('../sessions/markdown.js');
  const text =
    format === 'md'
      ? `${[...markdownOf(session, { full: true })].join('\n\n')}\n`
      : `${JSON.stringify({ ...session.header, title: session.title, agents: session.children(), records: [...session.records()] }, null, 2)}\n`;
  if (out === undefined) await desk.print(text);
  else writeNew(out, text);
  tellDamage(desk, session);
}

function writeNew(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new FrostError('failed', `Cannot write ${file}: ${(error as Error).message}`, { file });
  }
}

async function remove(desk: Desk, given: readonly string[]): Promise<void> {
  const { findSession } = await import('../sessions/list.js');
  const { removeSession } = await import('../sessions/fork.js');
  const ids = given.map((part) => findSession(desk.dir, part));
  for (const id of ids) {
    removeSession(desk.dir, id);
    fs.rmSync(path.join(desk.settings.paths.stateDir, 'outputs', id), { recursive: true, force: true });
    desk.tell(`Deleted ${id}.`);
  }
}

async function undo(desk: Desk, given: string | undefined, { json = false }: { json?: boolean }): Promise<void> {
  const { header } = await open(desk, given);
  const { undoLastTurn } = await import('../sessions/undo.js');
  const result = undoLastTurn(desk.dir, header.id);
  if (json) await desk.print(`${JSON.stringify({ session: header.id, restored: [], refused: [], ...result }, null, 2)}\n`);
  else for (const file of result?.restored ?? []) await desk.print(`${lineForTerminal(file)}\n`);
  for (const { path: file, reason } of result?.refused ?? []) desk.tell(`${lineForTerminal(file)} is left as it is: ${reason}.`);
  if (!result) throw new FrostError('failed', `The session ${header.id} has no change of a file that could be taken back.`);
  if (result.refused.length > 0)
    throw new FrostError(
      'failed',
      `${result.refused.length} of ${result.refused.length + result.restored.length} files could not be taken back.`,
    );
}

async function rename(desk: Desk, given: string, title: string): Promise<void> {
  const { header } = await open(desk, given);
  const { openRecorder } = await import('../sessions/recorder.js');
  const recorder = openRecorder({
    dir: desk.dir,
    cwd: header.cwd,
    id: header.id,
    warn: (text) => {
      throw new FrostError('failed', text);
    },
  });
  recorder.rename(title);
  recorder.close();
}

/** Gives `frost sessions` its commands. Where a session may be left out, it is the last one of this folder. */
export function registerSessions(sessions: Command): void {
  sessions
    .command('list', { isDefault: true })
    .description('The sessions of this folder, the newest first')
    .option('--all', 'those of every folder')
    .option('--json', 'as one JSON array')
    .action((options: ListOptions) => atDesk((desk) => list(desk, options)));
  sessions
    .command('show')
    .argument('[id]', 'the session, or the beginning or end of its id')
    .description('What was said, as Markdown')
    .option('--agent <run>', "a child's own transcript, by its run id or name")
    .option('--json', 'the records, as one JSON object')
    .action((id: string | undefined, options: ShowOptions) => atDesk((desk) => show(desk, id, options)));
  sessions
    .command('export')
    .argument('[id]', 'the session')
    .description('Everything, children included')
    .option('--format <format>', 'md or json', 'md')
    .option('-o, --out <file>', 'write to this file')
    .action((id: string | undefined, options: ExportOptions) => atDesk((desk) => exportSession(desk, id, options)));
  sessions
    .command('rename')
    .argument('<id>', 'the session')
    .argument('<title>', 'its new name')
    .description('Give a session a name')
    .action((id: string, title: string) => atDesk((desk) => rename(desk, id, title)));
  sessions
    .command('rm')
    .argument('<id...>', 'the sessions')
    .description('Delete sessions with all that belongs to them')
    .action((ids: string[]) => atDesk((desk) => remove(desk, ids)));
  sessions
    .command('undo')
    .argument('[id]', 'the session')
    .description('Take back the changes to files of its last turn that made some')
    .option('--json', 'as one JSON object')
    .action((id: string | undefined, options: { json?: boolean }) => atDesk((desk) => undo(desk, id, options)));
}
