/** From the flags of the chat to a wired agent, asking the person where something is missing. */
import { type Assembled, assemble } from '../assembly/assemble.js';
import type { SessionChoice } from '../assembly/session.js';
import { processEnvironment } from '../config/environment.js';
import { folderEffects } from '../config/folder-summary.js';
import { cleanKey } from '../config/key-text.js';
import { Key, type Principal } from '../config/principal.js';
import { isUnconfigured, resolveMain } from '../config/principals.js';
import { type LoadOptions, loadSettings, type Settings } from '../config/settings.js';
import { trustFolder } from '../config/trust.js';
import { saveVariables } from '../config/user-files.js';
import { toFailure } from '../errors.js';
import type { EarlyQuestions } from '../ui/early.js';
import type { Say } from '../ui/lang/lang.js';
import { definitionOf } from './ask-setup.js';
import type { ChatFlags } from './chat-command.js';
import type { settingFlags } from './setting-flags.js';

/** How the person is asked; absent where nobody can be. */
export interface Asking {
  questions: EarlyQuestions;
  say: Say;
}

export interface ChatSetup {
  settings: Settings;
  flags: ChatFlags;
  /** Lines to show once the chat stands. */
  notices: string[];
  signal: AbortSignal;
}

type Flags = ReturnType<typeof settingFlags>;

function loadOptions(flags: ChatFlags, settings: Flags, trustOnce = false): LoadOptions {
  return {
    env: processEnvironment(),
    cwd: process.cwd(),
    flags: settings,
    ...(flags.envFile !== undefined && { envFile: flags.envFile }),
    ...(trustOnce && { trustOnce }),
  };
}

/** The settings before anybody was asked: for language and colours. */
export const firstSettings = (flags: ChatFlags, settings: Flags): Settings => loadSettings(loadOptions(flags, settings));

async function demoSettings(options: LoadOptions, notices: string[], notice: string): Promise<Settings> {
  const { startDemo } = await import('../assembly/demo.js');
  notices.push(notice);
  return (await startDemo(options)).settings;
}

/** What the folder would set is shown, and trusted, used once, or left. */
async function settleTrust(settings: Settings, { questions, say }: Asking): Promise<'reload' | 'once' | 'as it is'> {
  const { state, folder } = settings.trust;
  if (state !== 'untrusted' && state !== 'changed') return 'as it is';
  const { askForTrust } = await import('../ui/first-minute.js');
  const answer = await askForTrust(questions, { path: folder, changed: state === 'changed', effects: folderEffects(folder) }, say);
  if (answer === 'yes') trustFolder(settings.paths.trustFile, folder);
  return answer === 'yes' ? 'reload' : answer === 'once' ? 'once' : 'as it is';
}

/** Undefined where the person leaves. */
async function settleModel(
  settings: Settings,
  reload: () => Settings,
  demo: () => Promise<Settings>,
  asking: Asking,
): Promise<{ settings: Settings; server?: Server } | undefined> {
  if (!isUnconfigured(settings)) return { settings };
  const { discoverLocalServers } = await import('../llm/client.js');
  const servers = await discoverLocalServers(AbortSignal.timeout(2000), { timeoutMs: 300 });
  const { askHowToStart } = await import('../ui/first-minute.js');
  const { paths } = settings;
  const start = await askHowToStart(servers, {
    ...asking,
    envFile: paths.envFile,
    listModels: (endpoint, key) => listedModels(settings, endpoint, key),
  });
  if (!start) return undefined;
  if (start.kind === 'demo') return { settings: await demo() };
  if (start.kind === 'server') return { settings, server: start.server };
  saveVariables(paths, {
    UPSTREAM_ENDPOINT: start.endpoint,
    ...(start.key !== '' && { UPSTREAM_API_KEY: start.key }),
    MODEL_NAME: start.model,
  });
  asking.questions.tell(asking.say('setup.stored', { file: paths.envFile }));
  return { settings: reload() };
}

async function listedModels(
  settings: Settings,
  endpoint: string,
  value: string,
): Promise<{ ids: readonly string[] } | { problem: string }> {
  const { listModels } = await import('../llm/client.js');
  try {
    const key = value === '' ? {} : { key: new Key('UPSTREAM_API_KEY', cleanKey('UPSTREAM_API_KEY', value)) };
    settings.mask.add('UPSTREAM_API_KEY', value);
    const listed = await listModels({ principal: 'main', endpoint, ...key, proxy: settings.proxy }, AbortSignal.timeout(10_000));
    return 'ids' in listed ? listed : { problem: settings.mask.mask(listed.failure.message) };
  } catch (thrown) {
    return { problem: settings.mask.mask(toFailure(thrown).message) };
  }
}

interface Server {
  kind: string;
  endpoint: string;
  models: readonly string[];
}

/** Settings that have a model to talk to, and the folder's trust settled. Undefined where the person leaves. */
export async function prepareSettings(flags: ChatFlags, given: Flags, asking: Asking, signal: AbortSignal): Promise<ChatSetup | undefined> {
  const notices: string[] = [];
  const demo = () => demoSettings(loadOptions(flags, given), notices, asking.say('app.demo'));
  if (flags.demo) return { settings: await demo(), flags: { ...flags, demo: true }, notices, signal };
  const trust = await settleTrust(loadSettings(loadOptions(flags, given)), asking);
  const load = () => loadSettings(loadOptions(flags, given, trust === 'once'));
  const settled = await settleModel(load(), load, async () => demo(), asking);
  if (!settled) return undefined;
  const { settings, server } = settled;
  if (notices.length > 0) return { settings, flags: { ...flags, demo: true }, notices, signal };
  if (server) notices.push(asking.say('app.discovered', { kind: server.kind, host: new URL(server.endpoint).host }));
  const found = server ? { ...given, UPSTREAM_ENDPOINT: server.endpoint } : given;
  const withServer = server ? loadSettings(loadOptions(flags, found, trust === 'once')) : settings;
  const model = await chosenModel(withServer, flags, server?.models, asking, signal);
  if (model === undefined) return { settings: withServer, flags, notices, signal };
  const named = loadSettings(loadOptions(flags, { ...found, MODEL_NAME: model }, trust === 'once'));
  return { settings: named, flags, notices, signal };
}

/** No model is named and the endpoint has several: the person chooses. Undefined where there is nothing to choose. */
async function chosenModel(
  settings: Settings,
  { agentFile }: ChatFlags,
  known: readonly string[] | undefined,
  { questions, say }: Asking,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (agentFile !== undefined || settings.get('MODEL_NAME') !== undefined) return undefined;
  const main = resolveMain(settings);
  if (main.model !== undefined) return undefined;
  const ids = known ?? (await listedIds(settings, main, signal));
  if (ids.length < 2) return ids[0];
  const choices = ids.map((id) => ({ id, label: id }));
  return (await questions.pick(say('picker.models'), choices, true))?.id;
}

/** None where the endpoint does not say: the wiring explains that in full. */
async function listedIds(settings: Settings, main: Principal, signal: AbortSignal): Promise<readonly string[]> {
  const [{ listModels }, { connectionOf }] = await Promise.all([import('../llm/client.js'), import('../assembly/connections.js')]);
  const listed = await listModels(connectionOf(settings, main), signal);
  return 'ids' in listed ? listed.ids : [];
}

/** Settings without asking anybody: an untrusted folder is left unheard, and told of in one line. */
export async function plainSettings(flags: ChatFlags, given: Flags, tell: (text: string) => void): Promise<Settings> {
  const notices: string[] = [];
  const options = loadOptions(flags, given);
  const { DEMO_NOTICE } = await import('../assembly/demo.js');
  const settings = flags.demo ? await demoSettings(options, notices, DEMO_NOTICE) : loadSettings(options);
  for (const text of notices) tell(text);
  if (settings.trust.hint) tell(settings.trust.hint);
  return settings;
}

/** The session that the flags name. */
export function sessionOf({ session, continue: goOn }: ChatFlags): SessionChoice {
  if (typeof session === 'string') return { kind: 'id', id: session };
  if (goOn) return { kind: 'latest' };
  return session === false ? { kind: 'none' } : { kind: 'new' };
}

/** Wires the agent for a session. */
export async function assembleChat(
  { settings, flags, signal }: ChatSetup,
  session: SessionChoice,
  warn: (text: string) => void,
  interactive = true,
): Promise<Assembled> {
  return assemble({
    settings,
    cwd: process.cwd(),
    interactive,
    warn,
    notice: warn,
    signal,
    session: flags.session === false ? { kind: 'none' } : session,
    ...(await definitionOf(flags.agentFile, settings, warn)),
    noTools: !flags.tools,
    permission: { allow: flags.allow, deny: flags.deny, confirmedFull: flags.yesFull ?? false },
    ...(flags.workspace !== undefined && { workspace: flags.workspace }),
    addDirs: flags.addDir,
    builtinsOnly: flags.demo ?? false,
  });
}
