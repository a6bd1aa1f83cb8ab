/** Files that hold secrets: refused for reading and writing unless a rule names them. */
import { pathPattern } from './glob.js';

/** Patterns of a file's name, or of the end of its path where they have a slash; a leading `!` is an exception. */
export const SECRET_PATTERNS: readonly string[] = [
  '.env',
  '.env.*',
  '!.env.{example,sample,template,dist,defaults}',
  '.envrc',
  '*.{pem,key,p12,pfx,jks,keystore,kdbx,ppk,asc,gpg}',
  'id_{rsa,dsa,ecdsa,ed25519}*',
  '!id_*.pub',
  '.{netrc,npmrc,yarnrc,pypirc,pgpass,my.cnf,htpasswd,dockercfg,git-credentials,vault-token,terraformrc,s3cfg,boto}',
  '_netrc',
  'credentials.json',
  'service-account*.json',
  'application_default_credentials.json',
  '.{ssh,gnupg,aws,azure,gcloud,password-store}/**',
  '.{docker,kube}/config*',
  '.config/{gcloud,frost,rclone,op}/**',
  '.config/gh/hosts.yml',
  '.{cargo,gem}/credentials*',
];

export type SecretTest = (path: string) => boolean;

/**
 * A test for paths with forward slashes, absolute or relative to the workspace. The last pattern that matches decides.
 * `extra` comes after the built-in list, so that a user's `!pattern` can lift one of them.
 */
export function secretTest(extra: readonly string[] = []): SecretTest {
  let test: SecretTest | undefined;
  return (path) => {
    // Made at the first path: most runs touch none.
    test ??= compiled([...SECRET_PATTERNS, ...extra]);
    return test(path);
  };
}

function compiled(patterns: readonly string[]): SecretTest {
  const tests = patterns.map((pattern) => {
    const exception = pattern.startsWith('!');
    const bare = exception ? pattern.slice(1) : pattern;
    return { exception, regexp: pathPattern(bare.startsWith('/') ? bare : `**/${bare}`, { ignoreCase: true }) };
  });
  // Nearly every path is no secret: one expression says so.
  const any = new RegExp(tests.map(({ regexp }) => regexp.source).join('|'), 'isu');
  return (path) => any.test(path) && tests.reduce((secret, { exception, regexp }) => (regexp.test(path) ? !exception : secret), false);
}
