import { SETTINGS, type SettingDefinition, type SettingGroup, specialistVariable } from './table.js';

const HEADER = [
  '# Settings of frost: copy this file to ~/.config/frost/.env (`frost config path` names it, chmod 600) and fill in what you need.',
  '# Strongest first: flag, environment, --env-file, .env of a trusted folder, ~/.config/frost/.env, settings.json, default.',
  '# An empty variable counts as unset.',
];

const TITLES: Record<SettingGroup, string> = {
  'main agent': 'The main agent',
  context: 'What the model is sent',
  limits: 'Limits of a run',
  tools: 'Tools',
  network: 'Network',
  chat: 'The chat',
};

function comment(definition: SettingDefinition): string {
  const facts = [
    definition.choices && definition.name !== 'FROST_PERMISSION' && `One of: ${definition.choices.join(', ')}.`,
    definition.example && `For example ${definition.example}.`,
    definition.default && `Default: ${definition.default}.`,
    definition.flag && `Flag: ${definition.flag}.`,
  ];
  return [`# ${definition.description}.`, ...facts.filter(Boolean)].join(' ');
}

function settingLines(group: SettingGroup): string[] {
  const definitions = SETTINGS.filter((definition: SettingDefinition) => definition.group === group);
  return definitions.flatMap((definition: SettingDefinition) => [comment(definition), `${definition.name}=`]);
}

function specialistLines(name: string): string[] {
  return (['ENDPOINT', 'API_KEY', 'MODEL'] as const).map((part) => `${specialistVariable(name, part)}=`);
}

/** The text of `.env.example`: the settings table and the variables of these specialists. */
export function envExample(specialists: readonly string[]): string {
  const groups = (Object.keys(TITLES) as SettingGroup[]).map((group) => [`# --- ${TITLES[group]} ---`, ...settingLines(group)]);
  const roster = [
    '# --- Specialists ---',
    "# Each has an endpoint, a key and a model of its own; a missing endpoint or model is the main agent's. The main agent's key goes to a",
    '# specialist only where its endpoint has the same origin. A key of "none" says that the server needs no key.',
    ...specialists.flatMap(specialistLines),
  ];
  const [main = [], ...others] = groups;
  return `${[HEADER, main, roster, ...others].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
