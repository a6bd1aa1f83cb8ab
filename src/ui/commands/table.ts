/** The one table of commands: the prompt completes from it, `/help` is written from it. */
import { AGENTS } from './agents.js';
import type { Command } from './command.js';
import { CONVERSATION } from './conversation.js';
import { FILES } from './files.js';
import { helpText } from './help.js';
import { SETUP } from './setup.js';

const help: Command = {
  name: 'help',
  help: 'command.help',
  whileRunning: true,
  run: (chat) => chat.notice(helpText(COMMANDS, chat.say)),
};

const quit: Command = { name: 'quit', help: 'command.quit', whileRunning: true, run: (chat) => chat.leave() };

export const COMMANDS: readonly Command[] = [help, ...CONVERSATION, ...AGENTS, ...FILES, ...SETUP, quit];

/** Other names that people try. */
const ALIASES: Record<string, string> = { exit: 'quit', q: 'quit', '?': 'help', continue: 'resume', models: 'model', language: 'lang' };

export function findCommand(name: string): Command | undefined {
  const wanted = ALIASES[name] ?? name;
  return COMMANDS.find((command) => command.name === wanted);
}
