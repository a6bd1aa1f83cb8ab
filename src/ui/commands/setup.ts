/** Commands about frost itself. */
import type { Chat } from '../chat.js';
import { LANGUAGES, languageOf, sayIn } from '../lang/lang.js';
import { isThemeName, THEMES } from '../theme.js';
import type { Command } from './command.js';

async function trust(chat: Chat, answer: string): Promise<void> {
  if (answer === 'yes' || answer === 'no') {
    await chat.backend.setTrust(answer === 'yes');
    return chat.notice(chat.say(answer === 'yes' ? 'did.trusted' : 'did.untrusted', { folder: chat.backend.trust().folder }), 'dim');
  }
  const { state, folder } = chat.backend.trust();
  chat.notice(chat.say('did.trust', { folder, state: chat.say(`status.${state}`) }));
}

const lines = (read: (chat: Chat) => Promise<string[]>) => async (chat: Chat) => chat.notice((await read(chat)).join('\n'));

function theme(chat: Chat, name: string): void {
  if (!isThemeName(name)) return chat.notice(chat.say('did.themes', { name: chat.looks.theme, names: THEMES.join(', ') }));
  chat.looks = { ...chat.looks, theme: name };
  chat.backend.setTheme(name);
  chat.notice(chat.say('did.theme', { name }), 'dim');
}

function lang(chat: Chat, name: string): void {
  const language = LANGUAGES.find((one) => one === name);
  if (!language) return chat.notice(chat.say('did.langs'));
  chat.looks = { ...chat.looks, language: languageOf(language) };
  chat.backend.setLanguage(language);
  chat.notice(sayIn(language)('did.lang'), 'dim');
}

async function status(chat: Chat): Promise<void> {
  const { state, folder } = chat.backend.trust();
  const facts = await chat.backend.status();
  chat.notice([...facts, `${folder}: ${chat.say(`status.${state}`)}`].join('\n'));
}

/** Reasoning, tool results and arguments of the last turn in full. */
function unfold(chat: Chat): void {
  if (chat.folded.length === 0) return chat.notice(chat.say('did.nothingFolded'), 'dim');
  chat.show(...chat.folded.map((text) => ({ kind: 'notice' as const, text, tone: 'dim' as const })));
}

export const SETUP: readonly Command[] = [
  { name: 'trust', takes: '[yes|no]', help: 'command.trust', whileRunning: true, run: trust },
  { name: 'status', help: 'command.status', whileRunning: true, run: status },
  { name: 'doctor', help: 'command.doctor', whileRunning: true, run: lines((chat) => chat.backend.doctor()) },
  { name: 'config', help: 'command.config', whileRunning: true, run: lines((chat) => chat.backend.config()) },
  { name: 'theme', takes: `[${THEMES.join('|')}]`, help: 'command.theme', whileRunning: true, run: theme },
  { name: 'lang', takes: '[en|zh]', help: 'command.lang', whileRunning: true, run: lang },
  { name: 'unfold', help: 'key.ctrlt', hidden: true, whileRunning: true, run: unfold },
];
