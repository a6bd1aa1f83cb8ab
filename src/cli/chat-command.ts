/** `frost` alone: the chat on a terminal, a sentence elsewhere. */
import type { Command } from 'commander';
import { isDumbTerminal } from '../config/terminal.js';
import { FrostError } from '../errors.js';
import { addSettingFlags, settingFlags } from './setting-flags.js';

export interface ChatFlags {
  continue?: boolean;
  session: string | boolean;
  resume?: boolean;
  demo?: boolean;
  screenReader?: boolean;
  agentFile?: string;
  envFile?: string;
  workspace?: string;
  tools: boolean;
  addDir: string[];
  allow: string[];
  deny: string[];
  yesFull?: boolean;
  [setting: string]: unknown;
}

const collect = (value: string, all: string[]) => [...all, value];

export function registerChat(program: Command): void {
  addSettingFlags(
    program
      .option('-c, --continue', 'go on with the last session of this folder')
      .option('-s, --session <id>', 'go on with this session')
      .option('--resume', 'choose a session to go on with')
      .option('--no-session', 'record nothing')
      .option('--demo', 'answer by a few rules inside frost: no network, no key')
      .option('--screen-reader', 'plain lines, no animation, speakers named in words')
      .option('--agent-file <path>', 'the main agent from a .ts, .js or .md file')
      .option('--env-file <file>', 'read variables from this file too')
      .option('--no-tools', 'offer no tools and no specialists')
      .option('--workspace <dir>', 'the folder that tools may see (default: this one)')
      .option('--add-dir <dir>', 'one more folder that tools may see (repeatable)', collect, [])
      .option('--allow <rule>', "let a call pass, such as 'run_command(git status*)' (repeatable)", collect, [])
      .option('--deny <rule>', 'never let a call pass (repeatable)', collect, [])
      .option('--yes-full', 'confirm --permission full for root outside a sandbox'),
  ).action(async (flags: ChatFlags) => {
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      throw new FrostError(
        'usage',
        'the chat needs a terminal on stdin and stdout. For one question: frost ask "…", also in a pipe: cat FILE | frost ask "…"',
      );
    }
    if (flags.continue && typeof flags.session === 'string') throw new FrostError('usage', '--continue and --session do not go together.');
    const settings = settingFlags(flags);
    if (isDumbTerminal()) await (await import('./chat-lines.js')).chatByLines(flags, settings);
    else await (await import('./chat.js')).chat(flags, settings);
  });
}
