// Turns the chunks of a split ES module bundle into CommonJS. The bundler splits ES modules only, but CommonJS starts faster:
// it needs no linking, and its compiled code can be kept on disk.
import path from 'node:path';
import { transform } from 'esbuild';

const OWN_CHUNK = /\bimport\(("\.{1,2}\/[^"]+\.js")\)/g;
const BUILT_IN = /\bimport\("(node:[a-z/_]+)"\)/g;
/** A package that may or may not be installed beside frost. */
const PACKAGE = /\bimport\(("[^"./][^":]*")\)/g;

/** What a chunk may need at its head, by the name it uses. */
const HEADS = {
  __frostUrl: 'const __frostUrl=require("node:url").pathToFileURL(__filename).href;',
  __frostImport: 'const __frostImport=require("./import.js");',
  // A CommonJS package comes out of the bundler as a default export alone; Node would give its names too.
  __frostChunk: 'const __frostChunk=(m)=>Object.keys(m).join()==="default"?{...m.default,default:m.default}:m;',
  // Not a copy: reading every name of node:http would load the whole built-in fetch.
  __frostBuiltIn: 'const __frostBuiltIn=(m)=>Object.create(m,{default:{value:m}});',
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
async function toCommonJs(text, file, withMaps) {
  const lazy = text
    .replace(OWN_CHUNK, (_, chunk) => `Promise.resolve().then(()=>__frostChunk(require(${chunk})))`)
    .replace(BUILT_IN, (_, name) => `Promise.resolve().then(()=>__frostBuiltIn(require("${name}")))`)
    .replace(PACKAGE, (_, name) => `__frostImport(${name})`);
  await refuseDynamicImport(lazy, file);
  const heads = Object.entries(HEADS).filter(([name]) => lazy.includes(name));
  const { code } = await transform(lazy, { ...OPTIONS, ...(withMaps && { minify: false, sourcemap: 'inline' }) });
  return `"use strict";${heads.map(([, head]) => head).join('')}${code}`;
}

/**
 * @param outputs the output files of an esbuild run with `write: false`, chunks and all
 * @returns `[{file, text}]`, paths relative to `dist`
 */
export function commonJsChunks(outputs, dist, withMaps) {
  return Promise.all(
    outputs.map(async (output) => {
      const file = path.relative(dist, output.path);
      return { file, text: await toCommonJs(output.text, file, withMaps) };
    }),
  );
}
