/** The flags of `frost ask`, and what goes together. */
import { type Command, Option } from 'commander';
import { FrostError } from '../errors.js';
import { addSettingFlags, settingFlags } from './setting-flags.js';

export interface AskFlags {
  appendSystem?: string;
  file?: string[];
  agent?: string;
  agentFile?: string;
  output: 'text' | 'json' | 'stream-json';
  out?: string;
  code?: string | true;
  schema?: string;
  quiet?: boolean;
  verbose?: boolean;
  session: boolean | string;
  continue?: boolean;
  envFile?: string;
  tools: boolean;
  stdin: boolean;
  stdinWait: string;
  forceText?: boolean;
  dryRun?: boolean;
  demo?: boolean;
  allow?: string[];
  deny?: string[];
  addDir?: string[];
  workspace?: string;
  yesFull?: boolean;
  [setting: string]: unknown;
}

/** One checked call of `frost ask`. */
export interface AskRequest {
  flags: AskFlags;
  settings: ReturnType<typeof settingFlags>;
  /** The words of the prompt; empty where stdin is the prompt. */
  prompt: string;
  /** `-`: stdin is the prompt. */
  promptFromStdin: boolean;
  agent?: string;
  stdinWaitSeconds: number;
  /** `-x`: a code block of this language; an empty text for any. */
  code?: string;
}

const collect = (value: string, all: string[] = []) => [...all, value];

export function defineAsk(command: Command): Command {
  command
    .argument('[prompt...]', 'the question; - takes it from stdin')
    .option('-f, --file <path>', 'add a file to the question, text or image (repeatable)', collect)
    .option('--append-system <text>', 'add to the system prompt')
    .option('--agent <name>', 'straight to one specialist')
    .option('--agent-file <path>', 'the main agent from a .ts, .js or .md file')
    .addOption(new Option('--output <form>', 'what stdout gets').choices(['text', 'json', 'stream-json']).default('text'))
    .option('-o, --out <file>', 'write the answer to a file, all or nothing')
    .option('-x, --code [lang]', 'only the first code block (of a language)')
    .option('--schema <json>', 'JSON Schema of the answer: a file, or inline')
    .option('-c, --continue', 'go on with the last session of this folder')
    .option('-s, --session <id>', 'go on with this session')
    .option('--no-session', 'record nothing')
    .option('--env-file <file>', 'read variables from this file too')
    .option('--no-tools', 'offer no tools and no specialists')
    .option('--workspace <dir>', 'the folder that tools may see (default: this one)')
    .option('--add-dir <dir>', 'one more folder that tools may see (repeatable)', collect)
    .option('--allow <rule>', "let a call pass, such as 'run_command(git status*)' (repeatable)", collect)
    .option('--deny <rule>', 'never let a call pass (repeatable)', collect)
    .option('--yes-full', 'confirm --permission full for root outside a sandbox')
    .option('--no-stdin', 'do not read stdin')
    .option('--stdin-wait <seconds>', 'how long to wait for a stdin that a supervisor holds open', '1')
    .option('--force-text', 'take binary input as text')
    .option('--dry-run', 'print the request that would be sent, keys as names')
    .option('--demo', 'answer by a few rules inside frost: no network, no key')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'progress, usage and cost on stderr');
  addSettingFlags(command);
  return command;
}

/** `-x` takes a language only where it looks like one; else the word belongs to the prompt. */
function codeAndWords(words: string[], { code }: AskFlags): { code?: string; words: string[] } {
  if (code === undefined) return { words };
  if (code === true) return { code: '', words };
  const isLanguage = /^[\w+#.-]{1,20}$/.test(code) && words.length > 0;
  return isLanguage ? { code, words } : { code: '', words: [code, ...words] };
}

function refuseTogether(flags: AskFlags): void {
  const sessions = [
    flags.continue && '--continue',
    typeof flags.session === 'string' && '--session',
    flags.session === false && '--no-session',
  ].filter(Boolean);
  if (sessions.length > 1) throw new FrostError('usage', `${sessions.join(' and ')} do not go together.`);
  if (flags.schema !== undefined && flags.code !== undefined) throw new FrostError('usage', '--schema and --code do not go together.');
  if (flags.out !== undefined && flags.output !== 'text')
    throw new FrostError('usage', `--out and --output ${flags.output} do not go together.`);
  if (flags.quiet && flags.verbose) throw new FrostError('usage', '--quiet and --verbose do not go together.');
}

/** Throws FrostError `usage`. */
export function checkFlags(given: string[], flags: AskFlags): AskRequest {
  refuseTogether(flags);
  const { code, words } = codeAndWords(given, flags);
  const stdinWaitSeconds = Number(flags.stdinWait);
  if (!(stdinWaitSeconds >= 0)) throw new FrostError('usage', `--stdin-wait takes seconds, not «${flags.stdinWait}».`);
  const promptFromStdin = words.length === 1 && words[0] === '-';
  if (promptFromStdin && !flags.stdin) throw new FrostError('usage', '- and --no-stdin do not go together.');
  return {
    flags,
    settings: settingFlags(flags),
    prompt: promptFromStdin ? '' : words.join(' '),
    promptFromStdin,
    ...(flags.agent !== undefined && { agent: flags.agent }),
    stdinWaitSeconds,
    ...(code !== undefined && { code }),
  };
}
