import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures');

/** A fixture program of TypeScript as one file that `node` runs; returns its path. */
export async function bundleFixture(name: string): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-fixture-'));
  const outfile = path.join(folder, `${path.parse(name).name}.mjs`);
  await build({
    entryPoints: [path.join(FIXTURES, name)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}
