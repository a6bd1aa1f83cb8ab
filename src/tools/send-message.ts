/** `send_message`: the agent tells the person what is happening. FrostAgent's typed parts, and `{text}` for one plain part. */
import type { MessagePart } from '../profiles/message-parts.js';
import type { Tool } from '../profiles/tool.js';

/** The fields of each part: required ones first, optional ones marked. */
const PARTS: Record<MessagePart['type'], { required: string[]; optional?: string[] }> = {
  plain: { required: ['text'] },
  image: { required: ['url'] },
  record: { required: ['url'] },
  video: { required: ['url'] },
  file: { required: ['url'], optional: ['name'] },
  mention_user: { required: ['user_id'] },
  quote: { required: ['message_id'], optional: ['text'] },
};

const TYPES = Object.keys(PARTS);

/** What is wrong with one part, or undefined. */
function problemOf(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return 'is not an object';
  const { type, ...fields } = part as Record<string, unknown>;
  if (typeof type !== 'string' || !Object.hasOwn(PARTS, type))
    return `has the type ${JSON.stringify(type)}; the types are ${TYPES.join(', ')}`;
  const { required, optional = [] } = PARTS[type as MessagePart['type']];
  const missing = required.find((name) => typeof fields[name] !== 'string' || fields[name] === '');
  if (missing) return `of type ${type} needs «${missing}», a text that is not empty`;
  const wrong = optional.find((name) => name in fields && typeof fields[name] !== 'string');
  return wrong && `of type ${type} has a «${wrong}» that is not a text`;
}

/** The parts of a call's arguments, or what is wrong with them, naming the index. */
export function partsOf(args: Record<string, unknown>): { parts: MessagePart[] } | { problem: string } {
  const { text, messages } = args;
  if (messages === undefined) {
    if (typeof text !== 'string' || text === '') return { problem: 'Give «text», or «messages» with at least one part.' };
    return { parts: [{ type: 'plain', text }] };
  }
  const list = Array.isArray(messages) ? messages : [messages];
  if (list.length === 0) return { problem: '«messages» is empty.' };
  for (const [index, part] of list.entries()) {
    const problem = problemOf(part);
    if (problem) return { problem: `messages[${index}] ${problem}.` };
  }
  return { parts: list as MessagePart[] };
}

/** A part as text, for a screen or a pipe that shows nothing else. */
export function textOfPart(part: MessagePart): string {
  switch (part.type) {
    case 'plain':
      return part.text;
    case 'mention_user':
      return `@${part.user_id}`;
    case 'quote':
      return `> ${part.text ?? part.message_id}\n`;
    case 'file':
      return `[file: ${part.name ? `${part.name} ` : ''}${part.url}]`;
    default:
      return `[${part.type}: ${part.url}]`;
  }
}

export const textOfParts = (parts: readonly MessagePart[]): string => parts.map(textOfPart).join('');

export const sendMessage: Tool = {
  name: 'send_message',
  description:
    'Tell the user what is happening, at once: before you delegate or start long work, say so in one short sentence. Not for the final answer: that is your plain reply.',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'One plain text; or use messages.' },
      messages: {
        type: 'array',
        description: `Parts, each {type, …}: ${TYPES.map((type) => `${type} {${PARTS[type as MessagePart['type']].required.join()}}`).join(', ')}`,
        items: { type: 'object', properties: { type: { type: 'string', enum: TYPES } }, required: ['type'] },
      },
    },
  },
  summary: (args) => {
    const read = partsOf(args);
    return 'parts' in read ? textOfParts(read.parts) : '';
  },
  async run(args, context) {
    const read = partsOf(args);
    if ('problem' in read) return { text: `Not sent: ${read.problem}`, isError: true };
    context.say(read.parts);
    return 'Sent.';
  },
};
