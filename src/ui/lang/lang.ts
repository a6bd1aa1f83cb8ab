/** The language of the chat: a lookup in one catalogue. */
import { en, type Key } from './en.js';
import { zh } from './zh.js';

export type Facts = Record<string, string | number>;
export type Say = (key: Key, facts?: Facts) => string;

export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

const CATALOGUES: Record<Language, Record<Key, string>> = { en, zh };

export function sayIn(language: Language): Say {
  const catalogue = CATALOGUES[language];
  return (key, facts = {}) => catalogue[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(facts[name] ?? whole));
}

/** The language of a setting or a locale such as `zh_CN.UTF-8`; English where it is neither. */
export function languageOf(...candidates: (string | undefined)[]): Language {
  const first = candidates.find((candidate) => candidate !== undefined && candidate !== '');
  return /^zh/i.test(first ?? '') ? 'zh' : 'en';
}
