/** `/help`: written from the table of commands. */
import type { Key } from '../lang/en.js';
import { widthOf } from '../wrap.js';
import type { Command } from './command.js';

const KEYS: [keys: string, help: Key][] = [
  ['Enter', 'key.enter'],
  ['Shift+Enter  Alt+Enter  Ctrl+J  \\Enter', 'key.break'],
  ['Tab', 'key.tab'],
  ['↑', 'key.up'],
  ['Esc', 'key.esc'],
  ['Ctrl+C', 'key.ctrlc'],
  ['Ctrl+D', 'key.ctrld'],
  ['Ctrl+R', 'key.ctrlr'],
  ['Ctrl+G', 'key.ctrlg'],
  ['Ctrl+O', 'key.ctrlo'],
  ['Ctrl+X', 'key.ctrlx'],
  ['Ctrl+T', 'key.ctrlt'],
];

const INPUT: [written: string, help: Key][] = [
  ['@path', 'input.file'],
  ['@Name …', 'input.agent'],
  ['!command', 'input.shell'],
  ['!!command', 'input.shellHidden'],
];

/** The table as lines of two columns. */
export function helpText(commands: readonly Command[], say: (key: Key) => string): string {
  const rows: [string, string][][] = [
    commands.filter(({ hidden }) => !hidden).map(({ name, takes, help }) => [`/${name}${takes ? ` ${takes}` : ''}`, say(help)]),
    KEYS.map(([keys, help]) => [keys, say(help)]),
    INPUT.map(([written, help]) => [written, say(help)]),
  ];
  const titles = [say('help.title'), say('help.keys'), say('help.input')];
  return rows
    .map((section, at) => {
      const width = Math.min(24, Math.max(...section.map(([left]) => widthOf(left))));
      const lines = section.map(([left, right]) => `  ${left}${' '.repeat(Math.max(0, width - widthOf(left)))}  ${right}`);
      return [titles[at], ...lines].join('\n');
    })
    .join('\n\n');
}
