// Builds dist/: the program and the SDK, split at their dynamic imports, as CommonJS; the package's public entry as an ES
// module with its types; the licences of everything inside.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { build, transform } from 'esbuild';
import { chunkFunctions } from './commonjs.mjs';
import { thirdPartyLicences } from './licences.mjs';
import { packed } from './packs.mjs';
import { plugins } from './plugins.mjs';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/** For profiles: readable code that knows where it came from. */
const withMaps = process.argv.includes('--maps');

const common = {
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: !withMaps,
  ...(withMaps && { sourcemap: 'inline' }),
  legalComments: 'none',
  plugins,
  metafile: true,
  write: false,
  logLevel: 'warning',
};
const define = { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"', FROST_VERSION: JSON.stringify(version) };

/** The command-line program and the SDK, which share their chunks: the chunks, the loader, and what the launcher has to know. */
async function buildProgram() {
  const result = await build({
    ...common,
    entryPoints: { cli: 'src/cli/main.ts', sdk: 'src/index.ts' },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: path.join(dist, 'program'),
    splitting: true,
    define: { ...define, 'import.meta.url': '__frostUrl' },
  });
  const { files, where } = packed(await chunkFunctions(result.outputFiles, withMaps), result.metafile, withMaps);
  for (const { name, text } of files) write(`program/${name}`, text);
  const entryOf = (source) => {
    const [file, { exports }] = Object.entries(result.metafile.outputs).find(([, output]) => output.entryPoint === source);
    return { chunk: path.basename(file), exports };
  };
  await writeStart(entryOf('src/cli/main.ts').chunk, where);
  writePublicEntry(entryOf('src/index.ts'));
  return result.metafile;
}

/** The package's public entry: an ES module with the names of the SDK's chunk. It keeps no compiled code in the user's folders. */
function writePublicEntry({ chunk, exports }) {
  const names = exports.join(', ');
  const lines = [
    "import { createRequire } from 'node:module';",
    'const require = createRequire(import.meta.url);',
    `const { ${names} } = require('./program/loader.js').load({ ...require('./program/start.js'), entry: '${chunk}' });`,
    `export { ${names} };`,
  ];
  write('index.js', `${lines.join('\n')}\n`);
}

async function writeStart(entry, chunks) {
  write('program/package.json', '{"type":"commonjs"}\n');
  write('program/import.js', 'module.exports=(id)=>import(id);\n');
  const info = { version, build: createHash('sha256').update(JSON.stringify(chunks)).digest('hex').slice(0, 12), entry, chunks };
  write('program/start.js', `module.exports=${JSON.stringify(info)};\n`);
  const loader = fs.readFileSync(path.join(import.meta.dirname, 'loader.cjs'), 'utf8');
  write('program/loader.js', (await transform(loader, { minify: true, target: 'node20' })).code);
}

function write(file, text) {
  const target = path.join(dist, file);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, text);
}

fs.rmSync(dist, { recursive: true, force: true });
write('THIRD-PARTY-LICENSES.txt', thirdPartyLicences([await buildProgram()], root));
if (!process.argv.includes('--no-types')) {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'build/tsconfig.types.json'], { cwd: root, stdio: ['ignore', 2, 2] });
}
