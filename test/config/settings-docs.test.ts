import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/config/json-text.js';
import { settingsSchema } from '../../src/config/settings-schema.js';
import { SETTINGS, type SettingDefinition } from '../../src/config/table.js';
import { JSON_FIELDS } from '../../src/config/user-settings.js';

const FILE = path.resolve(import.meta.dirname, '../../docs/settings.md');
const code = (text: string | undefined) => (text === undefined ? '' : `\`${text}\``);

function row({ name, flag, json, default: fallback, project, description, choices }: SettingDefinition): string {
  const said = choices && !description.includes(`${choices[0]} `) ? `${description}: ${choices.join(', ')}` : description;
  return `| ${[code(name), code(flag), code(json), fallback ?? '', project ? 'yes' : 'no', said].join(' | ')} |`;
}

const SETTINGS_TABLE = [
  '| variable | flag | settings.json | default | a folder may set it | what |',
  '|---|---|---|---|---|---|',
  ...SETTINGS.map(row),
].join('\n');

const FIELDS_TABLE = [
  '| field | a folder may set it | what |',
  '|---|---|---|',
  ...Object.entries(JSON_FIELDS).map(([name, { project, description }]) => `| \`${name}\` | ${project ? 'yes' : 'no'} | ${description} |`),
].join('\n');

const filled = (text: string, name: string, table: string) =>
  text.replace(new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`), (_, start, end) => `${start}${table}\n${end}`);

describe('docs/settings.md', () => {
  it('has the settings table and the fields of settings.json (UPDATE_DOCS=1 writes them)', () => {
    const text = fs.readFileSync(FILE, 'utf8');
    const expected = filled(filled(text, 'settings', SETTINGS_TABLE), 'fields', FIELDS_TABLE);
    if (process.env['UPDATE_DOCS']) fs.writeFileSync(FILE, expected);
    expect(fs.readFileSync(FILE, 'utf8')).toBe(expected);
  });

  it('its example, and nothing unknown, is valid by the schema that editors get', () => {
    const example = /```json\n([\s\S]*?)```/.exec(fs.readFileSync(FILE, 'utf8'))?.[1] ?? '';
    const validate = new Ajv({ strict: false }).compile(settingsSchema());
    expect(readJson(example, FILE).kind).toBe('object');
    expect([validate(JSON.parse(example)), validate({ modle: 'm' }), validate({ permissions: { mode: 'all' } })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
