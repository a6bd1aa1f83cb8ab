import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

const FROST = path.resolve(import.meta.dirname, '../../bin/frost.js');

it.each(['--help', 'ask --help', 'config', 'sessions --help'])('P03: frost %s into a reader that is gone ends without a stack', (args) => {
  const line = `exec 3>&1; { "$0" "$1" ${args}; echo "rc=$?" >&3; } | true`;
  const { stdout, stderr } = spawnSync('bash', ['-c', line, process.execPath, FROST], { encoding: 'utf8', timeout: 15_000 });
  expect(stderr).toBe('');
  expect(stdout).toContain('rc=141');
});
