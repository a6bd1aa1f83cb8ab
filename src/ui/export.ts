/** The conversation as a file: Markdown to read, JSON to work with. */
import { type Message, textOf } from '../llm/messages.js';
import type { Say } from './lang/lang.js';

/** A fence that the text inside cannot end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function partOf(message: Message, say: Say): string | undefined {
  switch (message.role) {
    case 'system':
      return undefined;
    case 'user':
      return `## ${say(message.auto ? 'export.frost' : 'export.you')}\n\n${textOf(message)}`;
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ name, arguments: args }) => `\`${name}\`\n\n${fenced(args)}`);
      return [`## ${say('export.frost')}`, ...(message.content === '' ? [] : [message.content]), ...calls].join('\n\n');
    }
    case 'tool':
      return `### \`${message.name}\`\n\n${fenced(message.content)}`;
  }
}

export function exportMarkdown(messages: readonly Message[], say: Say): string {
  return `${messages.flatMap((message) => partOf(message, say) ?? []).join('\n\n')}\n`;
}

export function exportJson(session: string | undefined, messages: readonly Message[]): string {
  return `${JSON.stringify({ format: 'frost-conversation', version: 1, ...(session !== undefined && { session }), messages }, null, 2)}\n`;
}
