/** Commands that change the conversation: sessions, going back, summaries. */

import { firstLine } from '../../text/truncate.js';
import type { Chat } from '../chat.js';
import { historyBlocks } from '../history-blocks.js';
import type { Command } from './command.js';

const count = (tokens: number) => new Intl.NumberFormat('en').format(tokens);

/** How much of an old session is shown again when it is opened, in messages. */
const SHOWN_MESSAGES = 30;

/** Opens a session and shows its last messages. */
export async function openSession(chat: Chat, id: string): Promise<void> {
  await chat.backend.open(id);
  chat.restart();
  await showHistory(chat);
}

export async function showHistory(chat: Chat): Promise<void> {
  const { history } = chat.backend.agent();
  const id = chat.backend.session() ?? '';
  chat.notice(chat.say('app.resumed', { id, count: history.filter(({ role }) => role !== 'system').length }), 'dim');
  chat.show(...historyBlocks(history, SHOWN_MESSAGES));
  await chat.recallChildren();
}

async function resume(chat: Chat, argument: string): Promise<void> {
  if (argument !== '') return openSession(chat, argument);
  const sessions = (await chat.backend.sessions()).filter(({ id }) => id !== chat.backend.session());
  if (sessions.length === 0) return chat.notice(chat.say('did.noSessions'), 'dim');
  const choices = sessions.map(({ id, name, title, changed, messages }) => ({
    id,
    label: name ?? firstLine(title || id, 80),
    note: `${when(changed)}${messages === undefined ? '' : ` · ${messages}`} · ${id}`,
  }));
  const chosen = await chat.pick(chat.say('picker.sessions'), choices);
  if (chosen) await openSession(chat, chosen.id);
}

const when = (ms: number): string => new Date(ms).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });

async function rewind(chat: Chat): Promise<void> {
  const turns = chat.backend.turns();
  if (turns.length === 0) return chat.notice(chat.say('did.nothingToRewind'), 'dim');
  const choices = turns.toReversed().map(({ index, text }) => ({ id: String(index), label: firstLine(text, 100) }));
  const chosen = await chat.pick(chat.say('picker.rewind'), choices);
  const turn = turns.find(({ index }) => String(index) === chosen?.id);
  if (!turn) return;
  await chat.backend.rewind(turn.index);
  chat.notice(chat.say('did.rewound', { text: firstLine(turn.text, 80) }), 'dim');
  chat.prompt.set(turn.text);
}

async function fresh(chat: Chat, key: 'did.new' | 'did.cleared'): Promise<void> {
  await chat.backend.fresh();
  chat.restart();
  chat.notice(chat.say(key, { id: chat.backend.session() ?? '-' }), 'dim');
}

async function fork(chat: Chat): Promise<void> {
  if (chat.backend.session() === undefined) return chat.notice(chat.say('did.notRecorded', { what: '/fork' }), 'bad');
  await chat.backend.fork();
  chat.follow();
  chat.notice(chat.say('did.forked', { id: chat.backend.session() ?? '-' }), 'dim');
}

async function rename(chat: Chat, name: string): Promise<void> {
  if (name === '') return chat.notice(chat.say('did.renameHow'), 'dim');
  if (chat.backend.session() === undefined) return chat.notice(chat.say('did.notRecorded', { what: '/rename' }), 'bad');
  await chat.backend.rename(name);
  chat.notice(chat.say('did.renamed', { name }), 'dim');
}

/** What was tried and failed has said so by itself. */
async function compact(chat: Chat): Promise<void> {
  const agent = chat.backend.agent();
  let isTold = false;
  const leave = agent.subscribe(({ type }) => {
    isTold ||= type === 'compaction' || type === 'warning';
  });
  await agent.compact();
  leave();
  if (!isTold) chat.notice(chat.say('did.nothingToCompact'), 'dim');
}

function context(chat: Chat): void {
  const { contextTokens, contextWindow } = chat.view;
  const chars = chat.backend.agent().history.reduce((sum, message) => sum + JSON.stringify(message.content).length, 0);
  const used = contextTokens ?? Math.ceil(chars / 4);
  if (!contextWindow) return chat.notice(chat.say('did.contextUnknown', { used: count(used) }));
  const percent = Math.round((used / contextWindow) * 100);
  chat.notice(chat.say('did.context', { used: count(used), window: count(contextWindow), percent }));
}

export const CONVERSATION: readonly Command[] = [
  { name: 'new', help: 'command.new', run: (chat) => fresh(chat, 'did.new') },
  { name: 'clear', help: 'command.clear', run: (chat) => fresh(chat, 'did.cleared') },
  { name: 'context', help: 'command.context', whileRunning: true, run: context },
  { name: 'compact', help: 'command.compact', run: compact },
  { name: 'rewind', help: 'command.rewind', run: rewind },
  { name: 'fork', help: 'command.fork', run: fork },
  { name: 'sessions', help: 'command.sessions', run: (chat) => resume(chat, '') },
  { name: 'resume', takes: '[ID]', help: 'command.resume', run: resume },
  { name: 'rename', takes: 'NAME', help: 'command.rename', run: rename },
];
