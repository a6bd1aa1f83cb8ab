// Loads frost's own chunks with the machine code that V8 made of them the last time, kept in the user's cache folder. What a
// start saves is most of the time that reading the program takes. Node 22 and later can do the same by itself.
'use strict';
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const latest = new Map();

/** Where the code of this very build on this Node is kept; what `ask` compiles and what the chat compiles differ, so each has its own. */
function cacheFolder(entry, use) {
  const { env } = process;
  const base = env.XDG_CACHE_HOME || (env.HOME && path.join(env.HOME, '.cache')) || env.LOCALAPPDATA;
  if (!base || !path.isAbsolute(base) || env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  return path.join(base, 'frost', 'code', `${path.basename(entry, '.js')}-${process.version}-${process.arch}`, use);
}

function read(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

const CHUNK = /^\.\/.*-[A-Z0-9]{8}\.js$/;

/** Chunks are named by a hash of their content, so a kept code can only be that of the same text. */
const keptName = (file) => `${path.basename(file)}.v8`;

function compile(file, folder) {
  const source = `(function(exports,require,module,__filename,__dirname){${fs.readFileSync(file, 'latin1')}\n})`;
  const cachedData = read(path.join(folder, keptName(file)));
  const script = new vm.Script(source, { filename: file, cachedData });
  latest.set(file, { script, kept: cachedData !== undefined && !script.cachedDataRejected });
  return script.runInThisContext();
}

function makeRequire(folder) {
  const modules = new Map();
  const load = (file) => {
    const known = modules.get(file);
    if (known) return known.exports;
    const module = { exports: {}, filename: file };
    modules.set(file, module);
    const native = Module.createRequire(file);
    const dir = path.dirname(file);
    const require = (name) => (CHUNK.test(name) ? load(path.join(dir, name)) : native(name));
    Object.assign(require, { resolve: native.resolve, cache: native.cache, main: native.main });
    compile(file, folder).call(module.exports, module.exports, require, module, file, dir);
    return module.exports;
  };
  return load;
}

/** Written at the end, when V8 has compiled what this run needed. A cache that cannot be kept is no failure. */
function keep(folder) {
  const fresh = [...latest].filter(([, { kept }]) => !kept);
  if (fresh.length === 0) return;
  try {
    if (!fs.existsSync(folder)) forgetOthers(path.dirname(folder));
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [file, { script }] of fresh) {
      const target = path.join(folder, keptName(file));
      fs.writeFileSync(`${target}.${process.pid}`, script.createCachedData(), { mode: 0o600 });
      fs.renameSync(`${target}.${process.pid}`, target);
    }
  } catch {
    // Read-only or full: the next start compiles again.
  }
}

/** What builds before this one left. */
function forgetOthers(own) {
  const all = path.dirname(own);
  if (!fs.existsSync(all)) return;
  for (const name of fs.readdirSync(all)) {
    if (name !== path.basename(own)) fs.rmSync(path.join(all, name), { recursive: true, force: true });
  }
}

/** Loads the program's entry, a chunk at an absolute path; gives its exports. `use` is a name for what it is started for. */
exports.load = (entry, use) => {
  const folder = cacheFolder(entry, use);
  if (folder && Module.enableCompileCache) {
    Module.enableCompileCache(path.dirname(folder));
    return require(entry);
  }
  if (!folder) return require(entry);
  process.once('exit', () => keep(folder));
  return makeRequire(folder)(entry);
};
