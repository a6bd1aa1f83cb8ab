import { describe, expect, it } from 'vitest';
import { childEnvironment, looksSecret } from '../../src/config/environment.js';
import { SecretMask } from '../../src/text/mask.js';

describe('the environment of a process that a tool starts', () => {
  const SECRETS = {
    UPSTREAM_API_KEY: 'sk-main-canary',
    CODER_API_KEY: 'sk-coder-canary',
    OPENAI_API_KEY: 'sk-openai-canary',
    AWS_SECRET_ACCESS_KEY: 'aws-canary',
    GITHUB_TOKEN: 'ghp_canarycanarycanary',
    NPM_TOKEN: 'npm-canary',
    DATABASE_URL: 'postgres://me:canary@host/db',
    SSH_AUTH_SOCK: '/tmp/canary.sock',
    MY_THING: 'canary',
    HTTPS_PROXY: 'http://me:canary@proxy:1',
  };

  it('holds no key, not even one that frost does not know', () => {
    const child = childEnvironment({ PATH: '/bin', HOME: '/me', LC_ALL: 'C', HTTP_PROXY: 'http://proxy:1', ...SECRETS }, new SecretMask());
    expect(child).toEqual({ PATH: '/bin', HOME: '/me', LC_ALL: 'C', HTTP_PROXY: 'http://proxy:1' });
  });

  it('leaves out an allowed variable that holds a known key', () => {
    const mask = new SecretMask();
    mask.add('CODER_API_KEY', 'secret-word');
    expect(childEnvironment({ EDITOR: 'vi secret-word', PAGER: 'less' }, mask)).toEqual({ PAGER: 'less' });
  });

  it('passes what the user names, but no secret', () => {
    const names = [...Object.keys(SECRETS), 'GREETING'];
    const child = childEnvironment({ GREETING: 'hi', ...SECRETS }, new SecretMask(), names);
    expect(child).toEqual({ GREETING: 'hi', MY_THING: 'canary' });
  });

  it.each([
    ['X_API_KEY', 'v'],
    ['PGPASSWORD', 'v'],
    ['A', 'sk-abcdefghijk'],
    ['A', 'github_pat_abc'],
    ['A', 'AKIAABCDEFGHIJKLMNOP'],
    ['A', '-----BEGIN PRIVATE KEY-----'],
    ['A', 'https://u:p@h'],
  ])('%s=%s looks like a secret', (name, value) => {
    expect(looksSecret(name, value)).toBe(true);
  });

  it.each([
    ['PATH', '/usr/bin:/bin'],
    ['LANG', 'zh_CN.UTF-8'],
    ['HTTP_PROXY', 'http://proxy.example.com:8080'],
  ])('%s=%s does not', (name, value) => {
    expect(looksSecret(name, value)).toBe(false);
  });
});
