import type { Message, UserMessage } from '../llm/messages.js';

const LEAD = 'The conversation so far was summarised to make room. The summary:';

/** What follows the summary's own text in the message. */
export const SUMMARY_END = '\n</summary>';

/** What stands in a history for the messages that a summary replaces. */
export function summaryMessage(summary: string): UserMessage {
  return { role: 'user', content: `${LEAD}\n\n<summary>\n${summary}${SUMMARY_END}`, auto: true };
}

export function isSummary(message: Message): boolean {
  return message.role === 'user' && typeof message.content === 'string' && message.content.startsWith(LEAD);
}
