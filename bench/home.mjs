// Places of its own for every benchmark: a home, a folder to work in, and an environment without the user's settings.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');
export const frost = path.join(root, 'bin', 'frost.js');
export const baseline = (name) => path.join(import.meta.dirname, 'baselines', name);

/** `{dir, cwd, env(extra), remove()}`; the environment holds PATH, HOME, the XDG folders and what is asked for, nothing else. */
export function temporaryHome() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-bench-'));
  const cwd = path.join(dir, 'work');
  fs.mkdirSync(cwd);
  const xdg = { XDG_CONFIG_HOME: `${dir}/config`, XDG_STATE_HOME: `${dir}/state`, XDG_CACHE_HOME: `${dir}/cache` };
  return {
    dir,
    cwd,
    env: (extra = {}) => ({ PATH: process.env.PATH, HOME: dir, LANG: 'C.UTF-8', TERM: 'xterm-256color', ...xdg, ...extra }),
    remove: () => fs.rmSync(dir, { recursive: true, force: true }),
  };
}

/** The environment that points frost at the endpoint, with the behaviour of the main agent and, where given, of Coder. */
export const settingsFor = (endpoint, model, coderModel) => ({
  UPSTREAM_ENDPOINT: endpoint.url,
  UPSTREAM_API_KEY: 'bench-key',
  MODEL_NAME: model,
  ...(coderModel && { CODER_MODEL: coderModel }),
});
