import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PermissionMode } from '../../src/permissions/access.js';
import { decide } from '../../src/permissions/decide.js';
import { parseRules } from '../../src/permissions/rules.js';
import { secretTest } from '../../src/permissions/secrets.js';

interface Circumstances {
  mode?: PermissionMode;
  allow?: string[];
  deny?: string[];
  sandboxed?: boolean;
}

function verdict(command: string, { mode = 'ask', allow = [], deny = [], sandboxed = true }: Circumstances = {}): string {
  const links: Record<string, string> = { '/ws/link': '/etc/passwd', '/ws/linked/passwd': '/etc/passwd' };
  const context = {
    tool: 'run_command',
    root: '/ws',
    addDirs: [],
    isSecret: secretTest(),
    sandboxed,
    realPath: (file: string) => links[file] ?? file,
  };
  return decide({ kind: 'run', command }, mode, parseRules({ allow, deny }), context).verdict;
}

/** What a user allowed for convenience; none of the commands below is meant by it. */
const TRUSTED = ['run_command(git status*)', 'run_command(npm test*)', 'run_command(echo *)'];

const NOT_ALLOWED: [trick: string, command: string][] = [
  ['a second command after ;', 'git status; rm -rf .'],
  ['a second command after ; without spaces', 'git status;rm -rf .'],
  ['a second command after &&', 'git status && rm -rf .'],
  ['a second command after ||', 'git status || rm -rf .'],
  ['a pipe', 'git status | sh'],
  ['a pipe with errors', 'git status |& sh'],
  ['the background', 'git status & rm -rf .'],
  ['a newline', 'git status\nrm -rf .'],
  ['a carriage return', 'git status\rrm -rf .'],
  ['a newline after a comment', 'git status # fine\nrm -rf .'],
  ['a line that goes on', 'git status \\\n; rm -rf .'],
  ['a command substitution', 'git status $(rm -rf .)'],
  ['a command substitution in quotes', 'git status "$(rm -rf .)"'],
  ['backticks', 'git status `rm -rf .`'],
  ['backticks in quotes', 'echo "`rm -rf .`"'],
  ['a nested substitution', 'echo $(echo $(rm -rf .))'],
  ['a substitution in an arithmetic expression', 'echo $((a[$(rm -rf .)]))'],
  ['a substitution in a default value', `echo \${x:-$(rm -rf .)}`],
  ['a substitution in a here-document', 'echo <<EOF\n$(rm -rf .)\nEOF'],
  ['a substitution in a here-string', 'echo <<< "$(rm -rf .)"'],
  ['a process substitution that reads', 'echo <(rm -rf .)'],
  ['a process substitution that writes', 'git status > >(sh)'],
  ['the output of a substitution as the command', '$(echo rm) -rf .'],
  ['a variable as the command', 'x=rm; $x -rf .'],
  ['a variable as an argument', 'echo $SECRET'],
  ['a variable that runs in a prompt expansion', `echo \${x@P}`],
  ['an indirect variable', `echo \${!x}`],
  ['an environment prefix', 'GIT_PAGER="rm -rf ." git status'],
  ['PATH before the command', 'PATH=. git status'],
  ['LD_PRELOAD before the command', 'LD_PRELOAD=./evil.so npm test'],
  ['an assignment before', 'PATH=.; git status'],
  ['env', 'env PATH=. git status'],
  ['a function of the same name', 'git() { rm -rf .; }; git status'],
  ['an alias', "alias git='rm -rf .'; git status"],
  ['a group', '{ git status; rm -rf .; }'],
  ['a subshell', '(git status; rm -rf .)'],
  ['a condition', 'if git status; then rm -rf .; fi'],
  ['a loop', 'for x in 1; do rm -rf .; done'],
  ['a while loop', 'while git status; do rm -rf .; done'],
  ['a case', 'case a in a) rm -rf .;; esac'],
  ['a coprocess', 'coproc rm -rf .'],
  ['a negation', '! rm -rf .'],
  ['time', 'time rm -rf .'],
  ['eval', 'eval "rm -rf ."'],
  ['exec', 'exec rm -rf .'],
  ['command', 'command rm -rf .'],
  ['xargs', 'echo . | xargs rm -rf'],
  ['a shell one-liner', "sh -c 'rm -rf .'"],
  ['a Python one-liner', 'python3 -c "import shutil; shutil.rmtree(\'.\')"'],
  ['a Node one-liner', "node -e \"require('fs').rmSync('.')\""],
  ['a Perl one-liner', 'perl -e \'unlink glob "*"\''],
  ['awk', 'awk \'BEGIN { system("rm -rf .") }\''],
  ['sed with e', "echo x | sed 's/x/rm/e'"],
  ['a here-document for a shell', "sh <<'EOF'\nrm -rf .\nEOF"],
  ['source', 'source ./evil.sh'],
  ['a dot', '. ./evil.sh'],
  ['find with -exec', 'find . -exec rm {} +'],
  ['find with -delete', 'find . -delete'],
  ['find with -fprintf', 'find . -fprintf out %p'],
  ['sort with an output', 'sort -o out in'],
  ['sort with a shortened long option', 'sort --outp=out in'],
  ['sort with a program', 'sort --compress-program=./evil in'],
  ['git with a configuration', 'git -c core.pager=./evil log'],
  ['git in another folder', 'git -C /etc status'],
  ['git diff with an output', 'git diff --output=x'],
  ['git diff of files outside', 'git diff --no-index a /etc/passwd'],
  ['git grep with a pager', 'git grep -O./evil x'],
  ['rg with a preprocessor', 'rg --pre ./evil x'],
  ['tar with a checkpoint action', 'tar cf x --checkpoint-action=exec=sh .'],
  ['date that sets the clock', 'date -s tomorrow'],
  ['cd to the home folder', 'cd && cat notes'],
  ['cd -', 'cd - && cat notes'],
  ['a path with a program of a known name', './git status'],
  ['an absolute program', '/tmp/ls'],
  ['trap', "trap 'rm -rf .' EXIT"],

  ['an open quote', 'git status "'],
  ['an open here-document', 'echo <<EOF\n`'],
  ['a bidirectional override', 'git status\u202e; echo'],
  ['a NUL', 'git status\0; rm -rf .'],
  ['ANSI-C quotes', "$'rm' -rf ."],
  ['a quoted name', '"r"m -rf .'],
  ['an escaped name', '\\rm -rf .'],
  ['a brace list', '{rm,-rf,.}'],
  ['a file-name pattern as the command', '/bin/r? -rf .'],
];

const BASH_PIECES = [
  ...[
    'evil',
    'evil',
    'evil',
    'echo',
    ' ',
    ';',
    '|',
    '&',
    '&&',
    '\n',
    '`',
    '$(',
    ')',
    '(',
    "'",
    '"',
    '\\',
    '>',
    '<',
    '#',
    '*',
    '{',
    '}',
    '$',
    '!',
  ],
  ...[
    '<<E',
    '\nE\n',
    "<<'E'",
    '<<<',
    'a',
    'b=',
    '[',
    ']',
    "$'",
    '$"',
    '~',
    'if',
    'then',
    'fi',
    'case',
    'esac',
    'in',
    'do',
    'done',
    '[[',
    '((',
    '))',
  ],
  ...['\t', '\\\n', '|&', '&>', '>&', '2', '-', ',', '${', ':', 'time', 'function', 'coproc'],
];

const READS_OUT: string[] = [
  'cat /etc/passwd',
  'cat ../outside',
  'cat src/../../outside',
  'cat ~/.ssh/id_rsa',
  'cat ~root/.bashrc',
  'cat .env',
  'cat ./.env',
  'cat "."env',
  "cat $'.env'",
  'cat .e*',
  'cat .{env,x}',
  'cat ?env',
  'cat [.]env',
  'cat link',
  'cat linked/passwd',
  'cat < /etc/passwd',
  'cat < .env',
  'grep -f/etc/passwd x',
  'grep -rf../outside x',
  'grep --file=/etc/passwd x',
  'grep x /proc/self/environ',
  'head -n1 /etc/shadow',
  'ls /root',
  'find / -name x',
  'git show HEAD:.env',
  'git diff .env',
  'wc -l --files0-from=/etc/passwd',
  'jq -f /etc/passwd',
  'diff a.txt /etc/passwd',
  'cd .. && cat x',
  'cd /etc && cat passwd',
];

const LOOKS: string[] = [
  'ls',
  'ls -la src',
  'pwd',
  'cat a.txt b.txt',
  'cat < a.txt',
  'cat /ws/src/a.ts',
  'head -n 20 src/a.ts',
  'git status',
  'git status --short',
  'git log --oneline -n 5',
  'git diff HEAD~1 -- src',
  'git show HEAD:src/a.ts',
  'git rev-parse HEAD',
  'grep -rn "a|b" src',
  "find . -name '*.ts' -type f",
  'ls src | wc -l',
  'cat a.txt | sort | head -3',
  'cd src && ls',
  'ls 2>/dev/null',
  'ls > /dev/null 2>&1',
  '(ls; pwd)',
  'node --version',
  "cat <<'EOF'\n$(rm -rf .)\nEOF",
  'echo "a; rm -rf ." \'$(x)\'',
  'ls # ; rm -rf .',
];

describe('commands that must not run unasked', () => {
  it('are at least sixty', () => {
    expect(NOT_ALLOWED.length + READS_OUT.length).toBeGreaterThanOrEqual(60);
  });

  it.each(NOT_ALLOWED)('%s: %j asks, and is denied where nobody can be asked', (_trick, command) => {
    const allow = command.startsWith('echo') || command.includes('| xargs') || command.includes('| sed') ? TRUSTED : TRUSTED.slice(0, 2);
    for (const mode of ['ask', 'edit'] as const) expect(verdict(command, { mode, allow })).toBe('ask');
    expect(verdict(command, { mode: 'read', allow })).toBe('deny');
    expect(verdict(command, { mode: 'ask', allow, sandboxed: false })).toBe('ask');
  });

  it.each(READS_OUT)('%j does not count as looking only', (command) => {
    expect(verdict(command)).toMatch(/^(ask|deny)$/);
    expect(verdict(command, { mode: 'read' })).toBe('deny');
  });

  it.each(LOOKS)('%j looks only', (command) => {
    expect(verdict(command, { mode: 'read' })).toBe('allow');
    expect(verdict(command, { mode: 'ask', sandboxed: false })).toBe('ask');
  });

  it.each([
    ['echo x > ../out', 'deny'],
    ['echo x > /etc/cron.d/x', 'deny'],
    ['echo x >> ~/.bashrc', 'ask'],
    ['echo x > link', 'deny'],
    ['echo x > .env', 'deny'],
    ['echo x > .git/hooks/pre-commit', 'ask'],
    ['echo x >| $HOME/x', 'ask'],
    ['echo x > out-*', 'ask'],
    ['echo x &> ../out', 'deny'],
    ['echo x >& ../out', 'deny'],
    ['echo x 2> ../out', 'deny'],
    ['echo x <> ../out', 'deny'],
    ['echo x > src/../../out', 'deny'],
    ['echo x > linked/../out', 'ask'],
    ['cd src && echo x > out', 'ask'],
    ['{ echo x; } > ../out', 'deny'],
    ['> ../out', 'deny'],
    ['echo x > out.txt', 'allow'],
  ])('a redirection is a write: %j', (command, expected) => {
    expect(verdict(command, { mode: 'edit', allow: TRUSTED })).toBe(expected);
  });

  it.each([
    'rm -rf x',
    '/bin/rm x',
    '"rm" x',
    "r'm' x",
    'r\\m x',
    '\\rm x',
    "$'rm' x",
    'ls && rm x',
    'ls; (rm x)',
    'env rm x',
    'A=1 rm x',
    'command rm x',
    'nohup rm x',
    'timeout 5 rm x',
    'sudo -u root rm x',
    'nice -n 5 rm x',
    'echo x | xargs rm',
    "bash -c 'rm x'",
    "sh -ec 'ls; rm x'",
    "eval 'rm x'",
    'if true; then rm x; fi',
    'for f in a; do rm x; done',
    'f() { rm x; }; f',
    'echo $(rm x)',
    'echo "`rm x`"',
    'cat <(rm x)',
    'cat <<EOF\n$(rm x)\nEOF',
    '! rm x',
    'time rm x',
    'rm x &',
  ])('a deny rule finds its command in %j, in every mode', (command) => {
    for (const mode of ['read', 'ask', 'edit', 'full'] as const) {
      expect(verdict(command, { mode, allow: ['run_command'], deny: ['run_command(rm *)'] })).toBe('deny');
    }
  });

  it('quoting never turns a string into more than one command', () => {
    const parts = fc.array(fc.constantFrom('a', ' ', ';', '|', '&', '\n', '`', '$(', ')', "'", '"', '\\', '>', '<', '#', '*', '{', '}'), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(parts, (pieces) => {
        const quoted = `'${pieces.join('').replaceAll("'", "'\\''")}'`;
        expect(verdict(`echo ${quoted}`, { mode: 'read' })).toBe('allow');
      }),
    );
  });

  it('no command with an unquoted word that is not on the list is allowed', () => {
    const joint = fc.constantFrom(';', '&&', '||', '|', '&', '\n', ' ;', '|&', ';\n', ' && ! ');
    const look = fc.constantFrom(...LOOKS.filter((command) => !/[#\n(]/.test(command)));
    fc.assert(
      fc.property(fc.array(fc.tuple(look, joint), { maxLength: 4 }), fc.array(fc.tuple(joint, look), { maxLength: 3 }), (before, after) => {
        const command = `${before.flat().join(' ')} evil ${after.flat().join(' ')}`;
        expect(verdict(command, { allow: TRUSTED })).toBe('ask');
      }),
    );
  });

  it('bash itself runs nothing in an allowed command that was not judged', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-bash-'));
    const mark = path.join(folder, 'ran');
    fs.mkdirSync(path.join(folder, 'bin'));
    fs.writeFileSync(path.join(folder, 'bin/evil'), `#!/bin/sh\n: > ${mark}\n`, { mode: 0o755 });
    const pieces = fc.constantFrom(...BASH_PIECES);
    try {
      fc.assert(
        fc.property(fc.array(pieces, { minLength: 2, maxLength: 9 }), fc.constantFrom('', ' '), (parts, joint) => {
          const command = `echo ${parts.join(joint)}`;
          if (!command.includes('evil') || verdict(command, { mode: 'edit', allow: ['run_command(echo*)'] }) !== 'allow') return;
          spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', command], {
            cwd: folder,
            env: { PATH: path.join(folder, 'bin') },
            stdio: 'ignore',
          });
          expect(fs.existsSync(mark)).toBe(false);
        }),
        { numRuns: 4000 },
      );
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
});
