import { describe, expect, it } from 'vitest';
import type { MessagePart } from '../../src/profiles/message-parts.js';
import { parseArguments } from '../../src/tools/arguments.js';
import { sendMessage, textOfParts } from '../../src/tools/send-message.js';

const said: MessagePart[][] = [];

async function send(args: Record<string, unknown>) {
  said.length = 0;
  const parsed = await parseArguments(sendMessage, JSON.stringify(args));
  if ('problem' in parsed) return parsed.problem;
  const context = {
    signal: new AbortController().signal,
    callId: 'c',
    update: () => {},
    say: (parts: MessagePart[]) => said.push(parts),
    hasSaid: () => false,
  };
  const result = await sendMessage.run(parsed.args, context);
  return typeof result === 'string' ? result : result.text;
}

describe('F9: send_message', () => {
  it("takes every one of FrostAgent's typed parts", async () => {
    const messages: MessagePart[] = [
      { type: 'quote', message_id: '7', text: 'before' },
      { type: 'mention_user', user_id: 'ann' },
      { type: 'plain', text: ' look: ' },
      { type: 'image', url: 'https://x.test/a.png' },
      { type: 'record', url: 'https://x.test/a.ogg' },
      { type: 'video', url: 'https://x.test/a.mp4' },
      { type: 'file', url: 'https://x.test/a.zip', name: 'a.zip' },
    ];
    expect(await send({ messages })).toBe('Sent.');
    expect(said).toEqual([messages]);
    expect(textOfParts(messages)).toBe(
      '> before\n@ann look: [image: https://x.test/a.png][record: https://x.test/a.ogg][video: https://x.test/a.mp4][file: a.zip https://x.test/a.zip]',
    );
  });

  it('takes {text} for one plain part', async () => {
    expect(await send({ text: 'hi' })).toBe('Sent.');
    expect(said).toEqual([[{ type: 'plain', text: 'hi' }]]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['an unknown type', { messages: [{ type: 'plain', text: 'a' }, { type: 'hologram' }] }, /messages[.[]1.*(type|enum|allowed)/],
    [
      'a missing text',
      { messages: [{ type: 'plain', text: 'a' }, { type: 'plain', text: 'b' }, { type: 'plain' }] },
      /messages\[2\].*«text»/,
    ],
    ['a missing url', { messages: [{ type: 'image' }] }, /messages\[0\].*«url»/],
    ['an empty user id', { messages: [{ type: 'mention_user', user_id: '' }] }, /messages\[0\].*«user_id»/],
    ['a name that is no text', { messages: [{ type: 'file', url: 'x', name: 5 }] }, /messages\[0\].*«name»/],
    ['no parts', { messages: [] }, /empty/],
    ['nothing at all', {}, /«text»/],
  ])('refuses %s, naming the index, and sends nothing', async (_, args, problem) => {
    expect(await send(args)).toMatch(problem);
    expect(said).toEqual([]);
  });
});
