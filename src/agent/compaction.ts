/** Makes room in a history: a model writes a summary of the older messages, the newest stay as they are. */
import type { Failure } from '../errors.js';
import { type Message, textOf } from '../llm/messages.js';
import type { Model, ModelEnd, Usage } from '../llm/port.js';
import { isSummary, SUMMARY_END, summaryMessage } from './summary.js';
import { estimateTokens } from './tokens.js';
import { transcriptText } from './transcript-text.js';

export { estimateTokens };

export interface CompactionSettings {
  /** Tokens kept free for the answer. */
  reserveTokens?: number;
  /** Tokens of the newest messages that stay as they are. */
  keepRecentTokens?: number;
  /** Tokens of the model's whole context, where known. */
  contextWindow?: number;
}

export interface CompactionRequest {
  /** The history, with or without its system prompt (which is kept). */
  messages: readonly Message[];
  model: Model;
  settings: CompactionSettings;
  signal: AbortSignal;
  /** True where room must be made whatever the estimate says: the endpoint refused, or a person asked. */
  force?: boolean;
}

export interface CompactedHistory {
  messages: Message[];
  summary: string;
  /** How many of the last messages stayed. */
  kept: number;
  tokensBefore: number;
  tokensAfter: number;
  usage?: Usage;
}

/** The summary could not be had; the history is as it was. */
export interface FailedCompaction {
  failure: Failure;
  usage?: Usage;
}

const RESERVE_TOKENS = 16_384;
const KEEP_RECENT_TOKENS = 20_000;

function reserveOf({ reserveTokens, contextWindow }: CompactionSettings): number {
  const most = contextWindow === undefined ? Number.POSITIVE_INFINITY : Math.floor(contextWindow / 4);
  return Math.min(reserveTokens ?? RESERVE_TOKENS, most);
}

/** How many tokens a history may have before it is compacted. */
export function contextThreshold(contextWindow: number, settings: CompactionSettings | undefined): number {
  return contextWindow - reserveOf({ ...settings, contextWindow });
}

/** The tokens that the kept messages may have together. */
function keepBudget(total: number, settings: CompactionSettings, force: boolean): number {
  const window = settings.contextWindow ?? Number.POSITIVE_INFINITY;
  const wanted = settings.keepRecentTokens ?? Math.min(KEEP_RECENT_TOKENS, Math.floor(window * 0.3));
  return force ? Math.min(wanted, Math.floor(total / 2)) : wanted;
}

/**
 * The index of the first kept message. Kept are the newest whole units (a call goes with its results) inside the budget; the very
 * newest also beyond it, where it is a prompt or leaves the summary half the room. Where a prompt is among them, it comes first.
 */
function cutOf(messages: readonly Message[], settings: CompactionSettings, force: boolean): number {
  const total = estimateTokens(messages);
  const budget = keepBudget(total, settings, force);
  const half = Math.min(settings.contextWindow ?? total, total) / 2;
  const newest = messages.findLastIndex((message) => message.role !== 'tool');
  let tokens = estimateTokens(messages.slice(newest));
  if (newest < 1) return 0;
  if (tokens > budget && tokens > half && messages[newest]?.role !== 'user') return messages.length;
  let cut = newest;
  for (let i = newest - 1; i > 0; i--) {
    const message = messages[i] as Message;
    tokens += estimateTokens([message]);
    if (tokens > budget) break;
    if (message.role !== 'tool') cut = i;
  }
  const prompt = messages.findIndex((message, i) => i >= cut && message.role === 'user');
  return prompt < 0 ? cut : prompt;
}

const INSTRUCTIONS = `You summarise the earlier part of a conversation between a user and an assistant, so that the assistant can go on with its work from your summary alone.
Write in the language of the conversation. Under these headings, leaving out what is empty:
## Goal — what the user wants, with every constraint and preference they stated, their exact words where they matter
## Done — what was finished, with the results that later work builds on
## State — what was under way, what is decided and why, what failed and how
## Next — the steps that are left
## Facts — names, paths, commands, numbers, error texts and identifiers that will be needed, exactly as they were; files that were read or changed
An earlier summary in the conversation is carried over into yours. Do not continue the conversation and do not answer questions in it. At most 800 words.`;

async function ask(model: Model, text: string, signal: AbortSignal): Promise<ModelEnd | undefined> {
  const messages: Message[] = [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: `<conversation>\n${text}\n</conversation>\n\nWrite the summary.` },
  ];
  let end: ModelEnd | undefined;
  for await (const event of model.stream({ messages, tools: [], signal })) if (event.type === 'end') end = event;
  return end;
}

function sum(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  const names = ['inputTokens', 'cachedTokens', 'outputTokens', 'reasoningTokens'] as const;
  const total: Usage = {};
  for (const name of names) {
    const tokens = a[name] ?? b[name];
    if (tokens !== undefined) total[name] = a[name] === undefined ? tokens : tokens + (b[name] ?? 0);
  }
  return total;
}

interface Summary {
  text?: string;
  failure?: Failure;
  usage?: Usage;
}

/** Asks for the summary; where even that is too long for the model, once more with half of the text. */
async function summarise({ model, settings, signal }: CompactionRequest, older: readonly Message[]): Promise<Summary> {
  const window = settings.contextWindow ?? estimateTokens(older) + RESERVE_TOKENS;
  let room = Math.max(512, window - reserveOf(settings));
  let usage: Usage | undefined;
  for (let attempt = 1; ; attempt++, room = Math.floor(room / 2)) {
    if (signal.aborted) return { failure: { kind: 'interrupted', message: 'The summary was stopped.' }, ...(usage && { usage }) };
    const end = await ask(model, transcriptText(older, room), signal);
    usage = sum(usage, end?.usage);
    const text = end?.message.content.trim() ?? '';
    const isUsable = text !== '' && (end?.reason === 'stop' || end?.reason === 'length');
    if (isUsable) return { text, ...(usage && { usage }) };
    if (end?.error?.kind === 'context_length' && attempt < 3) continue;
    const failure: Failure = end?.error ?? {
      kind: 'empty',
      message: `${model.name} at ${model.host} gave no summary of the conversation.`,
    };
    return { failure, ...(usage && { usage }) };
  }
}

const MOST_OF_PROMPT = 4000;

const REQUEST_MARK = "\n\nThe user's last request, word for word:\n";

/** The prompt being worked on, word for word, where only the summary would tell of it; carried on from an earlier summary too. */
function promptWithin(older: readonly Message[], kept: readonly Message[]): string {
  if (kept.some((message) => message.role === 'user')) return '';
  const prompt = older.findLast((message) => message.role === 'user');
  if (!prompt) return '';
  const text = textOf(prompt);
  if (!isSummary(prompt)) return text === '' ? '' : REQUEST_MARK + text.slice(0, MOST_OF_PROMPT);
  const at = text.lastIndexOf(REQUEST_MARK);
  return at < 0 ? '' : text.slice(at, text.lastIndexOf(SUMMARY_END));
}

/**
 * Replaces the older messages of a history by a summary that `model` writes. Calls and their results stay together. Returns
 * undefined where there is nothing to gain or `signal` is aborted, and the failure where the model gave no summary; the given
 * history is never changed. Never throws for provider trouble.
 */
export async function compactHistory(request: CompactionRequest): Promise<CompactedHistory | FailedCompaction | undefined> {
  const { messages, settings, signal, force = false } = request;
  const lead = messages[0]?.role === 'system' ? messages.slice(0, 1) : [];
  const rest = messages.slice(lead.length);
  const cut = cutOf(rest, settings, force);
  const older = rest.slice(0, cut);
  const isPointless = older.every(isSummary);
  if (signal.aborted || isPointless) return undefined;
  const { text, failure, usage } = await summarise(request, older);
  if (text === undefined) return { failure: failure ?? { kind: 'empty', message: 'There is no summary.' }, ...(usage && { usage }) };
  const kept = rest.slice(cut);
  const summary = text + promptWithin(older, kept);
  const shorter = [...lead, summaryMessage(summary), ...kept];
  return {
    messages: shorter,
    summary,
    kept: kept.length,
    tokensBefore: estimateTokens(messages),
    tokensAfter: estimateTokens(shorter),
    ...(usage && { usage }),
  };
}
