import fs from 'node:fs/promises';
import type { Tool } from '../profiles/tool.js';
import { findProgram } from '../workspace/programs.js';
import type { Match } from '../workspace/search.js';
import { walkFiles } from '../workspace/walk.js';
import { kindOf, type Place, type Workspace } from '../workspace/workspace.js';
import { JudgedPlaces } from './judged-places.js';
import { matcher } from './list-files.js';

const LIMIT = 200;
const WIDTH = 300;

export function searchFilesTool(workspace: Workspace, env: Readonly<Record<string, string>>): Tool {
  const places = new JudgedPlaces(workspace);
  return {
    name: 'search_files',
    description: 'Search lines of files by regular expression ((?i) ignores case).',
    parameters: {
      type: 'object',
      properties: { pattern: { type: 'string' }, path: { type: 'string', description: 'file or folder' }, glob: { type: 'string' } },
      required: ['pattern'],
    },
    access: async (args) => ({ kind: 'read', path: (await places.of(args, args['path'] ?? '.')).name }),
    summary: (args) => [args['pattern'], args['path'], args['glob']].filter(Boolean).join(' '),
    async run(args, { signal }) {
      const place = await places.of(args, args['path'] ?? '.');
      await workspace.demandUnmoved(place);
      const stat = await fs.stat(place.absolute).catch(() => undefined);
      if (!stat) return { text: `${place.name} does not exist.`, isError: true };
      if (!stat.isDirectory() && !stat.isFile())
        return { text: `${place.name} is ${kindOf(stat)}, not a file or a folder.`, isError: true };
      const search = { pattern: String(args['pattern']), place, isFolder: stat.isDirectory(), glob: String(args['glob'] ?? ''), signal };
      const lines: string[] = [];
      for await (const { name, line, text } of matches(workspace, env, search)) {
        if (lines.length === LIMIT) {
          lines.push(`[more than ${LIMIT} matches; narrow the pattern or the path]`);
          break;
        }
        lines.push(`${name}:${line}:${text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text}`);
      }
      const shown = lines.length > 0 ? lines.join('\n') : `[no match under ${place.name}]`;
      return { text: shown, details: { kind: 'data', data: { matches: Math.min(lines.length, LIMIT), more: lines.length > LIMIT } } };
    },
  };
}

interface Search {
  pattern: string;
  place: Place;
  isFolder: boolean;
  glob: string;
  signal: AbortSignal;
}

/** By ripgrep where it is there and knows the pattern's dialect, else by frost itself. */
async function* matches(workspace: Workspace, env: Readonly<Record<string, string>>, search: Search): AsyncGenerator<Match> {
  const { pattern, place, isFolder, glob, signal } = search;
  const test = matcher(isFolder ? glob : '');
  const program = await findProgram('rg', env, workspace);
  if (program) {
    const { ripgrep, RipgrepFailed } = await import('../workspace/ripgrep.js');
    try {
      for await (const match of ripgrep(program, workspace, { pattern, target: place.name, signal })) if (test(match.name)) yield match;
      return;
    } catch (error) {
      if (!(error instanceof RipgrepFailed)) throw error;
    }
  }
  const files = isFolder ? walkFiles(workspace, place.absolute, signal) : [place.absolute];
  const { searchFiles } = await import('../workspace/search.js');
  yield* searchFiles(
    workspace,
    filtered(files, (file) => test(workspace.nameOf(file))),
    pattern,
    signal,
  );
}

async function* filtered(files: AsyncIterable<string> | Iterable<string>, test: (file: string) => boolean): AsyncGenerator<string> {
  for await (const file of files) if (test(file)) yield file;
}
