// Draws the chat again into docs/screens/: the built program in a pseudo-terminal, three sizes, two languages.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');
const outfile = path.join(root, 'node_modules/.cache/frost/screens.mjs');
await build({
  absWorkingDir: root,
  entryPoints: ['test/fixtures/screens.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['@lydell/node-pty', '@xterm/headless'],
});
const { status } = spawnSync(process.execPath, [outfile, path.join(root, 'docs/screens'), path.join(root, 'bin/frost.js')], {
  stdio: 'inherit',
});
fs.rmSync(outfile);
process.exitCode = status ?? 1;
