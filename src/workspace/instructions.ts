/** What a repository tells agents: AGENTS.md, or CLAUDE.md where there is none, from its root down to the working folder. */
import fs from 'node:fs';
import path from 'node:path';
import { headBytes } from '../text/truncate.js';

const NAMES = ['AGENTS.md', 'CLAUDE.md'];
const MAX_BYTES = 32 * 1024;

export interface InstructionOptions {
  /** The working folder. */
  cwd: string;
  /** Whether a file (absolute path) may speak: only as it was when its folder was trusted. */
  allows(file: string): boolean;
}

export interface Instructions {
  /** Ready for a system prompt; empty where no file speaks. */
  text: string;
  files: string[];
}

/** Reads the files; where they are longer than 32 KiB together, those nearest to the working folder are kept. */
export function readInstructions({ cwd, allows }: InstructionOptions): Instructions {
  let left = MAX_BYTES;
  const parts: { file: string; text: string }[] = [];
  for (const folder of foldersUpward(cwd)) {
    const file = NAMES.map((name) => path.join(folder, name)).find((candidate) => fs.existsSync(candidate));
    if (!file || left <= 0 || !allows(file)) continue;
    const text = contentOf(file, left);
    if (text === undefined || text.trim() === '') continue;
    parts.unshift({ file, text });
    left -= Buffer.byteLength(text);
  }
  const text = parts.map((part) => `Instructions of ${part.file} for this folder:\n\n${part.text.trim()}`).join('\n\n');
  return { text, files: parts.map(({ file }) => file) };
}

/** The working folder, then its parents up to the repository's root; alone where it is in no repository. */
function foldersUpward(cwd: string): string[] {
  const folders = [cwd];
  for (let at = cwd; !fs.existsSync(path.join(at, '.git')); ) {
    const parent = path.dirname(at);
    if (parent === at) return [cwd];
    folders.push(parent);
    at = parent;
  }
  return folders;
}

/** Undefined for what is no regular file, or cannot be read. */
function contentOf(file: string, most: number): string | undefined {
  try {
    if (!fs.statSync(file).isFile()) return undefined;
    return headBytes(fs.readFileSync(file, 'utf8').replace(/^\ufeff/, ''), most);
  } catch {
    return undefined;
  }
}
