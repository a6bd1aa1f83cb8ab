/**
 * The openai package with only what frost calls. Its client makes an object for every API the vendor has, and keeps its headers
 * in the built-in Headers, which loads the whole built-in fetch: together a third of a start.
 */
import fs from 'node:fs';
import path from 'node:path';

/** Parts of the package that frost never calls: they are loaded only to be constructed. */
const UNUSED = /\/openai\/(resources\/(?!index|shared|chat\/|models|webhooks)|lib\/|azure|bedrock|core\/uploads|auth\/)/;

const HEADERS = `
class Headers {
  #values = new Map();
  get(name) { return this.#values.get(name.toLowerCase()) ?? null; }
  append(name, value) {
    const before = this.get(name);
    this.#values.set(name.toLowerCase(), before === null ? String(value) : before + ', ' + value);
  }
  delete(name) { this.#values.delete(name.toLowerCase()); }
  entries() { return this.#values.entries(); }
}
`;

function exportsOf(source) {
  const declared = [...source.matchAll(/^export (?:class|const|function|async function) (\w+)/gm)].map(([, name]) => name);
  const listed = [...source.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names]) => names.split(',').map((name) => name.trim()));
  return [...new Set([...declared, ...listed.map((name) => name.split(/ as /).at(-1))])].filter((name) => name && name !== 'default');
}

/** frost sends JSON only: forms, blobs and streams as bodies are asked for by name, and the mere asking loads them. */
const withoutBodies = (source) => `class FormData {}\n${source.replaceAll(/globalThis\.(ReadableStream|Blob)\b/g, 'undefined')}`;

export const lightOpenai = {
  name: 'light-openai',
  setup(build) {
    build.onLoad({ filter: /[\\/]openai[\\/].*\.mjs$/ }, ({ path: file }) => {
      const name = file.split(path.sep).join('/');
      const source = fs.readFileSync(file, 'utf8');
      if (UNUSED.test(name))
        return {
          contents: exportsOf(source)
            .map((one) => `export class ${one} {}`)
            .join('\n'),
        };
      if (name.endsWith('/openai/internal/headers.mjs')) return { contents: HEADERS + source, resolveDir: path.dirname(file) };
      if (name.endsWith('/openai/internal/utils/log.mjs'))
        return { contents: `class Headers {}\n${source}`, resolveDir: path.dirname(file) };
      if (name.endsWith('/openai/client.mjs')) return { contents: withoutBodies(source), resolveDir: path.dirname(file) };
      return undefined;
    });
  },
};
