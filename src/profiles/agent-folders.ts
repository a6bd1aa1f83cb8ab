import fs from 'node:fs';
import { agentFiles, loadMarkdownAgents, type MarkdownAgents, type MarkdownFolders } from './markdown.js';

/** The agents of a set of folders, read again only after a file was added, changed or removed. */
export class AgentFolders {
  readonly #folders: MarkdownFolders;
  #seen: string | undefined;
  #agents: MarkdownAgents = { profiles: [], problems: [] };

  constructor(folders: MarkdownFolders) {
    this.#folders = folders;
  }

  /** What the folders hold now. `changed` is true where that differs from the last call, and on the first one. */
  async current(): Promise<MarkdownAgents & { changed: boolean }> {
    const files = agentFiles(this.#folders);
    const seen = files.map(({ file }) => stampOf(file)).join('\n');
    const changed = seen !== this.#seen;
    if (changed) {
      this.#agents = files.length > 0 ? await loadMarkdownAgents(this.#folders) : { profiles: [], problems: [] };
      this.#seen = seen;
    }
    return { ...this.#agents, changed };
  }
}

/** Changes with the file's content; an editor that keeps the time still changes the size or the inode. */
function stampOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = fs.statSync(file);
    return `${file} ${mtimeMs} ${size} ${ino}`;
  } catch {
    return `${file} unreadable`;
  }
}
