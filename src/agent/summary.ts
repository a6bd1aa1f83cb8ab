import type { Message, UserMessage } from '../llm/messages.js';

const LEAD = 'The conversation so far was summarised to make room. The summary:';

/** What stands in a history for the messages that a summary replaces. */
export function summaryMessage(summary: string): UserMessage {
  return { role: 'user', content: `${LEAD}\n\n<summary>\n${summary}\n</summary>` };
}

export function isSummary(message: Message): boolean {
  return message.role === 'user' && typeof message.content === 'string' && message.content.startsWith(LEAD);
}
