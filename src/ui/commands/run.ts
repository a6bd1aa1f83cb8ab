/** What was written at the prompt: a command, a shell line, or text for the agent. */
import { toFailure } from '../../errors.js';
import { closest } from '../../text/closest.js';
import type { Chat } from '../chat.js';
import { readSubmission } from '../input/submission.js';
import { COMMANDS, findCommand } from './table.js';

async function command(chat: Chat, name: string, argument: string): Promise<void> {
  const found = findCommand(name.toLowerCase());
  if (!found) {
    const near = closest(
      name,
      COMMANDS.filter(({ hidden }) => !hidden).map((one) => one.name),
    );
    return chat.notice(near ? chat.say('did.near', { name, near }) : chat.say('did.unknown', { name }), 'bad');
  }
  if (chat.backend.agent().running && !found.whileRunning) return chat.notice(chat.say('did.busy'), 'bad');
  try {
    await chat.turns.whileWorking(`/${found.name}`, async () => found.run(chat, argument));
  } catch (thrown) {
    chat.notice(chat.say('did.failed', { message: toFailure(thrown).message }), 'bad');
  }
}

async function shell(chat: Chat, line: string, hidden: boolean): Promise<void> {
  const controller = new AbortController();
  const work = async () => {
    const { output, exitCode } = await chat.backend.shell(line, controller.signal);
    chat.show({ kind: 'shell', command: line, output, exitCode, hidden });
    if (!hidden) chat.turns.addShellOutput(`$ ${line}\n${output}${exitCode === 0 ? '' : `\n(exit ${exitCode})`}`);
  };
  try {
    await chat.turns.whileWorking(`${hidden ? '!!' : '!'} ${line}`, work, () => controller.abort());
  } catch (thrown) {
    chat.notice(chat.say('did.failed', { message: toFailure(thrown).message }), 'bad');
  }
}

export async function runCommandLine(chat: Chat, text: string): Promise<void> {
  const meant = readSubmission(text);
  if (meant.kind === 'command') return command(chat, meant.name, meant.rest.trim());
  if (meant.kind === 'shell') return shell(chat, meant.command, meant.hidden);
  await chat.turns.send(meant.text);
}
