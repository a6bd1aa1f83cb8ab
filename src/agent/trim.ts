import { type Message, textOf } from '../llm/messages.js';

/** Bounds of what is sent, the system prompt not counted. An absent bound is none. */
export interface TrimLimits {
  maxMessages?: number;
  /** Characters of text, tool call arguments and reasoning. */
  maxChars?: number;
}

/** Messages that stand or fall together: one message, or an assistant message with its calls and all their results. */
type Unit = Message[];

function unitsOf(messages: readonly Message[]): Unit[] {
  const units: Unit[] = [];
  for (const message of messages) {
    const last = units.at(-1);
    if (message.role === 'tool' && last) last.push(message);
    else units.push([message]);
  }
  return units;
}

/** The characters of a message that a request carries. */
export function charsOf(message: Message): number {
  const text = textOf(message).length;
  if (message.role !== 'assistant') return text;
  const calls = (message.toolCalls ?? []).reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  return text + calls + (message.reasoning?.text.length ?? 0);
}

const isUser = (unit: Unit | undefined) => unit?.[0]?.role === 'user';

/** True where every unit, taken with what is kept so far, stays inside the limits. */
function budget(limits: TrimLimits): (unit: Unit) => boolean {
  let messages = limits.maxMessages ?? Number.POSITIVE_INFINITY;
  let chars = limits.maxChars ?? Number.POSITIVE_INFINITY;
  return (unit) => {
    messages -= unit.length;
    chars -= unit.reduce((sum, message) => sum + charsOf(message), 0);
    return messages >= 0 && chars >= 0;
  };
}

/** How many of the newest units fit, after the newest prompt and the newest unit, which are always kept. */
function newestThatFit(units: Unit[], prompt: number, limits: TrimLimits): number {
  const fits = budget(limits);
  if (prompt >= 0) fits(units[prompt] as Unit);
  let first = units.length;
  while (first > 0) {
    const fit = first - 1 === prompt || fits(units[first - 1] as Unit);
    if (!fit && first < units.length) break;
    first -= 1;
    if (!fit) break;
  }
  return first;
}

/**
 * The newest part of a history that stays inside the limits. The leading system prompt is kept and not counted; a call is never
 * parted from its results; the newest prompt of the user and the newest message (with its results) are kept whatever their size;
 * what is kept of older turns begins with a prompt. Messages come back as the same objects. Pure.
 */
export function trimHistory(messages: readonly Message[], limits: TrimLimits): Message[] {
  const leadEnd = messages.findIndex((message) => message.role !== 'system');
  const lead = leadEnd < 0 ? messages.length : leadEnd;
  const units = unitsOf(messages.slice(lead));
  const prompt = units.findLastIndex(isUser);
  let first = newestThatFit(units, prompt, limits);
  if (first > 0 && first <= prompt) while (!isUser(units[first])) first += 1;
  const kept = first > prompt && prompt >= 0 ? [units[prompt] as Unit, ...units.slice(first)] : units.slice(first);
  return [...messages.slice(0, lead), ...kept.flat()];
}
