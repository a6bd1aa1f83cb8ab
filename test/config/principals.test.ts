import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/config/principal.js';
import { discoveredMain, isUnconfigured, resolveMain, resolveSpecialist, type SpecialistRequest } from '../../src/config/principals.js';
import { loadSettings, type Settings } from '../../src/config/settings.js';
import { trustFolder } from '../../src/config/trust.js';
import { FrostError } from '../../src/errors.js';
import { type TempHome, tempHome } from '../support/temp-home.js';
import { A, B, CODER, type Configuration, lines, MAIN, P, Q, ROWS, type Values } from './credential-rows.js';

let machine: TempHome;
beforeEach(() => {
  machine = tempHome();
});
afterEach(() => machine.remove());

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
