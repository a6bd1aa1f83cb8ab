/** `frost config`: where each setting comes from. */
import type { Command } from 'commander';
import { envExample } from '../config/env-example.js';
import { processEnvironment } from '../config/environment.js';
import {
  type ExplainedPrincipal,
  type ExplainedSetting,
  type ExplainedValue,
  type Explanation,
  explain,
  explainSetting,
  placeText,
} from '../config/explain.js';
import { loadSettings, type Settings } from '../config/settings.js';
import { lineForTerminal } from '../text/sanitize.js';

const LONGEST_VALUE = 72;

function short(value: string): string {
  const line = lineForTerminal(value);
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 1)}…` : line;
}

/** Lines of columns, each as wide as its widest cell. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

const placed = (value: ExplainedValue) => lineForTerminal(placeText(value));

function settingRow({ name, used, unused }: ExplainedSetting): string[] {
  const note = unused.length === 0 ? '' : `(also set, not used: ${unused.map(placed).join(', ')})`;
  return used ? [name, short(used.value), `${placed(used)} ${note}`.trim()] : [name, 'not set', note];
}

function principalLines({ name, endpoint, model, key, error }: ExplainedPrincipal): string[] {
  if (error !== undefined) return [`  ${lineForTerminal(name)}: ${lineForTerminal(error)}`];
  const part = (what: string, value: ExplainedValue | undefined, missing: string) =>
    value ? [`    ${what}`, short(value.value), `${value.name ?? ''} · ${placed(value)}`] : [`    ${what}`, missing, ''];
  return [
    `  ${lineForTerminal(name)}`,
    ...columns([
      part('endpoint', endpoint, 'not set'),
      part('model', model, 'the only one that the endpoint lists'),
      part('key', key, 'none is sent'),
    ]),
  ];
}

function folderLine({ path, state, files }: Explanation['folder']): string {
  const what = {
    trusted: 'trusted',
    untrusted: 'not trusted: ignored',
    changed: 'changed since it was trusted: changes ignored',
    nothing: 'sets nothing',
  };
  return `  ${lineForTerminal(path)}: ${what[state]}${files.length > 0 ? ` (${files.map(lineForTerminal).join(', ')})` : ''}`;
}

function wholeText(explanation: Explanation): string {
  const { settings, principals, folder, places } = explanation;
  return [
    'Principals',
    ...principals.flatMap(principalLines),
    '',
    'Settings',
    ...columns(settings.map(settingRow)),
    '',
    'Folder',
    folderLine(folder),
    '',
    'Places',
    ...columns(Object.entries(places)),
    '',
  ].join('\n');
}

function oneText({ name, description, used, unused }: ExplainedSetting): string {
  const rows = [
    ...(used ? [['used', short(used.value), placed(used)]] : [['used', 'not set', '']]),
    ...unused.map((value) => ['not used', short(value.value), placed(value)]),
  ];
  return [`${name}: ${description}`, ...columns(rows), ''].join('\n');
}

interface ExplainOptions {
  json?: boolean;
  envFile?: string;
}

function settingsOf({ envFile }: ExplainOptions): Settings {
  return loadSettings({ env: processEnvironment(), cwd: process.cwd(), ...(envFile !== undefined && { envFile }) });
}

async function explainAll(settings: Settings): Promise<Explanation> {
  const { listAgents } = await import('../assembly/agent-list.js');
  const { agents } = await listAgents(settings);
  return explain(
    settings,
    agents.map(({ profile }) => profile),
  );
}

async function explainCommand(key: string | undefined, options: ExplainOptions): Promise<void> {
  const settings = settingsOf(options);
  const found = key === undefined ? await explainAll(settings) : explainSetting(settings, key.toUpperCase());
  const text = options.json ? `${JSON.stringify(found, null, 2)}\n` : 'principals' in found ? wholeText(found) : oneText(found);
  process.stdout.write(settings.mask.mask(text));
  for (const warning of settings.warnings) process.stderr.write(`frost: ${settings.mask.mask(lineForTerminal(warning))}\n`);
}

async function exampleCommand(): Promise<void> {
  const { specialists } = await import('../../subagents/index.js');
  process.stdout.write(envExample(Object.keys(specialists)));
}

async function schemaCommand(): Promise<void> {
  const { settingsSchema } = await import('../config/settings-schema.js');
  process.stdout.write(`${JSON.stringify(settingsSchema(), null, 2)}\n`);
}

/** What `frost config explain` prints, for whoever shows it elsewhere; no key is in it. */
export async function explainText(settings: Settings): Promise<string> {
  return settings.mask.mask(wholeText(await explainAll(settings)));
}

/** Gives `frost config` its commands: explain, set, example, schema, path. */
export function registerConfig(config: Command): void {
  config
    .command('explain', { isDefault: true })
    .argument('[key]', 'one setting, such as MODEL_NAME')
    .description('Value (keys by name), source, file and line of every setting and principal')
    .option('--json', 'as one JSON object')
    .option('--env-file <file>', 'read variables from this file too')
    .action(explainCommand);
  config
    .command('set')
    .argument('<name>', 'a variable, such as UPSTREAM_API_KEY')
    .argument('[value]', 'its value; a key is asked for, or read from stdin')
    .description("Set a variable in the user's own .env (0600)")
    .action(async (name: string, value: string | undefined) => (await import('./config-set.js')).setCommand(name, value));
  config.command('example').description('Print a commented .env with every variable').action(exampleCommand);
  config.command('schema').description('Print the JSON Schema of settings.json, for editors').action(schemaCommand);
  config
    .command('path')
    .description("Print the path of the user's own .env")
    .action(() => {
      process.stdout.write(`${settingsOf({}).paths.envFile}\n`);
    });
}
