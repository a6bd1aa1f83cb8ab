import type { Command } from 'commander';
import { envExample } from '../config/env-example.js';
import {
  type ExplainedPrincipal,
  type ExplainedSetting,
  type ExplainedValue,
  type Explanation,
  explain,
  explainSetting,
  placeText,
} from '../config/explain.js';
import type { SpecialistRequest } from '../config/principals.js';
import type { Settings } from '../config/settings.js';
import { lineForTerminal } from '../text/sanitize.js';

/** What these commands need of the program around them. */
export interface ConfigPorts {
  settings(options: { envFile?: string }): Settings;
  /** All specialists that the main agent would see. */
  specialists(settings: Settings): Promise<SpecialistRequest[]>;
  /** Names of the built-in specialists. */
  roster: readonly string[];
  print(text: string): void;
}

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

async function explainCommand(ports: ConfigPorts, key: string | undefined, options: ExplainOptions): Promise<string> {
  const settings = ports.settings(options);
  if (key !== undefined) {
    const setting = explainSetting(settings, key.toUpperCase());
    return options.json ? `${JSON.stringify(setting)}\n` : oneText(setting);
  }
  const explanation = explain(settings, await ports.specialists(settings));
  return options.json ? `${JSON.stringify(explanation)}\n` : wholeText(explanation);
}

/** `frost config explain|example|path`. */
export function registerConfig(program: Command, ports: ConfigPorts): void {
  const config = program.command('config').description('show where each setting comes from');
  config
    .command('explain', { isDefault: true })
    .argument('[key]', 'one setting, such as MODEL_NAME')
    .description('value (keys by name), source, file and line of every setting and principal')
    .option('--json', 'as one JSON object')
    .option('--env-file <file>', 'read this env file too')
    .action(async (key: string | undefined, options: ExplainOptions) => ports.print(await explainCommand(ports, key, options)));
  config
    .command('example')
    .description('print a commented .env with every variable')
    .action(() => ports.print(envExample(ports.roster)));
  config
    .command('path')
    .description("print the path of the user's .env")
    .action(() => ports.print(`${ports.settings({}).paths.envFile}\n`));
}
