import type { Command } from 'commander';
import type { LoadOptions } from '../config/settings.js';
import { SETTINGS, type SettingDefinition, type SettingName } from '../config/table.js';

const LONG_FLAG = /--([a-z-]+)/;

/** `--max-turns <n>` is `maxTurns` among Commander's options. */
function optionOf({ flag }: SettingDefinition): string | undefined {
  const long = LONG_FLAG.exec(flag ?? '')?.[1];
  return long?.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function helpOf({ description, name, default: fallback, choices }: SettingDefinition): string {
  const facts = [choices && !description.includes(choices[0] ?? '') && choices.join(', '), fallback && `default ${fallback}`, name];
  return `${description} (${facts.filter(Boolean).join('; ')})`;
}

/** Adds the flags of the settings table, but those that `without` names. */
export function addSettingFlags(command: Command, without: readonly SettingName[] = []): Command {
  for (const definition of SETTINGS) {
    if ('flag' in definition && !without.includes(definition.name)) command.option(definition.flag, helpOf(definition));
  }
  return command;
}

/** What the flags on the command line say, by setting, for `loadSettings`. */
export function settingFlags(options: Readonly<Record<string, unknown>>): NonNullable<LoadOptions['flags']> {
  const given = SETTINGS.map((definition) => [definition.name, options[optionOf(definition) ?? '']] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]));
}
