import fs from 'node:fs';
import { agentFiles, loadMarkdownAgents, type MarkdownAgents, type MarkdownFolders, type MarkdownProblem } from './markdown.js';

/** The agents of a set of folders, read again only after a file was added, changed or removed. */
export class AgentFolders {
  readonly #folders: MarkdownFolders;
  #seen: string | undefined;
  #read: ReadonlySet<string> = new Set();
  #agents: MarkdownAgents = { profiles: [], problems: [] };

  constructor(folders: MarkdownFolders) {
    this.#folders = folders;
  }

  /** What the folders hold now. `changed` is true where that differs from the last call, and on the first one. */
  async current(): Promise<MarkdownAgents & { changed: boolean }> {
    const files = agentFiles(this.#folders);
    const lost = this.#lostTrust(new Set(files.map(({ file }) => file)));
    const seen = files.map(({ file }) => stampOf(file)).join('\n');
    const changed = seen !== this.#seen;
    if (changed) {
      this.#agents = files.length > 0 ? await loadMarkdownAgents(this.#folders) : { profiles: [], problems: [] };
      this.#agents = { ...this.#agents, problems: [...this.#agents.problems, ...lost] };
      this.#seen = seen;
    }
    return { ...this.#agents, changed };
  }

  /** Files that could speak at the last look, are still there, and may not speak any more. */
  #lostTrust(now: ReadonlySet<string>): MarkdownProblem[] {
    const lost = [...this.#read].filter((file) => !now.has(file) && fs.existsSync(file));
    this.#read = now;
    const message = 'the file was changed since its folder was trusted and is left out. Look at it, then run: frost trust';
    return lost.map((file) => ({ file, line: 1, message, severity: 'warning' }));
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
