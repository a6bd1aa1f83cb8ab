/** Walks the files of a folder as git sees them: ignore files are honoured, links are not followed. */
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
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
  let folders = 0;
  for (const above of ancestors(workspace.root, folder)) addLayer(above);
  // A folder that is ignored itself was asked for by name: what ignores it does not count.
  yield* walk(folder, isIgnored(layers, folder, true) ? [] : layers);

  function addLayer(at: string, into = layers): void {
    try {
      into.push({ folder: at, rules: ignore().add(readFileSync(path.join(at, '.gitignore'), 'utf8')) });
    } catch {
      // No ignore file, or one that cannot be read: nothing is ignored for its sake.
    }
  }

  async function* walk(at: string, above: readonly Layer[]): AsyncGenerator<string> {
    signal.throwIfAborted();
    // Reading folders synchronously is several times as fast; others get their turn every few folders.
    if (++folders % 32 === 0) await new Promise(setImmediate);
    const entries = entriesOf(at);
    const own = [...above];
    if (entries.some((entry) => entry.isFile() && entry.name === '.gitignore')) addLayer(at, own);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const full = at === path.sep ? at + entry.name : at + path.sep + entry.name;
      const isFolder = entry.isDirectory();
      if ((!isFolder && !entry.isFile()) || (isFolder && entry.name === '.git')) continue;
      if (isIgnored(own, full, isFolder)) continue;
      if (isFolder) yield* walk(full, own);
      else if (!workspace.hides(workspace.nameOf(full))) yield full;
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The innermost ignore file that has a word on the path decides. */
function isIgnored(layers: readonly Layer[], full: string, isFolder: boolean): boolean {
  for (const { folder, rules } of layers.toReversed()) {
    const result = rules.test(full.slice(folder === path.sep ? 1 : folder.length + 1) + (isFolder ? '/' : ''));
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
