import { type Message, textOf } from '../llm/messages.js';
import { tokensOfText } from './tokens.js';

/** Characters of one entry that a summary is made from. A tool's output matters less than what was said about it. */
const MOST_OF_RESULT = 2000;
const MOST_OF_TEXT = 12_000;

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}

function entryOf(message: Message): string {
  const text = shortened(textOf(message), message.role === 'tool' ? MOST_OF_RESULT : MOST_OF_TEXT);
  if (message.role === 'tool') return `[result of ${message.name}${message.isError ? ', an error' : ''}]\n${text}`;
  if (message.role !== 'assistant') return `[${message.role}]\n${text}`;
  const calls = (message.toolCalls ?? []).map((call) => `[calls ${call.name}] ${shortened(call.arguments, MOST_OF_RESULT)}`);
  const lead = message.incomplete === 'aborted' ? '[assistant, interrupted]' : '[assistant]';
  return [...(text === '' ? [] : [`${lead}\n${text}`]), ...calls].join('\n');
}

/**
 * A history as plain text for the model that summarises it, at most about `maxTokens`: the first entry (which may be an earlier
 * summary) and as many of the newest as fit.
 */
export function transcriptText(messages: readonly Message[], maxTokens: number): string {
  const [first = '', ...rest] = messages.map(entryOf).filter((entry) => entry !== '');
  let left = maxTokens - tokensOfText(first);
  let from = rest.length;
  while (from > 0) {
    left -= tokensOfText(rest[from - 1] ?? '') + 2;
    if (left < 0) break;
    from -= 1;
  }
  const gap = from > 0 ? [`[${from} older entries left out]`] : [];
  return [first, ...gap, ...rest.slice(from)].join('\n\n');
}
