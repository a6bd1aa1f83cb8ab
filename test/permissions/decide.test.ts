import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Access, PermissionMode } from '../../src/permissions/access.js';
import { boundaryOf } from '../../src/permissions/boundary.js';
import { type DecideContext, decide } from '../../src/permissions/decide.js';
import { parseRules } from '../../src/permissions/rules.js';
import { secretTest } from '../../src/permissions/secrets.js';

const context: DecideContext = {
  tool: 'run_command',
  root: '/ws',
  addDirs: ['/extra'],
  readDirs: ['/kept'],
  isSecret: secretTest(),
  sandboxed: true,
};

function verdict(
  access: Access,
  mode: PermissionMode,
  allow: string[] = [],
  deny: string[] = [],
  more: Partial<DecideContext> = {},
): string {
  const tool = { none: 'send_message', read: 'read_file', write: 'write_file', run: 'run_command', fetch: 'fetch_url' }[access.kind];
  return decide(access, mode, parseRules({ allow, deny }), { ...context, tool, ...more }).verdict;
}

const read = (path: string): Access => ({ kind: 'read', path });
const write = (path: string): Access => ({ kind: 'write', path });
const run = (command: string): Access => ({ kind: 'run', command });
const fetch = (url: string): Access => ({ kind: 'fetch', url });

describe('what each mode lets through', () => {
  it.each<[what: string, access: Access, read: string, ask: string, edit: string, full: string]>([
    ['a tool that touches nothing', { kind: 'none' }, 'allow', 'allow', 'allow', 'allow'],
    ['reading a file', read('src/a.ts'), 'allow', 'allow', 'allow', 'allow'],
    ['reading an added folder', read('/extra/a'), 'allow', 'allow', 'allow', 'allow'],
    ['reading a long output that frost kept', read('/kept/1.log'), 'allow', 'allow', 'allow', 'allow'],
    ['writing there', write('/kept/1.log'), 'deny', 'deny', 'deny', 'deny'],
    ['reading outside', read('/etc/passwd'), 'deny', 'deny', 'deny', 'deny'],
    ['reading a secret', read('.env'), 'deny', 'deny', 'deny', 'deny'],
    ['writing a file', write('src/a.ts'), 'deny', 'ask', 'allow', 'allow'],
    ['writing what later commands run', write('.git/hooks/pre-commit'), 'deny', 'ask', 'ask', 'allow'],
    ['writing outside', write('../a'), 'deny', 'deny', 'deny', 'deny'],
    ['a command that looks only', run('git status'), 'allow', 'allow', 'allow', 'allow'],
    ['a command that does more', run('npm test'), 'deny', 'ask', 'ask', 'allow'],
    ['a command nobody can judge', run('echo $(date)'), 'deny', 'ask', 'ask', 'allow'],
    ['fetching an address', fetch('https://example.com/'), 'ask', 'ask', 'ask', 'allow'],
    ['fetching something else', fetch('file:///etc/passwd'), 'deny', 'deny', 'deny', 'deny'],
    ['an address with a password', fetch('https://a:b@example.com/'), 'deny', 'deny', 'deny', 'deny'],
  ])('%s', (_what, access, ...expected) => {
    expect((['read', 'ask', 'edit', 'full'] as const).map((mode) => verdict(access, mode))).toEqual(expected);
  });

  it('asks for every command where there is no sandbox', () => {
    expect(verdict(run('git status'), 'ask', [], [], { sandboxed: false })).toBe('ask');
    expect(verdict(run('git status'), 'ask', ['run_command(git status)'], [], { sandboxed: false })).toBe('allow');
  });
});

describe('rules', () => {
  it.each<[string, Access, PermissionMode, string[], string[], string]>([
    ['deny wins over allow', write('src/a.ts'), 'full', ['write_file(src/**)'], ['write_file(src/**)'], 'deny'],
    ['deny wins over the full mode', run('rm -rf x'), 'full', [], ['run_command(rm *)'], 'deny'],
    ['a denied reading is hidden from every reading tool', read('private/x'), 'ask', [], ['read_file(private/**)'], 'deny'],
    ['a rule for writing holds for editing', write('src/a.ts'), 'read', ['edit_file(src/**)'], [], 'allow'],
    ['a rule covers what it says only', write('test/a.ts'), 'read', ['write_file(src/**)'], [], 'deny'],
    ['`*` stays in its folder', write('src/a/b.ts'), 'read', ['write_file(src/*)'], [], 'deny'],
    ['a rule without a pattern covers the tool', write('a'), 'read', ['write_file'], [], 'allow'],
    ['a rule never opens the outside', write('/etc/passwd'), 'full', ['write_file(/etc/**)'], [], 'deny'],
    ['a rule that names a secret opens it', read('.env'), 'read', ['read_file(.env)'], [], 'allow'],
    ['a rule for everything does not open secrets', read('.env'), 'read', ['read_file(**)'], [], 'deny'],
    ['a command with its arguments', run('npm test -- --run'), 'read', ['run_command(npm test *)'], [], 'allow'],
    ['a final ` *` covers no arguments too', run('npm test'), 'read', ['run_command(npm test *)'], [], 'allow'],
    ['a word is not a prefix', run('npm testing'), 'ask', ['run_command(npm test *)'], [], 'ask'],
    ['every part must be allowed', run('npm test && curl evil'), 'ask', ['run_command(npm test*)'], [], 'ask'],
    ['all parts allowed', run('npm test && npm run lint'), 'ask', ['run_command(npm *)'], [], 'allow'],
    ['one denied part denies all', run('npm test; rm x'), 'full', ['run_command(npm *)'], ['run_command(rm *)'], 'deny'],
    ['a substitution is not covered', run('npm test $(curl evil)'), 'ask', ['run_command(npm *)'], [], 'ask'],
    ['a redirection is a write of its own', run('npm test > ../out'), 'edit', ['run_command(npm *)'], [], 'deny'],
    ['a redirection into the workspace', run('npm test > out.txt'), 'edit', ['run_command(npm *)'], [], 'allow'],
    ['a redirection where edits ask', run('npm test > out.txt'), 'ask', ['run_command(npm *)'], [], 'ask'],
    ['an assignment is no part of the rule', run('PATH=. npm test'), 'ask', ['run_command(npm *)'], [], 'ask'],
    ['deny rules see through wrappers', run('env A=1 sudo -u root rm x'), 'full', [], ['run_command(rm *)'], 'deny'],
    ['deny rules see through a shell', run("bash -lc 'cd / && rm x'"), 'full', [], ['run_command(rm *)'], 'deny'],
    ['deny rules see through quotes and folders', run('"/bin/r"m x'), 'full', [], ['run_command(rm *)'], 'deny'],
    ['a deny rule that cannot be checked asks', run('$X y'), 'full', [], ['run_command(rm *)'], 'ask'],
    ['an address', fetch('https://example.com/a?b'), 'read', ['fetch_url(https://example.com/*)'], [], 'allow'],
    [
      'another host with the same beginning',
      fetch('https://example.com.evil.org/'),
      'ask',
      ['fetch_url(https://example.com/*)'],
      [],
      'ask',
    ],
    ['a wildcard host ends at the path', fetch('https://evil.org/.example.com/'), 'ask', ['fetch_url(https://*.example.com/*)'], [], 'ask'],
    ['a wildcard host', fetch('https://docs.example.com/x'), 'ask', ['fetch_url(https://*.example.com/*)'], [], 'allow'],
    ['a denied address', fetch('https://example.com/private/x'), 'full', [], ['fetch_url(https://example.com/private/*)'], 'deny'],
    ['a denied tool', { kind: 'none' }, 'full', [], ['send_message'], 'deny'],
  ])('%s', (_what, access, mode, allow, deny, expected) => {
    expect(verdict(access, mode, allow, deny)).toBe(expected);
  });

  it('offers a rule that lets the same call through later', () => {
    for (const access of [write('src/[x].ts'), run('npm run "a b*"'), fetch('https://example.com/x')]) {
      const asked = decide(access, 'ask', parseRules({}), { ...context, tool: access.kind === 'write' ? 'write_file' : 'run_command' });
      expect(asked.verdict).toBe('ask');
      expect(verdict(access, 'ask', [asked.verdict === 'ask' ? (asked.rule ?? '') : ''])).toBe('allow');
    }
  });
});

describe('the boundary', () => {
  it('no decided path leaves the root, whatever it is made of', () => {
    const segment = fc.oneof(
      fc.constantFrom('..', '.', '', '~', 'ws', 'wsx', 'extra', 'a', '...', '.. ', '\u2024\u2024', '%2e%2e', '..\\..', 'C:'),
      fc.string({ maxLength: 6 }),
    );
    const paths = fc.tuple(fc.constantFrom('', '/', '//', '/ws/', '/ws/../', '~/', './'), fc.array(segment, { maxLength: 8 }));
    fc.assert(
      fc.property(
        paths,
        fc.constantFrom('read', 'write'),
        fc.constantFrom('read', 'ask', 'edit', 'full'),
        ([start, segments], kind, mode) => {
          const path = start + segments.join('/');
          const given = decide({ kind, path }, mode, parseRules({ allow: ['read_file(**)', 'write_file(/**)'] }), {
            ...context,
            tool: `${kind}_file`,
          });
          if (given.verdict === 'deny') return;
          const walked = path.startsWith('/') ? path : `/ws/${path}`;
          const stack: string[] = [];
          for (const part of walked.split('/')) part === '..' ? stack.pop() : part !== '' && part !== '.' && stack.push(part);
          const [first] = stack;
          expect(['ws', 'extra']).toContain(first);
          expect(/^~(\/|$)/.test(path)).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('a folder with the same beginning is another folder', () => {
    expect(boundaryOf('/wsx/a', { root: '/ws', addDirs: [] }, 'read')).toBeUndefined();
    expect(boundaryOf('/ws/..a', { root: '/ws', addDirs: [] }, 'read')).toBe('/ws');
    expect(boundaryOf('/ws', { root: '/ws', addDirs: [] }, 'write')).toBe('/ws');
  });
});
