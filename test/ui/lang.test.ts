import { describe, expect, it } from 'vitest';
import { en } from '../../src/ui/lang/en.js';
import { languageOf, sayIn } from '../../src/ui/lang/lang.js';
import { zh } from '../../src/ui/lang/zh.js';

describe('the languages of the chat', () => {
  it('have the same keys, and the same facts to fill in', () => {
    expect(Object.keys(zh)).toEqual(Object.keys(en));
    const facts = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    for (const [key, text] of Object.entries(en)) expect(facts(zh[key as keyof typeof zh]), key).toEqual(facts(text));
  });

  it('are chosen by setting before locale', () => {
    expect(languageOf(undefined, 'zh_CN.UTF-8')).toBe('zh');
    expect(languageOf('en', 'zh_CN.UTF-8')).toBe('en');
    expect(languageOf('', 'C')).toBe('en');
    expect(sayIn('zh')('status.context', { percent: 7 })).toBe('上下文 7%');
  });
});
