/** Looks by role. Sixteen-colour themes follow the terminal's own palette; nothing is told by colour alone. */
import { Chalk, type ChalkInstance } from 'chalk';
import type { Paint } from './wrap.js';

export type Role =
  | 'plain'
  | 'dim'
  | 'strong'
  | 'emphasis'
  | 'struck'
  | 'accent'
  | 'user'
  | 'agent'
  | 'good'
  | 'bad'
  | 'warn'
  | 'heading'
  | 'link'
  | 'code'
  | 'added'
  | 'removed'
  | 'hunk'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'name'
  | 'type'
  | 'selected';

export type Theme = Readonly<Record<Role, Paint>>;

export const THEMES = ['dark', 'light', 'colorblind'] as const;
export type ThemeName = (typeof THEMES)[number];

interface Palette {
  accent: ChalkInstance;
  good: ChalkInstance;
  bad: ChalkInstance;
  warn: ChalkInstance;
  agent: ChalkInstance;
  string: ChalkInstance;
  number: ChalkInstance;
  keyword: ChalkInstance;
}

/** Blue and orange stay apart for every common kind of colour vision; good and bad also carry different signs. */
const PALETTES: Record<ThemeName, (c: ChalkInstance) => Palette> = {
  dark: (c) => ({
    accent: c.cyan,
    good: c.green,
    bad: c.red,
    warn: c.yellow,
    agent: c.magenta,
    string: c.green,
    number: c.yellow,
    keyword: c.magenta,
  }),
  light: (c) => ({
    accent: c.blue,
    good: c.ansi256(28),
    bad: c.ansi256(124),
    warn: c.ansi256(94),
    agent: c.ansi256(90),
    string: c.ansi256(28),
    number: c.ansi256(94),
    keyword: c.ansi256(90),
  }),
  colorblind: (c) => ({
    accent: c.ansi256(33),
    good: c.ansi256(33),
    bad: c.ansi256(208),
    warn: c.ansi256(220),
    agent: c.ansi256(75),
    string: c.ansi256(75),
    number: c.ansi256(220),
    keyword: c.ansi256(208),
  }),
};

/** `level`: 0 no colours (and no other looks), 1 sixteen, 2 of 256, 3 true colour. */
export function makeTheme(name: ThemeName, level: 0 | 1 | 2 | 3): Theme {
  const c = new Chalk({ level });
  const { accent, good, bad, warn, agent, string, number, keyword } = PALETTES[name](c);
  return {
    plain: (text) => text,
    dim: c.dim,
    strong: c.bold,
    emphasis: c.italic,
    struck: c.strikethrough,
    accent,
    user: accent.bold,
    agent,
    good,
    bad,
    warn,
    heading: c.bold,
    link: c.underline,
    code: accent,
    added: good,
    removed: bad,
    hunk: c.dim,
    keyword,
    string,
    number,
    comment: c.dim,
    name: accent,
    type: warn,
    selected: accent.bold,
  };
}

export const isThemeName = (name: string): name is ThemeName => (THEMES as readonly string[]).includes(name);
