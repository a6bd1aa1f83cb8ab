/** The conversation as frost keeps it: independent of any wire format, and safe to write to disk. */

/** An image that the user or a tool shows to the model: an http(s) or data: URL. */
export interface ImagePart {
  type: 'image';
  url: string;
}

export interface TextPart {
  type: 'text';
  text: string;
}

export type ContentPart = TextPart | ImagePart;

/** One call the model asks for. `arguments` is the text as the model wrote it (a JSON object when all is well). */
export interface ToolCall {
  /** Unique in the conversation; made by the adapter where the server gave none or one twice. */
  id: string;
  name: string;
  arguments: string;
}

export interface SystemMessage {
  role: 'system';
  content: string;
}

export interface UserMessage {
  role: 'user';
  content: string | ContentPart[];
  /** Written by frost in the person's place: never shown as what the person said. */
  auto?: true;
}

export interface AssistantMessage {
  role: 'assistant';
  content: string;
  toolCalls?: ToolCall[];
  /** The model's reasoning, and the wire field it came in, so that it can be given back where a server demands it. */
  reasoning?: { field: 'reasoning_content' | 'reasoning' | 'think'; text: string };
  /** Set when the message is not all the model would have said: never a complete answer. */
  incomplete?: 'aborted' | 'error' | 'length';
}

export interface ToolMessage {
  role: 'tool';
  callId: string;
  name: string;
  content: string;
  isError?: boolean;
  images?: ImagePart[];
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** The text of any message; image parts are passed over. */
export function textOf(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
