import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/config/principal.js';
import { discoveredMain, isUnconfigured, resolveMain, resolveSpecialist, type SpecialistRequest } from '../../src/config/principals.js';
import { loadSettings, type Settings } from '../../src/config/settings.js';
import type { SettingName } from '../../src/config/table.js';
import { trustFolder } from '../../src/config/trust.js';
import { FrostError } from '../../src/errors.js';
import { type TempHome, tempHome } from '../support/temp-home.js';

let machine: TempHome;
beforeEach(() => {
  machine = tempHome();
});
afterEach(() => machine.remove());

type Values = Record<string, string>;

interface Configuration {
  flags?: Partial<Record<SettingName, string>>;
  env?: Values;
  envFile?: Values;
  project?: Values;
  trusted?: boolean;
  user?: Values;
  /** Fields of the specialist's profile. */
  profile?: Partial<SpecialistRequest>;
}

const lines = (values: Values) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

function settingsOf(configuration: Configuration, home: TempHome = machine): Settings {
  const { flags, env, envFile, project, trusted, user } = configuration;
  if (user) home.write('~/.config/frost/.env', lines(user));
  if (project) home.write('.env', lines(project));
  const options = {
    env: { ...home.env, ...env },
    cwd: home.cwd,
    ...(flags && { flags }),
    ...(envFile && { envFile: home.write('../named.env', lines(envFile)) }),
  };
  if (trusted) trustFolder(loadSettings(options).paths.trustFile, home.cwd);
  return loadSettings(options);
}

const CODER: SpecialistRequest = { name: 'Coder', origin: { level: 'builtin' } };
const PROJECT_FILE = { level: 'project', file: '/work/.frost/agents/coder.md' } as const;
const USER_FILE = { level: 'user', file: '/home/me/.config/frost/agents/coder.md' } as const;

/** `endpoint key`, or the refusal. */
const shown = (principal: Principal) => `${principal.endpoint} ${principal.key?.reveal() ?? 'no key'}`;

function outcome(settings: Settings, profile: Partial<SpecialistRequest> = {}): { main: string; coder: string } {
  let main: Principal;
  try {
    main = resolveMain(settings);
  } catch (error) {
    return { main: `refused: ${(error as FrostError).message}`, coder: '' };
  }
  try {
    return { main: shown(main), coder: shown(resolveSpecialist(settings, main, { ...CODER, ...profile })) };
  } catch (error) {
    return { main: shown(main), coder: `refused: ${(error as FrostError).message}` };
  }
}

const [A, B, P, Q] = ['http://a.test/v1', 'http://b.test/v1', 'http://project.test/v1', 'http://project-b.test/v1'];
const refused = (variable: string) => new RegExp(`^refused: .*${variable}`);

const MAIN = { UPSTREAM_ENDPOINT: A, UPSTREAM_API_KEY: 'key-main' };
const ROWS: [title: string, configuration: Configuration, main: string | RegExp, coder: string | RegExp][] = [
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

describe('a key travels only to the endpoint it was given for', () => {
  it.each(ROWS)('F5: %s', (_, configuration, main, coder) => {
    const { main: mainGot, coder: coderGot } = outcome(settingsOf(configuration), configuration.profile);
    for (const [got, want] of [
      [mainGot, main],
      [coderGot, coder],
    ] as const) {
      if (typeof want === 'string') expect(got).toBe(want);
      else expect(got).toMatch(want);
    }
  });

  it('holds in any mixture of sources, endpoints, keys and trust', () => {
    const endpoint = fc.option(fc.constantFrom(A, B, P, Q, ''), { nil: undefined });
    const key = (name: string) => fc.option(fc.constantFrom(`${name}-1`, ''), { nil: undefined });
    const source = (name: string) =>
      fc.record({
        UPSTREAM_ENDPOINT: endpoint,
        UPSTREAM_API_KEY: key(`${name}-main`),
        CODER_ENDPOINT: endpoint,
        CODER_API_KEY: key(`${name}-coder`),
      });
    const given = (values: Record<string, string | undefined>) =>
      Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
    fc.assert(
      fc.property(source('env'), source('user'), source('project'), fc.boolean(), (env, user, project, trusted) => {
        const home = tempHome();
        try {
          const settings = settingsOf({ env: given(env), user: given(user), project: given(project), trusted }, home);
          const { main, coder } = outcome(settings);
          for (const text of [main, coder]) {
            if (text.startsWith('refused')) expect(text).toMatch(/UPSTREAM_ENDPOINT|UPSTREAM_API_KEY|CODER_API_KEY/);
            expect(text.startsWith('refused') && /-(main|coder)-1/.test(text)).toBe(false);
            const [place, value = ''] = text.split(' ');
            const isFoldersKey = value.startsWith('project-');
            if (isFoldersKey) expect(trusted).toBe(true);
            if (isFoldersKey && value.includes('main')) expect([project.UPSTREAM_ENDPOINT || place, place]).toContain(place);
            const isUsersPlace = [env, user].some((values) => [values.UPSTREAM_ENDPOINT, values.CODER_ENDPOINT].includes(place));
            if (/^(env|user)-/.test(value)) expect(isUsersPlace).toBe(true);
          }
          const [[mainPlace], [coderPlace, coderKey]] = [main.split(' '), coder.split(' ')];
          if (coderKey?.includes('-main-')) expect(new URL(coderPlace ?? '').origin).toBe(new URL(mainPlace ?? '').origin);
          if (main.includes('-coder-')) expect.unreachable('the main agent got the key of Coder');
        } finally {
          home.remove();
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('what a principal resolves to', () => {
  const principals = (configuration: Configuration, profile: Partial<SpecialistRequest> = {}) => {
    const settings = settingsOf(configuration);
    const main = resolveMain(settings);
    return { main, coder: resolveSpecialist(settings, main, { ...CODER, ...profile }), settings };
  };

  it.each([
    ["the main agent's model, openly", { MODEL_NAME: 'm' }, {}, 'm', 'MODEL_NAME'],
    ["the profile's model before the main agent's", { MODEL_NAME: 'm' }, { model: 'p' }, 'p', undefined],
    ['its own variable before the profile', { MODEL_NAME: 'm', CODER_MODEL: 'c' }, { model: 'p' }, 'c', 'CODER_MODEL'],
    ['no model where nobody names one', {}, {}, undefined, undefined],
  ])('L9: a specialist takes %s', (_, env, profile, model, variable) => {
    const { coder } = principals({ env: { UPSTREAM_ENDPOINT: A, ...env } }, profile);
    expect([coder.model, coder.modelSource?.name]).toEqual([model, variable]);
  });

  it('reads the variables of a name with a hyphen', () => {
    const { coder } = principals({ env: { ...MAIN, CODE_REVIEWER_ENDPOINT: B, CODE_REVIEWER_API_KEY: 'k' } }, { name: 'code-reviewer' });
    expect(shown(coder)).toBe(`${B} k`);
  });

  it('says where endpoint, model and key came from, and for people which host', () => {
    const { main } = principals({ user: { UPSTREAM_ENDPOINT: `${A}/`, UPSTREAM_API_KEY: 'key-main', MODEL_NAME: 'm' } });
    expect(main).toMatchObject({
      host: 'a.test',
      endpoint: A,
      endpointSource: { kind: 'user', line: 1 },
      keySource: { kind: 'user', line: 2 },
    });
    expect(JSON.stringify(main)).not.toContain('key-main');
  });

  it('MODEL_NAME wins over OPENAI_MODEL, which counts only with its set', () => {
    const set = { OPENAI_BASE_URL: B, OPENAI_MODEL: 'o' };
    expect(principals({ env: set }).main.model).toBe('o');
    expect(principals({ env: { ...set, MODEL_NAME: 'm' } }).main.model).toBe('m');
    expect(principals({ env: { ...set, UPSTREAM_ENDPOINT: A } }).main.model).toBeUndefined();
  });

  it('warns where a stronger source takes a key away from the endpoint beside it', () => {
    const { settings } = principals({ user: MAIN, env: { UPSTREAM_ENDPOINT: B } });
    expect(settings.warnings.join()).toMatch(/UPSTREAM_API_KEY from .*\.env goes to b\.test/);
    expect(principals({ user: MAIN }).settings.warnings).toEqual([]);
  });

  it('takes a local server that was found, and its only model', () => {
    const settings = settingsOf({});
    expect(isUnconfigured(settings)).toBe(true);
    const found = { kind: 'Ollama', endpoint: 'http://127.0.0.1:11434/v1', models: ['qwen3'] };
    expect(discoveredMain(settings, found)).toMatchObject({
      host: '127.0.0.1:11434',
      model: 'qwen3',
      endpointSource: { kind: 'discovered' },
    });
    expect(discoveredMain(settings, { ...found, models: ['a', 'b'] }).model).toBeUndefined();
    expect(isUnconfigured(settingsOf({ env: { UPSTREAM_API_KEY: 'k' } }))).toBe(false);
  });
});

describe('an endpoint or key that cannot be used', () => {
  const refusal = (env: Values, flags: Configuration['flags'] = {}) => {
    try {
      return resolveMain(settingsOf({ env, flags }));
    } catch (error) {
      if (error instanceof FrostError) return error;
      throw error;
    }
  };

  it.each([
    ['localhost:11434/v1', /UPSTREAM_ENDPOINT.*http/],
    ['not a url', /UPSTREAM_ENDPOINT.*URL/],
    ['ftp://a.test', /UPSTREAM_ENDPOINT.*http/],
    ['http://me:secret@a.test/v1', /UPSTREAM_ENDPOINT.*own variable/],
  ])('refuses the endpoint %s and names the variable', (endpoint, message) => {
    const error = refusal({ UPSTREAM_ENDPOINT: endpoint });
    expect(error).toMatchObject({ exitCode: 78, message: expect.stringMatching(message) });
    expect(error).not.toMatchObject({ message: expect.stringContaining('secret') });
    expect(refusal({}, { UPSTREAM_ENDPOINT: endpoint })).toMatchObject({ exitCode: 2, message: expect.stringContaining('--endpoint') });
  });

  it.each([
    ['sk-main-\nTEST0123456789', 'a line break'],
    ['sk-main-\u200bTEST0123456789', 'a zero-width character'],
    ['sk-main-TEST 0123456789', 'a space'],
    ['Bearer sk-main-TEST0123456789', 'a space'],
    ['sk-main-TEST\u00070123456789', 'a control character'],
    ['sk\u2013main-TEST0123456789', 'a typographic quote or dash'],
    ['sk-main-\uff34EST0123456789', 'a full-width character'],
    ['sk-main-T\u00c9ST0123456789', 'a character outside ASCII'],
  ])('refuses the key %j: names variable and kind of character, never the key', (key, kind) => {
    const error = refusal({ UPSTREAM_ENDPOINT: A, UPSTREAM_API_KEY: key });
    expect(error).toMatchObject({ exitCode: 77, message: expect.stringMatching(`UPSTREAM_API_KEY.*${kind}`) });
    expect(JSON.stringify(error)).not.toMatch(/main-|0123456789/);
  });

  it.each(['sk-main-TEST\n', '\r\n sk-main-TEST\t', 'sk-main-TEST\u200b', '\ufeffsk-main-TEST', '"sk-main-TEST"', "'sk-main-TEST'\n"])(
    'trims what copying left around the key %j',
    (key) => {
      expect((refusal({ UPSTREAM_ENDPOINT: A, UPSTREAM_API_KEY: key }) as Principal).key?.reveal()).toBe('sk-main-TEST');
    },
  );

  it('names the proxy variable that is no URL, only where that proxy would be used', () => {
    const proxied = (endpoint: string) =>
      refusal({ UPSTREAM_ENDPOINT: endpoint, HTTPS_PROXY: 'not a url', http_proxy: '', HTTP_PROXY: 'proxy.test:80' });
    expect(proxied('https://a.test/v1')).toMatchObject({ exitCode: 78, message: expect.stringContaining('HTTPS_PROXY') });
    expect(proxied('http://a.test/v1')).toMatchObject({ endpoint: 'http://a.test/v1' });
  });
});
