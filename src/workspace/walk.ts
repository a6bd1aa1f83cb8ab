/** Walks the files of a folder as git sees them: ignore files are honoured, links are not followed. */
import type { Dirent } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Ignore } from 'ignore';
import type { Workspace } from './workspace.js';

interface Layer {
  folder: string;
  rules: Ignore;
}

/** Yields the absolute paths of regular files under `folder`, sorted folder by folder; hidden and ignored ones are passed over. */
export async function* walkFiles(workspace: Workspace, folder: string, signal: AbortSignal): AsyncGenerator<string> {
  const { default: ignore } = await import('ignore');
  const layers: Layer[] = [];
  for (const above of ancestors(workspace.root, folder)) await addLayer(above);
  yield* walk(folder, layers);

  async function addLayer(at: string, into = layers): Promise<void> {
    const text = await fs.readFile(path.join(at, '.gitignore'), 'utf8').catch(() => undefined);
    if (text !== undefined) into.push({ folder: at, rules: ignore().add(text) });
  }

  async function* walk(at: string, above: readonly Layer[]): AsyncGenerator<string> {
    signal.throwIfAborted();
    const entries = await fs.readdir(at, { withFileTypes: true }).catch(() => [] as Dirent[]);
    const own = [...above];
    if (entries.some((entry) => entry.isFile() && entry.name === '.gitignore')) await addLayer(at, own);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const full = path.join(at, entry.name);
      const isFolder = entry.isDirectory();
      if ((!isFolder && !entry.isFile()) || (isFolder && entry.name === '.git')) continue;
      if (isIgnored(own, full, isFolder)) continue;
      if (isFolder) yield* walk(full, own);
      else if (!workspace.hides(workspace.nameOf(full))) yield full;
    }
  }
}

/** The innermost ignore file that has a word on the path decides. */
function isIgnored(layers: readonly Layer[], full: string, isFolder: boolean): boolean {
  for (const { folder, rules } of layers.toReversed()) {
    const result = rules.test(path.relative(folder, full).split(path.sep).join('/') + (isFolder ? '/' : ''));
    if (result.ignored || result.unignored) return result.ignored;
  }
  return false;
}

function ancestors(root: string, folder: string): string[] {
  const steps: string[] = [];
  for (let at = folder; at !== root && at.startsWith(root); ) {
    at = path.dirname(at);
    steps.unshift(at);
  }
  return steps;
}
