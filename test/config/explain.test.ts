import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explain, explainSetting } from '../../src/config/explain.js';
import { loadSettings } from '../../src/config/settings.js';
import { SETTINGS } from '../../src/config/table.js';
import { type TempHome, tempHome } from '../support/temp-home.js';
import { CODER } from './credential-rows.js';

let machine: TempHome;
beforeEach(() => {
  machine = tempHome();
});
afterEach(() => machine.remove());

const load = (env: Record<string, string> = {}, flags = {}) => loadSettings({ env: { ...machine.env, ...env }, cwd: machine.cwd, flags });

describe('frost config explain', () => {
  it('F10: names value, source, file and line of a setting, and what else is set but does not count', () => {
    const file = machine.write('~/.config/frost/.env', '\nMODEL_NAME=from-file\n');
    const settings = load({ MODEL_NAME: 'exported' }, { MODEL_NAME: 'flag' });
    expect(explainSetting(settings, 'MODEL_NAME')).toMatchObject({
      used: { value: 'flag', kind: 'flag', name: '--model' },
      unused: [
        { value: 'exported', kind: 'environment' },
        { value: 'from-file', kind: 'user', file, line: 2 },
      ],
    });
  });

  it('says that a variable is set but empty, and what counts instead', () => {
    machine.write('~/.config/frost/.env', 'CODER_API_KEY=sk-canary-0123\n');
    expect(explainSetting(load({ CODER_API_KEY: '' }), 'CODER_API_KEY')).toMatchObject({
      used: { value: '<CODER_API_KEY>', kind: 'user', line: 1 },
      unused: [{ value: '(empty)', kind: 'environment' }],
    });
  });

  it('tells defaults and what is not set', () => {
    expect(explainSetting(load(), 'MAX_ITERATIONS')).toMatchObject({ used: { value: '25', kind: 'default' }, unused: [] });
    expect(explainSetting(load(), 'MODEL_NAME')).not.toHaveProperty('used');
  });

  it('lists every setting of the table and of the specialists, the principals, the folder; no key, no password of a proxy', () => {
    const env = {
      UPSTREAM_ENDPOINT: 'http://a.test/v1',
      UPSTREAM_API_KEY: 'sk-canary-0123',
      CODER_ENDPOINT: 'http://b.test/v1',
      HTTPS_PROXY: 'http://me:canary@p:1',
    };
    const found = explain(load(env), [CODER]);
    expect(found.settings.map(({ name }) => name)).toEqual([
      ...SETTINGS.map(({ name }) => name),
      'CODER_ENDPOINT',
      'CODER_API_KEY',
      'CODER_MODEL',
    ]);
    expect(found.principals).toEqual([
      expect.objectContaining({ name: 'main', key: expect.objectContaining({ value: '<UPSTREAM_API_KEY>', kind: 'environment' }) }),
      { name: 'Coder', error: expect.stringContaining('CODER_API_KEY') },
    ]);
    expect(found.folder).toEqual({ path: machine.cwd, state: 'nothing', files: [] });
    expect(JSON.stringify(found)).not.toContain('canary');
  });

  it('an unknown name is wrong usage, with the nearest one', () => {
    expect(() => explainSetting(load(), 'MODELNAME')).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('MODEL_NAME') }),
    );
  });
});
