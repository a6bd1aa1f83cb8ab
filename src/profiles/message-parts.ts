/** The typed parts of `send_message`, with FrostAgent's names and fields. */
export type MessagePart =
  | { type: 'plain'; text: string }
  | { type: 'image'; url: string }
  | { type: 'record'; url: string }
  | { type: 'video'; url: string }
  | { type: 'file'; url: string; name?: string }
  | { type: 'mention_user'; user_id: string }
  | { type: 'quote'; message_id: string; text?: string };
