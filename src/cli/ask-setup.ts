/** From the flags of `frost ask` to a wired agent. */
import type { AnswerForm } from '../agent/setup.js';
import { type Assembled, assemble } from '../assembly/assemble.js';
import type { SessionChoice } from '../assembly/session.js';
import { processEnvironment } from '../config/environment.js';
import { loadSettings, type Settings } from '../config/settings.js';
import { FrostError } from '../errors.js';
import type { Feedback } from '../print/feedback.js';
import type { AskFlags, AskRequest } from './ask-flags.js';
import { DryRun } from './dry-run.js';
import type { Output } from './output.js';

function sessionOf({ session, continue: goOn, dryRun }: AskFlags): SessionChoice {
  if (typeof session === 'string') return { kind: 'id', id: session };
  if (goOn) return { kind: 'latest' };
  return session === false || dryRun ? { kind: 'none' } : { kind: 'new' };
}

async function formOf({ schema }: AskFlags): Promise<AnswerForm | undefined> {
  if (schema === undefined) return undefined;
  const { readSchema } = await import('./schema-flag.js');
  return { output: 'json', schema: await readSchema(schema) };
}

async function settingsOf({ flags, settings }: AskRequest, feedback: Feedback): Promise<Settings> {
  const options = {
    env: processEnvironment(),
    cwd: process.cwd(),
    flags: settings,
    ...(flags.envFile !== undefined && { envFile: flags.envFile }),
  };
  if (!flags.demo) return loadSettings(options);
  const { startDemo, DEMO_NOTICE } = await import('../assembly/demo.js');
  feedback.warn(DEMO_NOTICE);
  return (await startDemo(options)).settings;
}

/** The main agent of `--agent-file`, where one is given. */
export async function definitionOf(path: string | undefined, settings: Settings, warn: (text: string) => void) {
  if (path === undefined) return {};
  const { definitionFrom } = await import('../assembly/agent-file.js');
  return { definition: await definitionFrom(path, { settings, cwd: process.cwd(), warn }) };
}

const CODE_INSTRUCTION = 'Put the code into one fenced code block with its language named.';

export async function assembleAsk(
  request: AskRequest,
  output: Output,
  feedback: Feedback,
  signal: AbortSignal,
): Promise<{ assembled: Assembled; dryRun?: DryRun }> {
  const { flags, code, agent } = request;
  const warn = (text: string) => feedback.warn(text);
  const settings = await settingsOf(request, feedback);
  output.use(settings.mask);
  if (settings.trust.hint) warn(settings.trust.hint);
  const form = await formOf(flags);
  const dryRun = flags.dryRun ? new DryRun() : undefined;
  const added = [flags.appendSystem, code !== undefined ? CODE_INSTRUCTION : undefined].filter(Boolean).join('\n\n');
  const assembled = await assemble({
    settings,
    cwd: process.cwd(),
    interactive: false,
    warn,
    notice: warn,
    signal,
    session: sessionOf(flags),
    ...(await definitionOf(flags.agentFile, settings, warn)),
    ...(added !== '' && { appendSystem: added }),
    noTools: !flags.tools,
    ...(form && { form }),
    permission: { allow: flags.allow ?? [], deny: flags.deny ?? [], confirmedFull: flags.yesFull ?? false },
    ...(flags.workspace !== undefined && { workspace: flags.workspace }),
    addDirs: flags.addDir ?? [],
    ...(dryRun && { wrapModel: (model, connection) => dryRun.model(model, connection) }),
    drained: output.drained,
    builtinsOnly: flags.demo ?? false,
    specialistOnly: agent !== undefined,
  });
  if (agent !== undefined && assembled.agent.setup.roster.size === 0)
    throw new FrostError('usage', '--agent and --no-tools do not go together.');
  return { assembled, ...(dryRun && { dryRun }) };
}
