// Where the time of a start goes: node bench/profile.mjs [runs] after `node build/build.mjs --no-types --maps`.
// Profiles `frost ask` with an answer of ten chunks, and the bare script beside it, and prints whose own code took how long.
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEndpoint } from './endpoint.mjs';
import { baseline, frost, root, settingsFor, temporaryHome } from './home.mjs';
import { timed } from './process.mjs';

const maps = new Map();
/** The source map of a generated file, inline at its end. */
function mapOf(file) {
  if (!maps.has(file)) {
    const [, data] = /sourceMappingURL=data:application\/json;base64,(\S+)/.exec(fs.readFileSync(file, 'utf8')) ?? [];
    maps.set(file, data && new SourceMap(JSON.parse(Buffer.from(data, 'base64').toString('utf8'))));
  }
  return maps.get(file);
}

const NATIVE = { '(garbage collector)': 'V8: garbage collection', '(program)': 'V8: native code', '(idle)': undefined };

/** A package, a room of frost, or a part of Node: what a call frame belongs to. */
function moduleOf({ url, functionName, lineNumber, columnNumber }) {
  if (!url) return functionName in NATIVE ? NATIVE[functionName] : 'Node: system calls and other native functions';
  if (url === 'node:vm') return 'V8: compiled code read from the cache';
  if (/^node:(internal\/)?(net|_?http|_stream|stream|buffer|dns|internal\/streams)/.test(url)) return 'Node: HTTP, sockets and streams';
  if (url.startsWith('node:')) return 'Node: its own start and its modules';
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (!file.includes(`${path.sep}program${path.sep}`)) return path.relative(root, file);
  const source = mapOf(file)?.findEntry(lineNumber, columnNumber).originalSource ?? 'loader';
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  if (name) return `package ${name}`;
  const [, room] = /(src\/[a-z]+|subagents)/.exec(source) ?? [];
  return room ? `frost: ${room}` : 'frost: launcher, loader and the edges of chunks';
}

/** ms of own time for each module of one profile. */
function ownTimes({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map((node) => [node.id, moduleOf(node.callFrame)]));
  const times = new Map();
  samples.forEach((id, index) => {
    const module = frames.get(id);
    times.set(module, (times.get(module) ?? 0) + timeDeltas[index] / 1000);
  });
  times.delete(undefined);
  return times;
}

/** Mean ms of own time for each module over `runs` processes. */
async function profiled(args, env, home, runs) {
  const totals = new Map();
  for (let run = 0; run <= runs; run++) {
    const dir = fs.mkdtempSync(path.join(home.dir, 'profile-'));
    await timed(['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', dir, ...args], { env: home.env(env), cwd: home.cwd });
    if (run === 0) continue; // It filled the code cache.
    const [file] = fs.readdirSync(dir);
    for (const [module, ms] of ownTimes(JSON.parse(fs.readFileSync(path.join(dir, file), 'utf8')))) {
      totals.set(module, (totals.get(module) ?? 0) + ms / runs);
    }
  }
  return totals;
}

const runs = Number(process.argv[2] ?? 9);
const endpoint = await startEndpoint();
const home = temporaryHome();
const script = await profiled([baseline('http.mjs'), endpoint.url, 'echo-10'], {}, home, runs);
const ours = await profiled([frost, 'ask', 'Write about snow.'], settingsFor(endpoint, 'echo-10'), home, runs);
home.remove();
await endpoint.close();

const sum = (times) => [...times.values()].reduce((all, ms) => all + ms, 0);
const cell = (ms) => (ms === undefined ? '–' : ms.toFixed(1));
const lines = [...ours].sort(([, a], [, b]) => b - a).filter(([, ms]) => ms >= 0.15);
process.stdout.write('| whose code | `frost ask`, ms | bare script, ms |\n|---|---:|---:|\n');
for (const [module, ms] of lines) process.stdout.write(`| ${module} | ${cell(ms)} | ${cell(script.get(module))} |\n`);
process.stdout.write(`| all | ${cell(sum(ours))} | ${cell(sum(script))} |\n`);
