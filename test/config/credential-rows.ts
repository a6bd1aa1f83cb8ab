/** Configurations of keys and endpoints with what must come of each: the same rows for the resolver and for the running program. */
import type { SpecialistRequest } from '../../src/config/principals.js';
import type { SettingName } from '../../src/config/table.js';

export type Values = Record<string, string>;

export interface Configuration {
  flags?: Partial<Record<SettingName, string>>;
  env?: Values;
  envFile?: Values;
  project?: Values;
  trusted?: boolean;
  user?: Values;
  /** Fields of the specialist's profile. */
  profile?: Partial<SpecialistRequest>;
}

export const lines = (values: Values) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

export const CODER: SpecialistRequest = { name: 'Coder', origin: { level: 'builtin' } };
const PROJECT_FILE = { level: 'project', file: '/project/.frost/agents/coder.md' } as const;
const USER_FILE = { level: 'user', file: '/home/me/.config/frost/agents/coder.md' } as const;

export const [A, B, P, Q] = ['http://a.test/v1', 'http://b.test/v1', 'http://project.test/v1', 'http://project-b.test/v1'];
const refused = (variable: string) => new RegExp(`^refused: .*${variable}`);

export const MAIN = { UPSTREAM_ENDPOINT: A, UPSTREAM_API_KEY: 'key-main' };
export const ROWS: [title: string, configuration: Configuration, main: string | RegExp, coder: string | RegExp][] = [
  // The main agent, user level only.
  ['endpoint and key exported', { env: MAIN }, `${A} key-main`, `${A} key-main`],
  ["endpoint and key in the user's .env", { user: MAIN }, `${A} key-main`, `${A} key-main`],
  ['endpoint and key in --env-file', { envFile: MAIN }, `${A} key-main`, `${A} key-main`],
  ['endpoint by flag, key exported', { flags: { UPSTREAM_ENDPOINT: B }, env: { UPSTREAM_API_KEY: 'k' } }, `${B} k`, `${B} k`],
  ["endpoint in the user's .env, key exported", { user: { UPSTREAM_ENDPOINT: A }, env: { UPSTREAM_API_KEY: 'k' } }, `${A} k`, `${A} k`],
  ['an endpoint without a key', { env: { UPSTREAM_ENDPOINT: A } }, `${A} no key`, `${A} no key`],
  ['a key without an endpoint', { env: { UPSTREAM_API_KEY: 'key-main' } }, refused('UPSTREAM_ENDPOINT'), ''],
  ['an empty endpoint and a key', { env: { UPSTREAM_ENDPOINT: '', UPSTREAM_API_KEY: 'key-main' } }, refused('UPSTREAM_ENDPOINT'), ''],
  ['a blank key', { env: { UPSTREAM_ENDPOINT: A, UPSTREAM_API_KEY: '   ' } }, `${A} no key`, `${A} no key`],
  ["an empty export does not hide the user's .env", { env: { UPSTREAM_API_KEY: '' }, user: MAIN }, `${A} key-main`, `${A} key-main`],
  ['the key "none"', { env: { UPSTREAM_ENDPOINT: A, UPSTREAM_API_KEY: 'none' } }, `${A} no key`, `${A} no key`],
  ['nothing at all', {}, refused('UPSTREAM_ENDPOINT'), ''],
  // OPENAI_* only as a set.
  ['the OPENAI set', { env: { OPENAI_BASE_URL: B, OPENAI_API_KEY: 'key-openai' } }, `${B} key-openai`, `${B} key-openai`],
  ['OPENAI_API_KEY alone', { env: { OPENAI_API_KEY: 'key-openai' } }, refused('OPENAI_BASE_URL'), ''],
  ['OPENAI_API_KEY beside UPSTREAM_ENDPOINT', { env: { UPSTREAM_ENDPOINT: A, OPENAI_API_KEY: 'k' } }, `${A} no key`, `${A} no key`],
  ['OPENAI_BASE_URL beside UPSTREAM_API_KEY', { env: { UPSTREAM_API_KEY: 'k', OPENAI_BASE_URL: B } }, refused('UPSTREAM_ENDPOINT'), ''],
  ['the OPENAI set beside UPSTREAM', { env: { ...MAIN, OPENAI_BASE_URL: B, OPENAI_API_KEY: 'k' } }, `${A} key-main`, `${A} key-main`],
  // Rule 1: specialists.
  ['Coder with its own pair', { env: { ...MAIN, CODER_ENDPOINT: B, CODER_API_KEY: 'key-coder' } }, `${A} key-main`, `${B} key-coder`],
  ['Coder elsewhere without a key', { env: { ...MAIN, CODER_ENDPOINT: B } }, `${A} key-main`, refused('CODER_API_KEY')],
  [
    'Coder elsewhere with an empty key',
    { env: { ...MAIN, CODER_ENDPOINT: B, CODER_API_KEY: '' } },
    `${A} key-main`,
    refused('CODER_API_KEY'),
  ],
  [
    'Coder elsewhere where no key is needed',
    { env: { ...MAIN, CODER_ENDPOINT: B, CODER_API_KEY: 'none' } },
    `${A} key-main`,
    `${B} no key`,
  ],
  ['Coder on another port', { env: { ...MAIN, CODER_ENDPOINT: 'http://a.test:81/v1' } }, `${A} key-main`, refused('CODER_API_KEY')],
  ['Coder by https', { env: { ...MAIN, CODER_ENDPOINT: 'https://a.test/v1' } }, `${A} key-main`, refused('CODER_API_KEY')],
  ['Coder on another path', { env: { ...MAIN, CODER_ENDPOINT: 'http://a.test/x/' } }, `${A} key-main`, 'http://a.test/x key-main'],
  ['Coder with a key only', { env: { ...MAIN, CODER_API_KEY: 'key-coder' } }, `${A} key-main`, `${A} key-coder`],
  ['Coder exported, its key in a file', { env: { ...MAIN, CODER_ENDPOINT: B }, user: { CODER_API_KEY: 'k' } }, `${A} key-main`, `${B} k`],
  [
    'OPENAI_API_KEY is no key for Coder',
    { env: { ...MAIN, CODER_ENDPOINT: B, OPENAI_API_KEY: 'k' } },
    `${A} key-main`,
    refused('CODER_API_KEY'),
  ],
  [
    "a profile that names the main agent's key",
    { env: MAIN, profile: { endpoint: B, apiKeyEnv: 'UPSTREAM_API_KEY', origin: USER_FILE } },
    `${A} key-main`,
    refused('CODER_API_KEY'),
  ],
  [
    "a profile that names another specialist's key",
    { env: { ...MAIN, OTHER_ENDPOINT: Q, OTHER_API_KEY: 'k' }, profile: { endpoint: B, apiKeyEnv: 'OTHER_API_KEY', origin: USER_FILE } },
    `${A} key-main`,
    refused('CODER_API_KEY'),
  ],
  [
    'a profile with an endpoint and a key variable of its own',
    { env: { ...MAIN, DEEP_KEY: 'k' }, profile: { endpoint: B, apiKeyEnv: 'DEEP_KEY', origin: USER_FILE } },
    `${A} key-main`,
    `${B} k`,
  ],
  [
    'a profile whose key variable is not set',
    { env: MAIN, profile: { endpoint: B, apiKeyEnv: 'DEEP_KEY' } },
    `${A} key-main`,
    refused('DEEP_KEY'),
  ],
  // Rule 3: nothing of a folder speaks before it is trusted.
  [
    'an untrusted folder with a pair',
    { user: MAIN, project: { UPSTREAM_ENDPOINT: P, UPSTREAM_API_KEY: 'k' } },
    `${A} key-main`,
    `${A} key-main`,
  ],
  [
    'an untrusted folder that redirects',
    { user: MAIN, project: { UPSTREAM_ENDPOINT: P, CODER_ENDPOINT: P } },
    `${A} key-main`,
    `${A} key-main`,
  ],
  ['an untrusted folder alone', { project: { UPSTREAM_ENDPOINT: P, UPSTREAM_API_KEY: 'k' } }, refused('UPSTREAM_ENDPOINT'), ''],
  // Rule 2: an endpoint of the folder gets only a key of the folder.
  ['a trusted pair', { user: MAIN, project: { UPSTREAM_ENDPOINT: P, UPSTREAM_API_KEY: 'k' }, trusted: true }, `${P} k`, `${P} k`],
  ["a trusted endpoint, the user's key", { user: MAIN, project: { UPSTREAM_ENDPOINT: P }, trusted: true }, refused('UPSTREAM_API_KEY'), ''],
  [
    'a trusted endpoint, an exported key',
    { env: { UPSTREAM_API_KEY: 'k' }, project: { UPSTREAM_ENDPOINT: P }, trusted: true },
    refused('UPSTREAM_API_KEY'),
    '',
  ],
  ['a trusted endpoint, no key anywhere', { project: { UPSTREAM_ENDPOINT: P }, trusted: true }, `${P} no key`, `${P} no key`],
  [
    'a trusted pair against an exported pair',
    { env: MAIN, project: { UPSTREAM_ENDPOINT: P, UPSTREAM_API_KEY: 'k' }, trusted: true },
    `${A} key-main`,
    `${A} key-main`,
  ],
  [
    'a trusted pair against an exported endpoint',
    { env: { UPSTREAM_ENDPOINT: A }, project: { UPSTREAM_ENDPOINT: P, UPSTREAM_API_KEY: 'k' }, trusted: true },
    `${A} no key`,
    `${A} no key`,
  ],
  [
    'a trusted pair against an exported key',
    { env: { UPSTREAM_API_KEY: 'mine' }, project: { UPSTREAM_ENDPOINT: P, UPSTREAM_API_KEY: 'k' }, trusted: true },
    `${P} k`,
    `${P} k`,
  ],
  [
    "a trusted Coder endpoint, the user's Coder key",
    { env: { ...MAIN, CODER_API_KEY: 'k' }, project: { CODER_ENDPOINT: P }, trusted: true },
    `${A} key-main`,
    refused('CODER_API_KEY'),
  ],
  [
    "a trusted Coder endpoint at the main agent's origin",
    { env: MAIN, project: { CODER_ENDPOINT: A }, trusted: true },
    `${A} key-main`,
    refused('CODER_API_KEY'),
  ],
  ['a trusted Coder pair', { env: MAIN, project: { CODER_ENDPOINT: P, CODER_API_KEY: 'k' }, trusted: true }, `${A} key-main`, `${P} k`],
  [
    'a trusted main pair, Coder elsewhere by the user',
    { user: { CODER_ENDPOINT: B, CODER_API_KEY: 'mine' }, project: { UPSTREAM_ENDPOINT: P, UPSTREAM_API_KEY: 'k' }, trusted: true },
    `${P} k`,
    `${B} mine`,
  ],
  [
    "a trusted main pair, the user's Coder key alone",
    { env: { CODER_API_KEY: 'mine' }, project: { UPSTREAM_ENDPOINT: P, UPSTREAM_API_KEY: 'k' }, trusted: true },
    `${P} k`,
    `${P} k`,
  ],
  [
    "the OPENAI endpoint of a folder, the user's OPENAI key",
    { env: { OPENAI_API_KEY: 'k' }, project: { OPENAI_BASE_URL: P }, trusted: true },
    refused('OPENAI_API_KEY'),
    '',
  ],
  [
    "a folder's agent that names a key of the user",
    { env: { ...MAIN, DEEP_KEY: 'mine' }, profile: { endpoint: P, apiKeyEnv: 'DEEP_KEY', origin: PROJECT_FILE } },
    `${A} key-main`,
    refused('DEEP_KEY'),
  ],
  [
    "a folder's agent without an endpoint that names a key of the user",
    { env: { ...MAIN, DEEP_KEY: 'mine' }, profile: { apiKeyEnv: 'DEEP_KEY', origin: PROJECT_FILE } },
    `${A} key-main`,
    `${A} key-main`,
  ],
  [
    "a folder's agent named like a key of the user",
    { env: { ...MAIN, CODER_API_KEY: 'mine' }, profile: { endpoint: P, origin: PROJECT_FILE } },
    `${A} key-main`,
    refused('CODER_API_KEY'),
  ],
  [
    "a folder's agent whose endpoint and key the user names",
    { env: { ...MAIN, CODER_ENDPOINT: B, CODER_API_KEY: 'mine' }, profile: { endpoint: P, origin: PROJECT_FILE } },
    `${A} key-main`,
    `${B} mine`,
  ],
];
