import fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathsOf } from '../../src/config/paths.js';
import { loadSettings } from '../../src/config/settings.js';
import { saveJsonField, savePermissionRule, saveSetting, saveVariables } from '../../src/config/user-files.js';
import { type TempHome, tempHome } from '../support/temp-home.js';

let machine: TempHome;
beforeEach(() => {
  machine = tempHome();
});
afterEach(() => machine.remove());

const paths = () => pathsOf(machine.env);
const load = () => loadSettings({ env: machine.env, cwd: machine.cwd });
const settingsText = () => fs.readFileSync(paths().settingsFile, 'utf8');

describe("what the chat writes into the user's files", () => {
  it('a key and an endpoint go into a private .env that was not there before', () => {
    saveVariables(paths(), { UPSTREAM_ENDPOINT: 'http://h/v1?a=b', UPSTREAM_API_KEY: ' sk-#$"x\n' });
    expect(fs.statSync(paths().envFile).mode & 0o777).toBe(0o600);
    expect([load().get('UPSTREAM_ENDPOINT'), load().get('UPSTREAM_API_KEY')]).toEqual(['http://h/v1?a=b', 'sk-#$"x']);
  });

  it('the other lines of the .env stay as they are', () => {
    machine.write('~/.config/frost/.env', '# mine\nMODEL_NAME=a\nexport UPSTREAM_API_KEY=old\n\nOTHER=x');
    saveVariables(paths(), { UPSTREAM_API_KEY: 'new', CODER_MODEL: 'c' });
    expect(fs.readFileSync(paths().envFile, 'utf8')).toBe('# mine\nMODEL_NAME=a\nUPSTREAM_API_KEY=new\n\nOTHER=x\nCODER_MODEL=c\n');
  });

  it('a key that cannot be used is refused and nothing is written', () => {
    expect(() => saveVariables(paths(), { UPSTREAM_API_KEY: 'sk main' })).toThrow(expect.objectContaining({ exitCode: 77 }));
    expect(fs.existsSync(paths().envFile)).toBe(false);
  });

  it('a theme, a mode and rules go into settings.json, and its comments stay', () => {
    machine.write(
      '~/.config/frost/settings.json',
      '{\n  // mine\n  "theme": "dark", // at night\n  "permissions": { "deny": ["a(*)"] }\n}\n',
    );
    saveSetting(paths(), 'FROST_THEME', 'light');
    saveSetting(paths(), 'FROST_PERMISSION', 'edit');
    for (const rule of ['run_command(git *)', 'run_command(ls *)', 'run_command(git *)']) savePermissionRule(paths(), 'allow', rule);
    expect(settingsText()).toContain('// mine\n  "theme": "light", // at night');
    expect(load().json.permissions).toEqual({ allow: ['run_command(git *)', 'run_command(ls *)'], deny: ['a(*)'] });
    expect([load().get('FROST_THEME'), load().get('FROST_PERMISSION'), load().warnings]).toEqual(['light', 'edit', []]);
  });

  it('settings.json is made where there is none, and one that is no object is left alone', () => {
    saveJsonField(paths(), 'permissions.allow', ['x(*)']);
    saveSetting(paths(), 'FROST_LANG', 'zh');
    expect(JSON.parse(settingsText())).toEqual({ lang: 'zh', permissions: { allow: ['x(*)'] } });
    fs.writeFileSync(paths().settingsFile, '{ "permissions": 1 }');
    expect(() => saveJsonField(paths(), 'permissions.allow', [])).toThrow(expect.objectContaining({ exitCode: 78 }));
    expect(settingsText()).toBe('{ "permissions": 1 }');
  });

  it("a rule that a trusted folder brought does not become the user's", () => {
    machine.write('.frost/settings.json', '{ "permissions": { "allow": ["theirs(*)"] } }');
    savePermissionRule(paths(), 'allow', 'mine(*)');
    expect(JSON.parse(settingsText()).permissions.allow).toEqual(['mine(*)']);
  });

  it('a folder that cannot be written is named', () => {
    machine.write('~/.config/frost', 'a file');
    expect(() => saveSetting(paths(), 'FROST_LANG', 'en')).toThrow(
      expect.objectContaining({ exitCode: 78, message: expect.stringContaining(paths().settingsFile) }),
    );
  });
});
