// Builds dist/: one bundle, split at the dynamic imports, with every dependency inside, and the types of the public entry.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { lightOpenai } from './light-openai.mjs';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Ink's optional developer tools are not installed and not wanted. */
const withoutDevtools = {
  name: 'without-devtools',
  setup(b) {
    b.onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: 'none', namespace: 'none' }));
    b.onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'export default {}' }));
  },
};

/** Of dotenv only `parse` is used, which needs no cryptography; loading that costs 20 ms. */
const withoutCrypto = {
  name: 'without-crypto',
  setup(b) {
    b.onResolve({ filter: /^(node:)?crypto$/ }, ({ importer }) =>
      /[\\/]node_modules[\\/]dotenv[\\/]/.test(importer) ? { path: 'none', namespace: 'none' } : undefined,
    );
  },
};

fs.rmSync(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: true,
  keepNames: false,
  legalComments: 'none',
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [withoutDevtools, withoutCrypto, lightOpenai],
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"', FROST_VERSION: JSON.stringify(version) },
  banner: { js: "import{createRequire as __frostRequire}from'node:module';const require=__frostRequire(import.meta.url);" },
  logLevel: 'warning',
});
if (!process.argv.includes('--no-types')) {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'build/tsconfig.types.json'], { cwd: root, stdio: ['ignore', 2, 2] });
}
