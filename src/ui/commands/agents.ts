/** Commands about who works: models, specialists, tools, what they may do and what they cost. */
import type { PermissionMode } from '../../permissions/access.js';
import { firstLine } from '../../text/truncate.js';
import type { Chat } from '../chat.js';
import { costOf, count, tokensOf } from '../format.js';
import type { Command } from './command.js';

async function model(chat: Chat, name: string): Promise<void> {
  const chosen = name === '' ? await pickModel(chat) : name;
  if (chosen === undefined) return;
  await chat.backend.chooseModel(chosen);
  chat.notice(chat.say('did.model', chat.backend.model()), 'dim');
}

async function pickModel(chat: Chat): Promise<string | undefined> {
  const now = chat.backend.model();
  const models = await chat.backend.models();
  if (models.length > 1)
    return (
      await chat.pick(
        chat.say('picker.models'),
        models.map((id) => ({ id, label: id })),
      )
    )?.id;
  chat.notice(chat.say('did.modelIs', now));
  return undefined;
}

async function agents(chat: Chat): Promise<void> {
  await chat.backend.agent().refresh();
  const all = chat.backend.specialists();
  if (all.length === 0) return chat.notice(chat.say('did.noAgents'), 'dim');
  const lines = all.map(({ name, model: of, host, keyName, problem, description }) => {
    const where = problem ?? [`${of ?? '?'} @ ${host ?? '?'}`, ...(keyName ? [keyName] : [])].join(' · ');
    return `${name} · ${where}\n  ${firstLine(description, 200)}`;
  });
  chat.notice(lines.join('\n'));
}

function agent(chat: Chat, name: string): void {
  const rows = [...chat.view.children.values()];
  const row = rows.findLast((one) => name === '' || one.name.toLowerCase() === name.toLowerCase());
  if (row) return chat.open({ kind: 'child', run: row.run, scroll: 0 });
  const known = chat.backend.specialists();
  const found = known.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (found)
    return chat.notice(
      [`${found.name} · ${found.model ?? '?'} @ ${found.host ?? '?'}`, found.description, found.tools.join(', ')]
        .filter(Boolean)
        .join('\n'),
    );
  if (name === '') return chat.notice(chat.say('child.none'), 'dim');
  chat.notice(chat.say('did.noAgent', { name, names: known.map((one) => one.name).join(', ') }), 'bad');
}

function tools(chat: Chat): void {
  const all = chat.backend.tools();
  if (all.length === 0) return chat.notice(chat.say('did.noTools'), 'dim');
  chat.notice(all.map(({ name, description }) => `${name} · ${firstLine(description, 100)}`).join('\n'));
}

const MODES: readonly PermissionMode[] = ['read', 'ask', 'edit', 'full'];

async function permissions(chat: Chat, name: string): Promise<void> {
  const mode = MODES.find((one) => one === name);
  if (name !== '' && !mode) return chat.notice(chat.say('did.badMode', { name }), 'bad');
  if (mode) await chat.backend.setMode(mode);
  const words = chat.say(`mode.${chat.backend.mode()}`);
  chat.notice(mode ? chat.say('did.mode', { mode: words }) : chat.say('did.modes', { mode: words }));
}

function cost(chat: Chat): void {
  const { byPrincipal, sessionSpent } = chat.view;
  if (byPrincipal.size === 0) return chat.notice(chat.say('did.noCost'), 'dim');
  const line = (name: string, spent: typeof sessionSpent, where: string) =>
    `${name} · ${chat.say('tokens', { count: count(tokensOf(spent)) })} (${count(spent.inputTokens)} + ${count(spent.outputTokens)}) · ${costOf(spent, chat.say)}${where}`;
  const lines = [...byPrincipal].map(([name, spent]) => line(name, spent, ` · ${spent.model} @ ${spent.host}`));
  chat.notice([...lines, line('Σ', sessionSpent, '')].join('\n'));
}

export const AGENTS: readonly Command[] = [
  { name: 'model', takes: '[NAME]', help: 'command.model', run: model },
  { name: 'agents', help: 'command.agents', whileRunning: true, run: agents },
  { name: 'agent', takes: '[NAME]', help: 'command.agent', whileRunning: true, run: agent },
  { name: 'tools', help: 'command.tools', whileRunning: true, run: tools },
  { name: 'permissions', takes: '[read|ask|edit|full]', help: 'command.permissions', whileRunning: true, run: permissions },
  { name: 'cost', help: 'command.cost', whileRunning: true, run: cost },
];
