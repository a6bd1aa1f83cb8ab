import { type Message, textOf } from '../llm/messages.js';

/** Tokens that a message costs beside its text: role, separators, ids. */
const MESSAGE_OVERHEAD = 4;
/** A middling picture at middling detail. */
const IMAGE_TOKENS = 1000;

/** Written without spaces, and about one token a character: CJK, kana, hangul, full-width forms. */
function isDense(code: number): boolean {
  return (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff) || code >= 0xff00;
}

/** About how many tokens a text is, without a tokenizer: near enough to decide when a context is full, and rather too many. */
export function tokensOfText(text: string): number {
  // Most text is ASCII, and this tells it apart many times faster than a look at each character.
  if (Buffer.byteLength(text) === text.length) return Math.ceil(text.length / 3.6);
  let ascii = 0;
  let tokens = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) ascii += 1;
    else tokens += isDense(code) ? 1 : 0.6;
  }
  return Math.ceil(tokens + ascii / 3.6);
}

function imagesOf(message: Message): number {
  if (message.role === 'tool') return message.images?.length ?? 0;
  return Array.isArray(message.content) ? message.content.filter((part) => part.type === 'image').length : 0;
}

function tokensOf(message: Message): number {
  let tokens = MESSAGE_OVERHEAD + tokensOfText(textOf(message)) + imagesOf(message) * IMAGE_TOKENS;
  if (message.role !== 'assistant') return tokens;
  if (message.reasoning) tokens += tokensOfText(message.reasoning.text);
  for (const call of message.toolCalls ?? []) tokens += MESSAGE_OVERHEAD + tokensOfText(call.name) + tokensOfText(call.arguments);
  return tokens;
}

/** Messages do not change once they are in a history, and every request asks again. */
const counted = new WeakMap<Message, number>();

/** About how many tokens a list of messages is on the wire. */
export function estimateTokens(messages: readonly Message[]): number {
  let sum = 0;
  for (const message of messages) {
    let tokens = counted.get(message);
    if (tokens === undefined) {
      tokens = tokensOf(message);
      counted.set(message, tokens);
    }
    sum += tokens;
  }
  return sum;
}
