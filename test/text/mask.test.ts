import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MaskedText, SecretMask } from '../../src/text/mask.js';

const maskOf = (...keys: [name: string, value: string][]) => {
  const mask = new SecretMask();
  for (const [name, value] of keys) mask.add(name, value);
  return mask;
};

describe('a known key in a text', () => {
  it('is replaced by its name: as it is, inside JSON, inside JSON inside JSON, inside a URL', () => {
    const key = 'sk/"quoted"+\\key';
    const mask = maskOf(['CODER_API_KEY', key]);
    const texts = [
      key,
      JSON.stringify({ key }),
      JSON.stringify({ body: JSON.stringify({ key }) }),
      `https://h/?k=${encodeURIComponent(key)}`,
    ];
    for (const text of texts) {
      expect(mask.mask(text)).toContain('<CODER_API_KEY>');
      expect(mask.mask(text)).not.toMatch(/quoted/);
    }
  });

  it('is replaced as a whole where it contains another key', () => {
    const mask = maskOf(['SHORT', 'sk-main'], ['LONG', 'sk-main-and-more']);
    expect(mask.mask('sk-main-and-more sk-main')).toBe('<LONG> <SHORT>');
  });

  it.each(['abc', 'ollama', 'lm-studio', '  '])('leaves %j alone, which is a word and no secret', (value) => {
    expect(maskOf(['KEY', value]).mask(`say ${value} twice: ${value}`)).toBe(`say ${value} twice: ${value}`);
  });

  it('is found wherever a stream cuts it, and no character gets lost', () => {
    const keys: [string, string][] = [
      ['A', 'sk-aaa-sk-aab'],
      ['B', 'sk-bbb'],
    ];
    const piece = fc.constantFrom('sk-', 'aaa-', 'sk-aaa-sk-aab', 'aab', 'bbb', 's', 'k', ' text ', '-');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.integer({ min: 1, max: 5 }), (pieces, size) => {
        const [whole, masked] = [pieces.join(''), new MaskedText(maskOf(...keys))];
        let out = '';
        for (let at = 0; at < whole.length; at += size) out += masked.write(whole.slice(at, at + size));
        out += masked.end();
        expect(out).not.toMatch(/sk-aaa-sk-aab|sk-bbb/);
        expect(out.replaceAll('<A>', 'sk-aaa-sk-aab').replaceAll('<B>', 'sk-bbb')).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });
});
