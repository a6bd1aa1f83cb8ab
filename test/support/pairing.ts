import type { Message } from '../../src/llm/messages.js';

/** What a strict server would refuse a history for, or undefined: calls answered once and at once, nothing empty, no stray result. */
export function pairingProblem(messages: readonly Message[]): string | undefined {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.includes(message.callId)) return `a result without its call: ${message.callId}`;
      open = open.filter((id) => id !== message.callId);
      continue;
    }
    if (open.length > 0) return `no result for ${open.join(', ')}`;
    open = message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.id) : [];
    if (open.some((id) => !id) || new Set(open).size < open.length) return `ids empty or twice: ${open.join(', ')}`;
    if (message.role === 'assistant' && open.length === 0 && message.content === '') return 'an empty assistant message';
  }
  return open.length > 0 ? `no result for ${open.join(', ')}` : undefined;
}
