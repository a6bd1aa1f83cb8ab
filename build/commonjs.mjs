// Turns the chunks of a split ES module bundle into functions over `require`, for build/loader.cjs. The bundler splits ES modules
// only, but those have to be linked, and what V8 compiled of them cannot be kept on disk.
import path from 'node:path';
import { transform } from 'esbuild';

const OWN_CHUNK = /\bimport\(("\.{1,2}\/[^"]+\.js")\)/g;
const BUILT_IN = /\bimport\("(node:[a-z/_]+)"\)/g;
/** A package that may or may not be installed beside frost. */
const PACKAGE = /\bimport\(("[^"./][^":]*")\)/g;

/** Parts of Node that cost a millisecond or more to load and that most runs never use: required at their first use. */
const LATE = [
  'assert',
  'child_process',
  'crypto',
  'dns',
  'fs/promises',
  'https',
  'module',
  'os',
  'readline',
  'tls',
  'tty',
  'worker_threads',
  'zlib',
];
const LATE_NAME = `require\\("node:(?:${LATE.join('|')})"\\)`;
const LATE_REQUIRE = new RegExp(`=(?:[\\w$]+\\((${LATE_NAME})(?:,1)?\\)|(${LATE_NAME}))(?=[,;])`, 'g');

/** What a chunk may need at its head, by the name it uses. */
const HEADS = {
  __frostUrl: 'const __frostUrl=require("node:url").pathToFileURL(__filename).href;',
  __frostImport: 'const __frostImport=require("./import.js");',
  // A CommonJS package comes out of the bundler as a default export alone; Node would give its names too.
  __frostChunk: 'const __frostChunk=(m)=>Object.keys(m).join()==="default"?{...m.default,default:m.default}:m;',
  // Not a copy: reading every name of node:http would load the whole built-in fetch.
  __frostBuiltIn: 'const __frostBuiltIn=(m)=>Object.create(m,{default:{value:m}});',
  __frostLate: 'const __frostLate=(load)=>new Proxy({},{get:(_,name)=>name==="default"?load():load()[name]});',
};

const OPTIONS = { format: 'cjs', platform: 'node', target: 'node20', minify: true, legalComments: 'none' };

/** `import()` in a script that is loaded from the code cache makes Node warn; `__frostImport` is the way around. */
async function refuseDynamicImport(text, file) {
  if (!/\bimport\(/.test(text)) return;
  const [kept, rewritten] = await Promise.all(
    [true, false].map((known) => transform(text, { ...OPTIONS, supported: { 'dynamic-import': known } })),
  );
  if (kept.code !== rewritten.code)
    throw new Error(`${file}: an import() of something that is not a chunk; build/plugins.mjs shows how to hand it on.`);
}

/** @param text an ES module whose `import.meta.url` was named `__frostUrl` */
async function toFunction(text, file, withMaps) {
  const lazy = text
    .replace(OWN_CHUNK, (_, chunk) => `Promise.resolve().then(()=>__frostChunk(require(${chunk})))`)
    .replace(BUILT_IN, (_, name) => `Promise.resolve().then(()=>__frostBuiltIn(require("${name}")))`)
    .replace(PACKAGE, (_, name) => `__frostImport(${name})`);
  await refuseDynamicImport(lazy, file);
  const { code } = await transform(lazy, { ...OPTIONS, ...(withMaps && { minifyIdentifiers: false, sourcemap: 'inline' }) });
  const late = code.replace(LATE_REQUIRE, (_, wrapped, bare) => `=__frostLate(()=>${wrapped ?? bare})`);
  const heads = Object.entries(HEADS).filter(([name]) => late.includes(name));
  return `function(exports,require,module,__filename){"use strict";${heads.map(([, head]) => head).join('')}${late}\n}`;
}

/**
 * @param outputs the output files of an esbuild run with `write: false`, chunks and all
 * @returns a map of each chunk's file name to its function expression
 */
export async function chunkFunctions(outputs, withMaps) {
  const entries = outputs.map(async ({ path: file, text }) => [path.basename(file), await toFunction(text, path.basename(file), withMaps)]);
  return new Map(await Promise.all(entries));
}
