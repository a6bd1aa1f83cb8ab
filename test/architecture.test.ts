import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Which floor a room is on: imports go to the same room or to a lower floor, never up and never across. */
const FLOORS: [room: string, floor: number][] = [
  ['src/cli', 9],
  ['src/index.ts', 9],
  ['src/assembly', 8],
  ['src/ui', 7],
  ['src/print', 7],
  ['src/sessions', 7],
  ['src/agent', 6],
  ['src/tools', 5],
  ['subagents', 4],
  ['src/profiles', 3.5],
  ['src/workspace', 3],
  ['src/skills', 3],
  ['src/llm', 3],
  ['src/config', 2],
  ['src/text', 1],
  ['src/permissions', 1],
  ['src/errors.ts', 0],
];

/** Packages that only one room may know. */
const PACKAGES: [pattern: RegExp, rooms: string[]][] = [
  [/^openai(\/|$)/, ['src/llm']],
  [/^(ink|react|@inkjs\/ui)(\/|$)/, ['src/ui']],
  [/^commander$/, ['src/cli']],
  [/^dotenv$/, ['src/config']],
];

/** Words of the language that only one room may say. */
const WORDS: [pattern: RegExp, rooms: string[]][] = [
  [/\bprocess\.exit\b/, ['src/cli']],
  [/\bconsole\.\w/, ['src/cli']],
  [/\bprocess\.env\b/, ['src/config']],
];

function sources(folder: string): string[] {
  if (!fs.existsSync(path.join(ROOT, folder))) return [];
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
}

const files = [...sources('src'), ...sources('subagents')];
const codeOf = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '');
/** What stands in quotes is a text, not a call. */
const withoutTexts = (code: string) => code.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
const roomOf = (file: string) => FLOORS.find(([room]) => file === room || file.startsWith(`${room}/`));

function importsOf(file: string): { specifier: string; dynamic: boolean; typesOnly: boolean }[] {
  const code = codeOf(file);
  const pattern =
    /(?:^|[;\n])\s*(?:import|export)\b[^'"`;()]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|[;\n])\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;
  return [...code.matchAll(pattern)].map(([whole, from, bare, dynamic]) => ({
    typesOnly: /^[;\n\s]*import type\b/.test(whole),
    specifier: from ?? bare ?? dynamic ?? '',
    dynamic: dynamic !== undefined,
  }));
}

function resolved(file: string, specifier: string): string {
  const target = path.posix.join(path.posix.dirname(file), specifier);
  const candidates = [target.replace(/\.js$/, '.ts'), target.replace(/\.jsx?$/, '.tsx'), target];
  return candidates.find((candidate) => fs.existsSync(path.join(ROOT, candidate))) ?? target;
}

describe('the walls of the house', () => {
  it('gives every source file a room', () => {
    expect(files.filter((file) => !roomOf(file))).toEqual([]);
  });

  it('imports run downward only', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => resolved(file, specifier))
        .filter((target) => {
          const [here, there] = [roomOf(file), roomOf(target)];
          return !target.endsWith('.json') && (!there || !here || (there[0] !== here[0] && there[1] >= here[1]));
        })
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no circle of static imports', () => {
    const graph = new Map(
      files.map((file) => [
        file,
        importsOf(file)
          .filter(({ specifier, dynamic }) => specifier.startsWith('.') && !dynamic)
          .map(({ specifier }) => resolved(file, specifier)),
      ]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, trail: string[]) => {
      if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      if (done.has(file) || trail.includes(file)) return;
      for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it.each(PACKAGES)('keeps %s in its room', (pattern, rooms) => {
    const wrong = files.filter(
      (file) => !rooms.some((room) => file.startsWith(room)) && importsOf(file).some(({ specifier }) => pattern.test(specifier)),
    );
    expect(wrong).toEqual([]);
  });

  it.each(WORDS)('keeps %s in its room', (pattern, rooms) => {
    const wrong = files.filter((file) => !rooms.some((room) => file.startsWith(room)) && pattern.test(withoutTexts(codeOf(file))));
    expect(wrong).toEqual([]);
  });

  it('loads the screen only when a person sits there', () => {
    const wrong = files.filter(
      (file) =>
        !file.startsWith('src/ui/') &&
        importsOf(file).some(
          ({ specifier, dynamic, typesOnly }) => !dynamic && !typesOnly && resolved(file, specifier).startsWith('src/ui/'),
        ),
    );
    expect(wrong).toEqual([]);
  });

  it('has no barrel but the roster and the public entry', () => {
    expect(files.filter((file) => /(^|\/)index\.tsx?$/.test(file)).sort()).toEqual(
      ['src/index.ts', 'subagents/index.ts'].filter((file) => files.includes(file)),
    );
  });
});
