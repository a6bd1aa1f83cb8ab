/** `--demo`: the settings of a run against the endpoint inside the process. It is never chosen silently. */
import type { Environment } from '../config/environment.js';
import { loadSettings, type Settings } from '../config/settings.js';
import { specialistVariable } from '../config/table.js';
import { type DemoEndpoint, startDemoEndpoint } from '../llm/demo-endpoint.js';

export interface Demo {
  settings: Settings;
  endpoint: DemoEndpoint;
}

export const DEMO_NOTICE = 'demo: a few rules inside frost answer, not a language model; no network, no key.';

/** Settings whose every principal is the demo's, whatever the user, the environment or the folder say. */
export async function startDemo(options: { env: Environment; cwd: string; flags?: Record<string, string | undefined> }): Promise<Demo> {
  const endpoint = await startDemoEndpoint();
  const names = Object.keys(endpoint.keys).filter((name) => name !== 'main');
  const own = Object.fromEntries(
    names.flatMap((name) => [
      [specialistVariable(name, 'ENDPOINT'), endpoint.url],
      [specialistVariable(name, 'API_KEY'), endpoint.keys[name]],
      [specialistVariable(name, 'MODEL'), endpoint.models[name]],
    ]),
  );
  const main = { UPSTREAM_ENDPOINT: endpoint.url, UPSTREAM_API_KEY: endpoint.keys['main'], MODEL_NAME: endpoint.models['main'] };
  const proxies = { HTTP_PROXY: '', http_proxy: '', HTTPS_PROXY: '', https_proxy: '' };
  const { MODEL_NAME: _model, UPSTREAM_ENDPOINT: _endpoint, ...flags } = options.flags ?? {};
  const settings = loadSettings({
    env: { ...options.env, ...own, ...main, ...proxies, NO_PROXY: '127.0.0.1' },
    cwd: options.cwd,
    flags,
    ignoreProject: true,
  });
  return { settings, endpoint };
}
