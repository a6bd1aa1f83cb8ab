/** The first minute: no model to talk to yet, and a folder that was never trusted. */
import { lineForTerminal } from '../text/sanitize.js';
import type { EarlyQuestions } from './early.js';
import type { Say } from './lang/lang.js';
import type { Choice } from './ui-state.js';

export interface LocalServer {
  kind: string;
  endpoint: string;
  models: readonly string[];
}

export type Start =
  | { kind: 'demo' }
  | { kind: 'server'; server: LocalServer }
  /** Stored by whoever asked. */
  | { kind: 'endpoint'; endpoint: string; key: string; model: string };

const hostOf = (endpoint: string): string => {
  try {
    return new URL(endpoint).host;
  } catch {
    return endpoint;
  }
};

export interface StartPorts {
  questions: EarlyQuestions;
  say: Say;
  /** Where a key is stored. */
  envFile: string;
  /** The models that an endpoint lists, or why it does not. */
  listModels(endpoint: string, key: string): Promise<{ ids: readonly string[] } | { problem: string }>;
}

/** Asks how to start; undefined where the person leaves. */
export async function askHowToStart(servers: readonly LocalServer[], ports: StartPorts): Promise<Start | undefined> {
  const { questions, say } = ports;
  const found = servers.map((server, at): Choice => {
    const { kind, endpoint, models } = server;
    return { id: `server ${at}`, label: lineForTerminal(say('setup.server', { kind, host: hostOf(endpoint), model: models[0] ?? '?' })) };
  });
  const choices: Choice[] = [
    ...found,
    { id: 'key', label: say('setup.key') },
    { id: 'demo', label: say('setup.demo') },
    { id: 'quit', label: say('setup.quit') },
  ];
  const chosen = await questions.pick(say('setup.title'), choices);
  if (!chosen || chosen.id === 'quit') return undefined;
  if (chosen.id === 'demo') return { kind: 'demo' };
  const server = servers[Number(chosen.id.split(' ')[1])];
  if (server) return { kind: 'server', server };
  return (await askForKey(ports)) ?? askHowToStart(servers, ports);
}

/** Endpoint, key, model; undefined where the person goes back. */
async function askForKey(ports: StartPorts): Promise<Start | undefined> {
  const { questions, say, envFile } = ports;
  const endpoint = await askForAddress(questions, say);
  if (endpoint === undefined) return undefined;
  const key = await questions.ask(say('setup.keyValue', { file: envFile }), { secret: true });
  if (key === undefined) return undefined;
  const model = await askForModel(ports, endpoint, key);
  return model === undefined ? undefined : { kind: 'endpoint', endpoint, key, model };
}

/** The only model that the endpoint has, one of several, or a name where it lists none. */
async function askForModel({ questions, say, listModels }: StartPorts, endpoint: string, key: string): Promise<string | undefined> {
  const listed = await listModels(endpoint, key);
  const ids = 'ids' in listed ? listed.ids : [];
  if (ids.length === 1) return ids[0];
  if (ids.length > 1)
    return (
      await questions.pick(
        say('picker.models'),
        ids.map((id) => ({ id, label: id })),
        true,
      )
    )?.id;
  for (;;) {
    const name = await questions.ask(say('setup.model'), 'problem' in listed ? { problem: listed.problem } : {});
    if (name !== '') return name;
  }
}

async function askForAddress(questions: EarlyQuestions, say: Say): Promise<string | undefined> {
  let problem: string | undefined;
  for (;;) {
    const text = await questions.ask(say('setup.endpoint'), problem === undefined ? {} : { problem });
    if (text === undefined) return undefined;
    if (/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')) return text.replace(/\/+$/, '');
    problem = say('setup.badUrl');
  }
}

export type TrustAnswer = 'yes' | 'once' | 'no';

/** What the folder would set is shown before the question; no is the answer of whoever leaves. */
export async function askForTrust(
  questions: EarlyQuestions,
  folder: { path: string; changed: boolean; effects: readonly { file: string; says: readonly string[] }[] },
  say: Say,
): Promise<TrustAnswer> {
  const lines = folder.effects.flatMap(({ file, says }) => [
    `  ${lineForTerminal(file)}`,
    ...says.slice(0, 6).map((line) => `    ${lineForTerminal(line)}`),
  ]);
  const title = say(folder.changed ? 'trust.changedTitle' : 'trust.title', { folder: lineForTerminal(folder.path) });
  questions.tell([title, say('trust.would'), ...lines].join('\n'));
  const chosen = await questions.pick(title, [
    { id: 'yes', label: say('trust.yes') },
    { id: 'no', label: say('trust.no') },
    { id: 'once', label: say('trust.once') },
  ]);
  return (chosen?.id ?? 'no') as TrustAnswer;
}
