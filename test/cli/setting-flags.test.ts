import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addSettingFlags, settingFlags } from '../../src/cli/setting-flags.js';
import { SETTINGS } from '../../src/config/table.js';

const parse = (...argv: string[]) => {
  const command = addSettingFlags(new Command());
  return settingFlags(command.parse(argv, { from: 'user' }).opts());
};

describe('flags of the settings table', () => {
  it('reach the settings that they stand for, short forms and switches too', () => {
    expect(parse('-m', 'gpt', '--max-turns', '3', '--endpoint=http://h/v1', '--resume-stream')).toEqual({
      MODEL_NAME: 'gpt',
      MAX_ITERATIONS: '3',
      UPSTREAM_ENDPOINT: 'http://h/v1',
      FROST_RESUME_STREAM: 'true',
    });
    expect(parse()).toEqual({});
  });

  it('every flag of the table is in --help with its variable, and no key has a flag', () => {
    const help = addSettingFlags(new Command()).helpInformation().replace(/\s+/g, ' ');
    for (const definition of SETTINGS) {
      if ('flag' in definition) expect(help).toMatch(new RegExp(`${definition.flag.split(' ')[0]}.*${definition.name}`));
      if ('secret' in definition) expect(definition).not.toHaveProperty('flag');
    }
  });
});
