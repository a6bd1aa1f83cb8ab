import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LikeFrames } from '../../src/llm/like-frames.js';

/** Reads texts as the event stream does: by likeness where that goes, else by parsing. Copies, since frames are used again. */
function readAll(texts: readonly string[]): { frames: unknown[]; byLikeness: number } {
  const like = new LikeFrames();
  let byLikeness = 0;
  const frames = texts.map((text) => {
    const known = like.read(text);
    if (known !== undefined) {
      byLikeness += 1;
      return structuredClone(known);
    }
    const frame: unknown = JSON.parse(text);
    const copy = structuredClone(frame);
    like.learn(text, frame);
    return copy;
  });
  return { frames, byLikeness };
}

const frameOf = (content: string, more: object = {}, choice: object = {}) => ({
  id: 'c1',
  choices: [{ index: 0, delta: { content }, finish_reason: null, ...choice }],
  ...more,
});

describe('frames that are like the one before them', () => {
  it('are read without parsing, to the same result', () => {
    const texts = ['snow ', 'falls', '', ' 雪が', '🏔'].map((content) => JSON.stringify(frameOf(content)));
    const { frames, byLikeness } = readAll(texts);
    expect(frames).toEqual(texts.map((text) => JSON.parse(text)));
    expect(byLikeness).toBe(4);
  });

  it('are read with the blanks that some servers write', () => {
    const texts = ['a', 'b'].map((content) => JSON.stringify(frameOf(content)).replaceAll(':', ': ').replaceAll(',', ', '));
    expect(readAll(texts).byLikeness).toBe(1);
  });

  it.each([
    ['an escape', '\\n'],
    ['an escaped quote', 'say \\"hi\\"'],
    ['an escaped backslash before the end', '\\\\'],
    ['what looks like another field', '\\"content\\":\\"x'],
  ])('are parsed where the text holds %s', (_, raw) => {
    const plain = JSON.stringify(frameOf('a'));
    const texts = [plain, plain.replace('"content":"a"', `"content":"${raw}"`), plain];
    expect(readAll(texts).frames).toEqual(texts.map((text) => JSON.parse(text)));
  });

  it.each([
    ['a finish reason', frameOf('a', {}, { finish_reason: 'stop' })],
    ['usage', frameOf('a', { usage: { prompt_tokens: 1 } })],
    ['an error', frameOf('a', { error: { message: 'no' } })],
    ['a call', frameOf('a', {}, { delta: { content: 'a', tool_calls: [{ index: 0, function: { name: 'f', arguments: '' } }] } })],
    ['reasoning', frameOf('a', {}, { delta: { content: 'a', reasoning_content: 'hm' } })],
  ])('never repeat %s', (_, frame) => {
    const text = JSON.stringify(frame);
    expect(readAll([text, text]).byLikeness).toBe(0);
  });

  it('are what JSON.parse gives, whatever comes in which order', () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', '\\', '\n', '"},', 'content', '"content":"'));
    const one = fc.oneof(
      piece.map((content) => frameOf(content)),
      piece.map((content) => frameOf(content, { id: content })),
      piece.map((content) => frameOf(content, {}, { finish_reason: 'stop' })),
      piece.map((content) => frameOf('x', {}, { delta: { content: 'x', reasoning: content } })),
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), (frames) => {
        const texts = frames.map((frame) => JSON.stringify(frame));
        expect(readAll(texts).frames).toEqual(frames);
      }),
    );
  });

  it('are looked for no longer where a server makes every frame differ', () => {
    const texts = Array.from({ length: 40 }, (_, at) => JSON.stringify(frameOf('a', { obfuscation: String(at) })));
    const { frames, byLikeness } = readAll(texts);
    expect(frames).toEqual(texts.map((text) => JSON.parse(text)));
    expect(byLikeness).toBe(0);
  });
});
