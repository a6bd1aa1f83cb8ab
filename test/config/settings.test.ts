import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/settings.js';
import { trustFolder } from '../../src/config/trust.js';
import { type TempHome, tempHome } from '../support/temp-home.js';

let machine: TempHome;
beforeEach(() => {
  machine = tempHome();
});
afterEach(() => machine.remove());

const load = (env: Record<string, string> = {}, more: Partial<Parameters<typeof loadSettings>[0]> = {}) =>
  loadSettings({ env: { ...machine.env, ...env }, cwd: machine.cwd, ...more });

const trust = () => trustFolder(load().paths.trustFile, machine.cwd);

describe('where a setting comes from', () => {
  it("F10: reads FrostAgent's variables unchanged from the user's .env, and the environment wins", () => {
    const file = machine.write(
      '~/.config/frost/.env',
      'UPSTREAM_ENDPOINT=http://a/v1\nUPSTREAM_API_KEY=sk-a\n# note\nMODEL_NAME="m one"\nSYSTEM_PROMPT=be brief\nMAX_CONTEXT_MESSAGES=20\nMAX_CONTEXT_CHARS=9000\n',
    );
    const settings = load({ MODEL_NAME: 'exported' });
    expect(settings.resolve('MODEL_NAME')).toEqual({ value: 'exported', source: { kind: 'environment', name: 'MODEL_NAME' } });
    expect(settings.resolve('SYSTEM_PROMPT')).toEqual({
      value: 'be brief',
      source: { kind: 'user', name: 'SYSTEM_PROMPT', file, line: 5 },
    });
    expect(settings.get('UPSTREAM_ENDPOINT')).toBe('http://a/v1');
    expect([settings.number('MAX_CONTEXT_MESSAGES'), settings.number('MAX_CONTEXT_CHARS')]).toEqual([20, 9000]);
  });

  it('takes the strongest of flag, environment, --env-file, trusted folder, user files, default', () => {
    machine.write('~/.config/frost/settings.json', '{ "maxTurns": 1 }');
    expect(load().get('MAX_ITERATIONS')).toBe('1');
    machine.write('~/.config/frost/.env', 'MAX_ITERATIONS=2');
    expect(load().get('MAX_ITERATIONS')).toBe('2');
    machine.write('.frost/settings.json', '{ "maxTurns": 3 }');
    trust();
    expect(load().get('MAX_ITERATIONS')).toBe('3');
    machine.write('.env', 'MAX_ITERATIONS=4');
    trust();
    expect(load().get('MAX_ITERATIONS')).toBe('4');
    const envFile = machine.write('other.env', 'MAX_ITERATIONS=5');
    expect(load({}, { envFile }).get('MAX_ITERATIONS')).toBe('5');
    expect(load({ MAX_ITERATIONS: '6' }, { envFile }).get('MAX_ITERATIONS')).toBe('6');
    expect(load({ MAX_ITERATIONS: '6' }, { flags: { MAX_ITERATIONS: '7' } }).resolve('MAX_ITERATIONS')).toEqual({
      value: '7',
      source: { kind: 'flag', name: '--max-turns' },
    });
  });
});

describe('an empty variable counts as unset', () => {
  it.each(['', '   ', '\t\n'])('%j exported does not hide the file below it, whatever the variable', (empty) => {
    machine.write('~/.config/frost/.env', 'CODER_API_KEY=sk-coder\nMODEL_NAME=m\nHTTP_PROXY=http://p\n');
    const settings = load({ CODER_API_KEY: empty, MODEL_NAME: empty, HTTP_PROXY: empty, http_proxy: empty });
    expect(['CODER_API_KEY', 'MODEL_NAME', 'HTTP_PROXY'].map((name) => settings.get(name))).toEqual(['sk-coder', 'm', 'http://p']);
  });

  it('an empty lower-case proxy does not hide the upper-case one', () => {
    expect(load({ http_proxy: '', HTTP_PROXY: 'http://p', https_proxy: 'http://low', HTTPS_PROXY: 'http://up' }).proxy).toEqual({
      http: 'http://p',
      https: 'http://low',
    });
  });
});

describe('a value that cannot be meant', () => {
  it.each([
    ['MAX_ITERATIONS', 'many', 'a whole number, 1 or more'],
    ['MAX_ITERATIONS', '0', 'a whole number, 1 or more'],
    ['MAX_CONTEXT_CHARS', '1.5', 'a whole number'],
    ['FROST_MAX_COST', '-1', 'a number, 0 or more'],
  ])('%s=%s is refused with its place', (name, value, what) => {
    const file = machine.write('~/.config/frost/.env', `# first\n${name}=${value}\n`);
    const text = `${name} in ${file}:2 must be ${what}`;
    expect(() => load().number(name)).toThrow(expect.objectContaining({ exitCode: 78, message: expect.stringContaining(text) }));
  });

  it('a wrong flag is wrong usage', () => {
    const settings = load({}, { flags: { MAX_ITERATIONS: 'x', FROST_PERMISSION: 'everything' } });
    expect(() => settings.number('MAX_ITERATIONS')).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('--max-turns') }),
    );
    expect(() => settings.choice('FROST_PERMISSION')).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('one of read, ask, edit, full') }),
    );
  });

  it('a key in the wrong variable is not repeated', () => {
    const settings = load({ CODER_API_KEY: 'sk-canary-0123', MAX_ITERATIONS: 'sk-canary-0123' });
    expect(() => settings.number('MAX_ITERATIONS')).toThrow(expect.objectContaining({ message: expect.not.stringContaining('canary') }));
  });
});

describe('files', () => {
  it('an --env-file that is missing is named', () => {
    expect(() => load({}, { envFile: 'nowhere.env' })).toThrow(
      expect.objectContaining({ exitCode: 78, message: expect.stringContaining(`${machine.cwd}/nowhere.env`) }),
    );
  });

  it('reads BOM, CRLF, export, quotes and several lines; the last of two wins, with its line', () => {
    machine.write('~/.config/frost/.env', '\ufeffexport MODEL_NAME=\'a b\'\r\nSYSTEM_PROMPT="one\ntwo"\nMODEL_NAME=last # note\n');
    expect(load().get('SYSTEM_PROMPT')).toBe('one\ntwo');
    expect(load().resolve('MODEL_NAME')).toMatchObject({ value: 'last', source: { line: 4 } });
  });

  it('a relative XDG folder does not count, an absolute one does', () => {
    expect(load({ XDG_CONFIG_HOME: 'rel' }).paths.envFile).toBe(`${machine.home}/.config/frost/.env`);
    expect(load({ XDG_CONFIG_HOME: '/x', XDG_STATE_HOME: '/y' }).paths).toMatchObject({
      envFile: '/x/frost/.env',
      sessionsDir: '/y/frost/sessions',
    });
  });

  it('ignoreProject says nothing of the folder, trusted or not', () => {
    machine.write('.env', 'MODEL_NAME=m\n');
    trust();
    const settings = load({}, { ignoreProject: true });
    expect([settings.get('MODEL_NAME'), settings.trust.hint, settings.trust.state]).toEqual([undefined, undefined, 'nothing']);
  });
});

describe('settings.json', () => {
  const file = () => `${machine.home}/.config/frost/settings.json`;

  it('gives the single values of the table and the fields beyond it', () => {
    machine.write(
      '~/.config/frost/settings.json',
      '{\n  // mine\n  "model": "m",\n  "timeouts": { "idle": 5 },\n  "permissions": { "mode": "edit", "allow": ["read_file(*)"], },\n  "prices": { "m": { "input": 1, "output": 2 } }\n}\n',
    );
    const settings = load();
    expect(settings.resolve('MODEL_NAME')).toEqual({ value: 'm', source: { kind: 'user', name: 'MODEL_NAME', file: file(), line: 3 } });
    expect([settings.number('FROST_IDLE_TIMEOUT'), settings.choice('FROST_PERMISSION')]).toEqual([5, 'edit']);
    expect(settings.json).toMatchObject({ permissions: { allow: ['read_file(*)'], deny: [] }, prices: { m: { input: 1, output: 2 } } });
    expect(settings.warnings).toEqual([]);
  });

  it.each([
    ['{ "model": "m"\n  "lang": "en" }', 2, '"," or "}" is missing'],
    ['{\n  "model": }', 2, 'a value is missing'],
    ['{\n\n  model: "m" }', 3, 'a field name in double quotes is missing'],
    ['{ "model": "m"', 1, 'the file ends'],
    ['{ "model": "m\n" }', 1, 'a text is not closed'],
    ['{ "model": "m" } x', 1, 'more text after the end'],
    ['[1]', 1, 'must be an object'],
  ])('%j is refused with file and line', (text, line, what) => {
    machine.write('~/.config/frost/settings.json', text);
    expect(() => load()).toThrow(expect.objectContaining({ exitCode: 78, message: expect.stringContaining(`${file()}:${line}`) }));
    expect(() => load()).toThrow(what);
  });

  it('names a field that is unknown or wrong with its line, and takes the others', () => {
    machine.write(
      '~/.config/frost/settings.json',
      '{\n"modle": "m",\n"prices": { "m": { "input": 1 } },\n"limits": { "turns": "many" },\n"permissions": { "alow": [] },\n"model": ["m"],\n"lang": "zh" }',
    );
    const settings = load();
    expect(settings.get('FROST_LANG')).toBe('zh');
    const [model, ...others] = [
      '"model" must be a single value',
      '"modle" is unknown',
      '"prices.m" lacks "output"',
      '"limits.turns" must be a number',
      '"permissions.alow" is unknown',
    ];
    expect(settings.warnings.map((warning) => warning.replace(file(), ''))).toEqual(
      [
        [6, model],
        [2, others[0]],
        [3, others[1]],
        [4, others[2]],
        [5, others[3]],
      ].map(([line, text]) => expect.stringContaining(`:${line}: ${text}`)),
    );
  });

  it("a trusted folder's lists add to the user's, and it cannot uncover hidden files", () => {
    machine.write(
      '~/.config/frost/settings.json',
      '{ "permissions": { "allow": ["a(*)"] }, "secretPatterns": ["mine"], "compat": { "h": { "tools": false } } }',
    );
    machine.write(
      '.frost/settings.json',
      '{ "permissions": { "allow": ["b(*)"], "deny": ["c(*)"] }, "secretPatterns": ["theirs", "!.env"] }',
    );
    trust();
    expect(load().json).toMatchObject({
      permissions: { allow: ['a(*)', 'b(*)'], deny: ['c(*)'] },
      secretPatterns: ['mine', 'theirs'],
      compat: { h: { tools: false } },
    });
  });

  it("a trusted folder's file that is no JSON costs a warning, not the run", () => {
    machine.write('.frost/settings.json', '{');
    trust();
    expect(load().warnings).toEqual([expect.stringContaining('.frost/settings.json:1 is not valid JSON')]);
  });
});
