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
