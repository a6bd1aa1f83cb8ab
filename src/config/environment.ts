import type { SecretMask } from '../text/mask.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment frost was started in. This is the only place that reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** What a command needs to find its programs, its files and its language; no name here ever holds a secret. */
const ALLOWED = new Set(
  [
    'PATH HOME USER LOGNAME SHELL PWD HOSTNAME TERM COLORTERM TERM_PROGRAM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CI',
    'LANG LANGUAGE TZ TMPDIR TMP TEMP EDITOR VISUAL PAGER MANPATH INFOPATH DISPLAY WAYLAND_DISPLAY',
    'XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR XDG_CONFIG_DIRS XDG_DATA_DIRS',
    'GOPATH GOROOT GOFLAGS GOBIN CARGO_HOME RUSTUP_HOME RUSTFLAGS JAVA_HOME MAVEN_HOME GRADLE_HOME ANDROID_HOME NVM_DIR NVM_BIN',
    'NODE_ENV PNPM_HOME BUN_INSTALL DENO_DIR PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX PYTHONPATH PYTHONIOENCODING GEM_HOME GEM_PATH RBENV_ROOT',
    'DOTNET_ROOT SDKROOT DEVELOPER_DIR PKG_CONFIG_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH CC CXX CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS',
    'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY NO_PROXY',
    'SYSTEMROOT WINDIR SYSTEMDRIVE COMSPEC PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES',
  ].flatMap((line) => line.split(' ')),
);

const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE|_PAT$|_DSN$/i;

/** Forms of well-known keys, and a URL that carries a password. */
const SECRET_VALUE =
  /\b(sk|pk|rk)-[\w-]{8,}|\bgh[oprsu]_\w{16,}|\bgithub_pat_\w+|\bxox[abprs]-|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{20,}|-----BEGIN|:\/\/[^/\s]*:[^/\s]*@/;

export function looksSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || SECRET_VALUE.test(value);
}

/**
 * The environment of a process that a tool starts: an allow-list of names (and `passed`, the user's own additions), from
 * which everything that looks like a secret, or holds the value of a known key, is left out.
 */
export function childEnvironment(env: Environment, mask: SecretMask, passed: readonly string[] = []): Record<string, string> {
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const isAllowed = ALLOWED.has(name.toUpperCase()) || name.startsWith('LC_') || passed.includes(name);
    if (value !== undefined && isAllowed && !looksSecret(name, value) && mask.mask(value) === value) child[name] = value;
  }
  return child;
}
