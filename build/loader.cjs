// Loads frost's own chunks with the machine code that V8 made of them the last time, kept in the user's cache folder. What a
// start saves is most of the time that reading the program takes.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const modules = new Map();
const scripts = new Map();

/** Where the code of this very build on this Node is kept; what `ask` compiles and what the chat compiles differ, so each has its own. */
function cacheFolder(build, use) {
  const { env } = process;
  const base = env.XDG_CACHE_HOME || (env.HOME && path.join(env.HOME, '.cache')) || env.LOCALAPPDATA;
  if (!base || !path.isAbsolute(base) || env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  return path.join(base, 'frost', 'code', `${build}-${process.version}-${process.arch}`, use);
}

/** Kept code is run as it lies there, so nobody else may be able to put it there. */
function isOnlyOurs(folder) {
  if (!process.getuid) return true;
  try {
    const { uid, mode } = fs.statSync(folder);
    return uid === process.getuid() && (mode & 0o022) === 0;
  } catch {
    return true; // Not there yet: it will be made for its user alone.
  }
}

function keptCode(folder, file) {
  try {
    return fs.readFileSync(`${folder}/${file}.v8`);
  } catch {
    return undefined;
  }
}

/** The functions of the chunks in one file. Its name holds a hash of its content, so kept code can only be that of the same text. */
function functionsOf(file, folder) {
  const known = scripts.get(file);
  if (known) return known.functions;
  const filename = `${__dirname}/${file}`;
  const cachedData = folder && keptCode(folder, file);
  const script = new vm.Script(fs.readFileSync(filename, 'latin1'), { filename, cachedData });
  const functions = script.runInThisContext();
  scripts.set(file, { script, functions, kept: cachedData !== undefined && !script.cachedDataRejected });
  return functions;
}

function load(chunk, info, folder) {
  const known = modules.get(chunk);
  if (known) return known.exports;
  const module = { exports: {} };
  modules.set(chunk, module);
  const own = (name) => {
    const near = name.charCodeAt(0) === 46 && name.slice(2);
    return near && info.chunks[near] ? load(near, info, folder) : require(name);
  };
  own.resolve = require.resolve;
  functionsOf(info.chunks[chunk], folder)[chunk](module.exports, own, module, `${__dirname}/${chunk}`);
  return module.exports;
}

/** Written at the end, when V8 has compiled what this run needed. A cache that cannot be kept is no failure. */
function keep(folder) {
  const fresh = [...scripts].filter(([, { kept }]) => !kept);
  if (fresh.length === 0) return;
  try {
    if (!fs.existsSync(folder)) forgetOthers(path.dirname(folder));
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [file, { script }] of fresh) {
      const target = path.join(folder, `${file}.v8`);
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

/**
 * Loads the program; gives the exports of its entry.
 * @param info what the build wrote into start.js: `{build, entry, chunks}`, chunks being the file that each chunk lies in
 * @param use a name for what the program is started for; without one no compiled code is kept
 */
exports.load = (info, use) => {
  const place = use && cacheFolder(info.build, use);
  const folder = place && isOnlyOurs(place) ? place : undefined;
  // A run that failed has not compiled what the next one will need.
  if (folder) process.once('exit', (code) => code === 0 && keep(folder));
  return load(info.entry, info, folder);
};
