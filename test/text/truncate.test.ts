import { describe, expect, it } from 'vitest';
import { capText, firstLine } from '../../src/text/truncate.js';

describe('capped text', () => {
  it('leaves a short text alone', () => {
    expect(capText('abc')).toEqual({ text: 'abc', truncated: false, bytes: 3 });
  });

  it('keeps head and tail in whole characters and says what is missing', () => {
    const long = `HEAD${'é中👩‍👧'.repeat(20_000)}TAIL`;
    const { text, truncated, bytes } = capText(long);
    expect(truncated).toBe(true);
    expect(bytes).toBe(Buffer.byteLength(long));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
    expect(text).toMatch(/^HEAD/);
    expect(text).toMatch(/TAIL$/);
    expect(text).not.toContain('\ufffd');
    expect(text).toContain(`of ${bytes} bytes left out`);
  });

  it('shortens to one line', () => {
    expect(firstLine('one')).toBe('one');
    expect(firstLine('one\ntwo')).toBe('one…');
    expect(firstLine('x'.repeat(200), 10)).toBe(`${'x'.repeat(9)}…`);
  });
});
