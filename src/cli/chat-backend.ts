/** The chat's side of a wired agent: sessions, models, permissions, files. One assembly at a time; another session is another one. */
import type { Outcome } from '../agent/events.js';
import { isSummary } from '../agent/summary.js';
import type { Assembled } from '../assembly/assemble.js';
import { connect, withEyes } from '../assembly/connections.js';
import { saveSetting } from '../config/user-files.js';
import { FrostError } from '../errors.js';
import { textOf } from '../llm/messages.js';
import type { PermissionMode } from '../permissions/access.js';
import type { Roster } from '../tools/use-subagent.js';
import type { Backend, ChatAgent, EarlierChild, SessionFacts, SpecialistFacts } from '../ui/backend.js';
import type { Language } from '../ui/lang/lang.js';
import type { ThemeName } from '../ui/theme.js';
import { factsOf, leafAt, statusLines } from './chat-facts.js';
import type { ChatFiles } from './chat-files.js';

/** Wires an agent for a session: a new one, or one that goes on. */
export type Assemble = (session: { kind: 'new' } | { kind: 'id'; id: string }) => Promise<Assembled>;

/** What is shown again of a session's specialists. */
const MOST_CHILDREN = 30;

const outcomeOf = (status: string | undefined): Outcome =>
  status === 'done' || status === 'failed' || status === 'limit' ? status : 'aborted';

export interface ChatBackendOptions {
  assembled: Assembled;
  assemble: Assemble;
  files: ChatFiles;
  version: string;
  cwd: string;
}

export class ChatBackend implements Backend {
  readonly version: string;
  readonly cwd: string;
  readonly #options: ChatBackendOptions;
  #now: Assembled;
  #model: { model: string; host: string };
  #specialists: { roster: Roster; facts: SpecialistFacts[] } | undefined;

  constructor(options: ChatBackendOptions) {
    this.#options = options;
    this.version = options.version;
    this.cwd = options.cwd;
    this.#now = options.assembled;
    this.#model = { model: options.assembled.main.model, host: options.assembled.main.host };
  }

  agent(): ChatAgent {
    return this.#now.agent;
  }

  session(): string | undefined {
    return this.#now.recorder?.id;
  }

  /** Whether there is something to come back to. */
  isSaved(): boolean {
    return this.#now.recorder?.saving === true && this.#now.recorder.leaf !== null;
  }

  model(): { model: string; host: string } {
    return this.#model;
  }

  async models(): Promise<string[]> {
    const { listModels } = await import('../llm/client.js');
    const { connectionOf } = await import('../assembly/connections.js');
    const listed = await listModels(connectionOf(this.#now.settings, this.#now.main), AbortSignal.timeout(10_000));
    if ('failure' in listed) throw new FrostError(listed.failure.kind, listed.failure.message);
    return listed.ids;
  }

  async chooseModel(name: string): Promise<void> {
    const { agent, settings, main } = this.#now;
    const chosen = { ...main, model: name };
    agent.setup = {
      ...agent.setup,
      ...withEyes(
        settings,
        chosen,
        connect(settings, chosen, (model) => model),
      ),
    };
    this.#model = { model: name, host: main.host };
  }

  /** Who can be called, with the model, endpoint and key that each would use. */
  specialists(): SpecialistFacts[] {
    const { agent, main, settings } = this.#now;
    const { roster } = agent.setup;
    if (this.#specialists?.roster === roster) return this.#specialists.facts;
    const facts = [...roster.values()].map(({ profile }) => factsOf(profile, settings, main));
    this.#specialists = { roster, facts };
    return facts;
  }

  tools(): { name: string; description: string }[] {
    const { tools, roster, withTask, offered } = this.#now.agent.setup;
    const own = tools.filter(({ name }) => offered?.(name) ?? true).map(({ name, description }) => ({ name, description }));
    const delegating = [...(roster.size > 0 ? ['use_subagent'] : []), ...(withTask ? ['task'] : [])];
    return [...own, ...delegating.map((name) => ({ name, description: [...roster.keys()].join(', ') }))];
  }

  mode(): PermissionMode {
    return this.#now.workspace.gate.mode;
  }

  async setMode(mode: PermissionMode): Promise<void> {
    const { agent, workspace } = this.#now;
    await workspace.setMode(mode);
    const { offered } = agent.setup;
    const tools = new Set(workspace.all.map(({ name }) => name));
    agent.setup = { ...agent.setup, offered: (name) => (tools.has(name) ? workspace.offers(name, mode) : (offered?.(name) ?? true)) };
  }

  trust(): ReturnType<Backend['trust']> {
    const { state, folder } = this.#now.settings.trust;
    return { state, folder };
  }

  async setTrust(trusted: boolean): Promise<void> {
    const { paths, trust } = this.#now.settings;
    const { trustFolder, revokeTrust } = await import('../config/trust.js');
    if (trusted) trustFolder(paths.trustFile, trust.folder);
    else revokeTrust(paths.trustFile, trust.folder);
  }

  async sessions(): Promise<SessionFacts[]> {
    const { listSessions } = await import('../sessions/list.js');
    return listSessions(this.#now.settings.paths.sessionsDir, this.cwd)
      .filter(({ problem }) => problem === undefined)
      .map(({ id, title, firstPrompt, updated }) => ({
        id,
        title: firstPrompt ?? '',
        changed: updated,
        ...(title !== undefined && { name: title }),
      }));
  }

  async open(id: string): Promise<void> {
    const { findSession } = await import('../sessions/list.js');
    const found = findSession(this.#now.settings.paths.sessionsDir, id);
    if (found === this.session()) return;
    await this.#switch({ kind: 'id', id: found });
  }

  async earlierChildren(): Promise<EarlierChild[]> {
    const { recorder, settings } = this.#now;
    if (!recorder?.saving) return [];
    const { loadSession } = await import('../sessions/load.js');
    const session = loadSession(settings.paths.sessionsDir, recorder.id);
    return session
      .children()
      .slice(-MOST_CHILDREN)
      .map(({ started: _, status, ...child }) => ({ ...child, status: outcomeOf(status), messages: session.messagesOf(child.run) }));
  }

  fresh(): Promise<void> {
    return this.#switch({ kind: 'new' });
  }

  async fork(): Promise<void> {
    const recorder = this.#recorder();
    const { forkSession } = await import('../sessions/fork.js');
    await this.#switch({ kind: 'id', id: forkSession(this.#now.settings.paths.sessionsDir, recorder.id) });
  }

  /** The other one is opened first: where that fails, this one goes on. */
  async #switch(session: Parameters<Assemble>[0]): Promise<void> {
    const mode = this.mode();
    const next = await this.#options.assemble(session);
    this.#now.close();
    this.#now = next;
    await this.setMode(mode);
    this.#model = { model: next.main.model, host: next.main.host };
  }

  #recorder(): NonNullable<Assembled['recorder']> {
    const { recorder } = this.#now;
    if (!recorder?.saving) throw new FrostError('usage', 'This session is not recorded.');
    return recorder;
  }

  async rename(name: string): Promise<void> {
    this.#recorder().rename(name);
  }

  turns(): { index: number; text: string }[] {
    return this.#now.agent.history.flatMap((message, index) =>
      message.role === 'user' && !message.auto && !isSummary(message) ? [{ index, text: textOf(message) }] : [],
    );
  }

  async rewind(index: number): Promise<void> {
    const { agent, recorder, settings } = this.#now;
    const kept = agent.history.slice(0, index);
    if (recorder?.saving) {
      const { loadSession } = await import('../sessions/load.js');
      recorder.rewind(leafAt(loadSession(settings.paths.sessionsDir, recorder.id), agent.history.slice(index)));
    }
    agent.setHistory(kept);
  }

  async undo(): Promise<string[] | undefined> {
    const result = await this.#now.undo?.undo();
    if (!result) return undefined;
    const refused = result.refused.map(({ path, reason }) => `${path}: ${reason}`);
    if (result.restored.length === 0 && refused.length > 0) throw new FrostError('failed', refused.join('; '));
    return [...result.restored, ...refused];
  }

  diff(): Promise<string> {
    return this.#options.files.diff();
  }

  writeFile(name: string, text: string): Promise<string> {
    return this.#options.files.write(name, this.#now.settings.mask.mask(text));
  }

  async status(): Promise<string[]> {
    return statusLines(this.#now, this.#model.model, this.specialists());
  }

  async doctor(): Promise<string[]> {
    const lines = await this.#options.files.frost(['doctor']);
    // It runs without this terminal, and would say that there is none.
    return lines.filter((line) => !/^\s+\w+\s+terminal\s/.test(line));
  }

  config(): Promise<string[]> {
    return this.#options.files.frost(['config']);
  }

  setTheme(theme: ThemeName): void {
    saveSetting(this.#now.settings.paths, 'FROST_THEME', theme);
  }

  setLanguage(language: Language): void {
    saveSetting(this.#now.settings.paths, 'FROST_LANG', language);
  }

  shell(command: string, signal: AbortSignal): ReturnType<Backend['shell']> {
    return this.#options.files.shell(command, signal);
  }

  expand(text: string): ReturnType<Backend['expand']> {
    return this.#options.files.expand(text);
  }

  walk(): AsyncIterable<string> {
    return this.#options.files.walk();
  }

  edit(text: string): Promise<string | undefined> {
    return this.#options.files.edit(text);
  }

  inputHistory(): Promise<string[]> {
    return this.#options.files.inputHistory();
  }

  addInput(text: string): void {
    this.#options.files.addInput(text);
  }

  close(): void {
    this.#now.close();
  }
}
