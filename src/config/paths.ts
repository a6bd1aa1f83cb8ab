import os from 'node:os';
import path from 'node:path';

/** Where frost keeps things, by the XDG rules. Nothing is created until it is written to. */
export interface Paths {
  readonly configDir: string;
  readonly stateDir: string;
  readonly cacheDir: string;
  readonly sessionsDir: string;
  readonly agentsDir: string;
  readonly skillsDir: string;
  /** The user's own variables, 0600. */
  readonly envFile: string;
  readonly settingsFile: string;
  readonly trustFile: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A relative or empty XDG folder does not count, as the XDG specification has it. */
export function pathsOf(env: Environment): Paths {
  const home = env['HOME'] || os.homedir();
  const base = (variable: string, fallback: string) => {
    const given = env[variable];
    return path.join(given && path.isAbsolute(given) ? given : path.join(home, fallback), 'frost');
  };
  const configDir = base('XDG_CONFIG_HOME', '.config');
  const stateDir = base('XDG_STATE_HOME', '.local/state');
  return {
    configDir,
    stateDir,
    cacheDir: base('XDG_CACHE_HOME', '.cache'),
    sessionsDir: path.join(stateDir, 'sessions'),
    agentsDir: path.join(configDir, 'agents'),
    skillsDir: path.join(configDir, 'skills'),
    envFile: path.join(configDir, '.env'),
    settingsFile: path.join(configDir, 'settings.json'),
    trustFile: path.join(stateDir, 'trust.json'),
  };
}
