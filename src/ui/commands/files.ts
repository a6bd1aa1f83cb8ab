/** Commands about files and the clipboard. */
import type { AssistantMessage } from '../../llm/messages.js';
import { codeBlocks } from '../../text/code-blocks.js';
import type { Chat } from '../chat.js';
import { exportJson, exportMarkdown } from '../export.js';
import type { Command } from './command.js';

async function undo(chat: Chat): Promise<void> {
  const paths = await chat.backend.undo();
  chat.notice(paths ? chat.say('did.undone', { paths: paths.join(', ') }) : chat.say('did.nothingToUndo'), 'dim');
}

async function diff(chat: Chat): Promise<void> {
  const text = await chat.backend.diff();
  if (text.trim() === '') return chat.notice(chat.say('did.noDiff'), 'dim');
  chat.show({ kind: 'diff', diff: text });
}

function lastAnswer(chat: Chat): string | undefined {
  const messages = chat.backend.agent().history;
  const isAnswer = (message: (typeof messages)[number]): message is AssistantMessage =>
    message.role === 'assistant' && message.content !== '';
  return messages.findLast(isAnswer)?.content;
}

/** The last answer, or with `code` its last code block: as the model wrote it, whatever the screen did to it. */
function copy(chat: Chat, what: string): void {
  const answer = lastAnswer(chat);
  const text = what === 'code' ? codeBlocks(answer ?? '').at(-1)?.code : answer;
  if (!text) return chat.notice(chat.say('did.nothingToCopy'), 'dim');
  chat.toClipboard(text);
  chat.notice(chat.say('did.copied', { count: text.length }), 'dim');
}

async function write(chat: Chat, name: string): Promise<void> {
  const file = name === '' ? `frost-${chat.backend.session() ?? 'chat'}.md` : name;
  const { history } = chat.backend.agent();
  const text = file.endsWith('.json') ? exportJson(chat.backend.session(), history) : exportMarkdown(history, chat.say);
  chat.notice(chat.say('did.exported', { file: await chat.backend.writeFile(file, text) }), 'dim');
}

async function editor(chat: Chat): Promise<void> {
  const text = await chat.backend.edit(chat.prompt.text);
  if (text !== undefined) chat.prompt.set(text);
  chat.schedule('now');
}

export const FILES: readonly Command[] = [
  { name: 'undo', help: 'command.undo', run: undo },
  { name: 'diff', help: 'command.diff', whileRunning: true, run: diff },
  { name: 'copy', takes: '[code]', help: 'command.copy', whileRunning: true, run: copy },
  { name: 'export', takes: '[FILE]', help: 'command.export', whileRunning: true, run: write },
  { name: 'editor', help: 'command.editor', whileRunning: true, run: editor },
];
