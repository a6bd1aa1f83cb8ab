// Where the time of a start goes: node bench/profile.mjs [runs] after `node build/build.mjs --no-types --maps`.
// Profiles `frost ask` until its answer is there, and prints the modules whose own code took the most of it.
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEndpoint } from './endpoint.mjs';
import { frost, root, settingsFor, temporaryHome } from './home.mjs';
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

/** A package, a source file of frost, or a part of Node: what a call frame belongs to. */
function moduleOf({ url, functionName, lineNumber, columnNumber }) {
  if (!url) return functionName === '(program)' ? 'Node: native code, start of V8' : `Node: ${functionName || 'native code'}`;
  if (url.startsWith('node:')) return url.startsWith('node:internal/') ? 'Node: internal modules' : `Node: ${url.slice(5)}`;
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  const map = file.includes(`${path.sep}program${path.sep}`) ? mapOf(file) : undefined;
  const source = map?.findEntry(lineNumber, columnNumber).originalSource ?? path.relative(root, file);
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  return name ?? source.replace(/^(\.\.\/)*/, '');
}

/** ms of own time for each module of one profile. */
function ownTimes({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map((node) => [node.id, moduleOf(node.callFrame)]));
  const times = new Map();
  samples.forEach((id, index) => {
    const module = frames.get(id);
    times.set(module, (times.get(module) ?? 0) + timeDeltas[index] / 1000);
  });
  times.delete('Node: (idle)');
  return times;
}

const runs = Number(process.argv[2] ?? 9);
const endpoint = await startEndpoint();
const home = temporaryHome();
const totals = new Map();
for (let run = 0; run <= runs; run++) {
  const dir = path.join(home.dir, `profile-${run}`);
  const flags = ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', dir];
  await timed([...flags, frost, 'ask', 'Write about snow.'], { env: home.env(settingsFor(endpoint, 'echo-10')), cwd: home.cwd });
  if (run === 0) continue; // It filled the code cache.
  const [file] = fs.readdirSync(dir);
  for (const [module, ms] of ownTimes(JSON.parse(fs.readFileSync(path.join(dir, file), 'utf8')))) {
    totals.set(module, (totals.get(module) ?? 0) + ms / runs);
  }
}
home.remove();
await endpoint.close();

const sorted = [...totals].sort(([, a], [, b]) => b - a);
const sum = sorted.reduce((all, [, ms]) => all + ms, 0);
process.stdout.write(`| module | own ms |\n|---|---|\n| all | ${sum.toFixed(1)} |\n`);
for (const [module, ms] of sorted.filter(([, value]) => value >= 0.15)) process.stdout.write(`| ${module} | ${ms.toFixed(2)} |\n`);
