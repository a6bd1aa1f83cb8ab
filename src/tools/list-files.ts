import fs from 'node:fs/promises';
import path from 'node:path';
import { pathPattern } from '../permissions/glob.js';
import type { Tool } from '../profiles/tool.js';
import { walkFiles } from '../workspace/walk.js';
import { kindOf, type Workspace } from '../workspace/workspace.js';
import { JudgedPlaces } from './judged-places.js';

const LIMIT = 500;

export function listFilesTool(workspace: Workspace): Tool {
  const places = new JudgedPlaces(workspace);
  return {
    name: 'list_files',
    description: 'List files under a folder, as git sees them.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'folder, default .' },
        pattern: { type: 'string', description: 'glob such as **/*.ts' },
      },
    },
    access: async (args) => ({ kind: 'read', path: (await places.of(args, args['path'] ?? '.')).name }),
    summary: (args) => [args['path'], args['pattern']].filter(Boolean).join(' ') || '.',
    async run(args, { signal }) {
      const place = await places.of(args, args['path'] ?? '.');
      await workspace.demandUnmoved(place);
      const stat = await fs.stat(place.absolute).catch(() => undefined);
      if (!stat) return { text: `${place.name} does not exist.`, isError: true };
      if (!stat.isDirectory()) return { text: stat.isFile() ? place.name : `${place.name} is ${kindOf(stat)}.` };
      const test = matcher(args['pattern']);
      const found: string[] = [];
      let seen = 0;
      for await (const file of walkFiles(workspace, place.absolute, signal)) {
        seen++;
        if (!test(path.relative(place.absolute, file))) continue;
        if (found.length === LIMIT) {
          return {
            text: `${found.join('\n')}\n[more than ${LIMIT} files; narrow it with path or pattern]`,
            details: { kind: 'data', data: { files: LIMIT, more: true } },
          };
        }
        found.push(workspace.nameOf(file));
      }
      const none = args['pattern']
        ? `none of ${seen} files under ${place.name} matches ${args['pattern']}`
        : `no files under ${place.name}`;
      return { text: found.length > 0 ? found.join('\n') : `[${none}]`, details: { kind: 'data', data: { files: found.length } } };
    },
  };
}

/** A pattern without a slash is for the file's name, at any depth. */
export function matcher(pattern: unknown): (relative: string) => boolean {
  if (typeof pattern !== 'string' || pattern === '') return () => true;
  const test = pathPattern(pattern.includes('/') ? pattern.replace(/^\.?\//, '') : `**/${pattern}`);
  return (relative) => test.test(relative);
}
