/** What the chat does with files and programs of the person's own. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { processEnvironment } from '../config/environment.js';
import type { Settings } from '../config/settings.js';
import type { ContentPart } from '../llm/messages.js';
import { InputHistory } from '../sessions/input-history.js';
import type { Workspace } from '../workspace/workspace.js';
import { readFiles } from './files.js';

export interface ChatFilesOptions {
  settings(): Settings;
  workspace(): Workspace;
  cwd: string;
  /** Gives the terminal to another program. */
  lend<T>(use: () => Promise<T>): Promise<T>;
}

/** `@path` and `@"path with spaces"`, where such a file exists. */
const MENTION = /(?:^|[\s([{,;:])@(?:"([^"\n]+)"|([^\s"@,;]+))/g;
/** How long the list of paths is believed, in ms. */
const PATHS_FRESH_MS = 5000;
const MOST_PATHS = 20_000;
const SHELL_TIMEOUT_MS = 600_000;

export class ChatFiles {
  readonly #options: ChatFilesOptions;
  readonly #inputs: InputHistory;
  #paths: { at: number; found: Promise<string[]> } | undefined;

  constructor(options: ChatFilesOptions) {
    this.#options = options;
    const { paths, mask } = options.settings();
    this.#inputs = new InputHistory({ file: path.join(paths.stateDir, 'input.jsonl'), mask: (text) => mask.mask(text) });
  }

  async inputHistory(): Promise<string[]> {
    return this.#inputs.entries();
  }

  addInput(text: string): void {
    this.#inputs.add(text);
  }

  /** The text with the files that it mentions behind it; images become parts. Throws FrostError for a file that cannot be read. */
  async expand(text: string): Promise<string | ContentPart[]> {
    const { cwd } = this.#options;
    const named = [...text.matchAll(MENTION)].map(([, quoted, plain]) => (quoted ?? plain ?? '').replace(/[.,:;!?)]+$/, ''));
    const names = [...new Set(named)].filter((name) => fs.statSync(path.resolve(cwd, name), { throwIfNoEntry: false })?.isFile());
    if (names.length === 0) return text;
    const { blocks, images } = readFiles(names, { cwd, forceText: false, warn: () => {} });
    const whole = [text, ...blocks].join('\n\n');
    return images.length === 0 ? whole : [{ type: 'text', text: whole }, ...images];
  }

  /** Paths below the folder that contain the letters of `start` in order; ranking is the prompt's. */
  async paths(start: string): Promise<string[]> {
    if (!this.#paths || Date.now() - this.#paths.at > PATHS_FRESH_MS) this.#paths = { at: Date.now(), found: this.#walk() };
    const all = await this.#paths.found;
    const wanted = start.toLowerCase();
    return all
      .filter((name) => name.toLowerCase().includes(wanted))
      .sort((a, b) => a.length - b.length)
      .slice(0, 50);
  }

  async #walk(): Promise<string[]> {
    const { walkFiles } = await import('../workspace/walk.js');
    const workspace = this.#options.workspace();
    const found: string[] = [];
    for await (const file of walkFiles(workspace, workspace.root, AbortSignal.timeout(3000))) {
      found.push(path.relative(this.#options.cwd, path.resolve(workspace.root, file)));
      if (found.length >= MOST_PATHS) break;
    }
    return found;
  }

  async write(name: string, text: string): Promise<string> {
    const file = path.resolve(this.#options.cwd, name);
    await fs.promises.writeFile(file, text, { mode: 0o600 });
    return file;
  }

  /** A command of the person's own: it runs as they would run it, without frost's keys in its environment. */
  async shell(command: string, signal: AbortSignal): Promise<{ output: string; exitCode: number | null }> {
    const { runCommand } = await import('../workspace/command.js');
    const { capText } = await import('../text/truncate.js');
    const { output, exitCode } = await runCommand({
      argv: ['/bin/sh', '-c', command],
      cwd: this.#options.cwd,
      env: this.#options.settings().processEnv(),
      timeoutMs: SHELL_TIMEOUT_MS,
      signal,
      update: () => {},
      logFolder: async () => fs.promises.mkdtemp(path.join(os.tmpdir(), 'frost-')),
    });
    return { output: capText(output).text, exitCode };
  }

  /** What changed in the folder since the last commit, where it is a repository. */
  async diff(): Promise<string> {
    const { output, exitCode } = await this.shell('git diff HEAD --no-color --no-ext-diff', AbortSignal.timeout(10_000));
    return exitCode === 0 ? output : '';
  }

  /** Another command of this program, as lines. */
  async frost(args: string[]): Promise<string[]> {
    const [, program = ''] = process.argv;
    const text = await new Promise<string>((resolve) => {
      execFile(process.execPath, [program, ...args], { cwd: this.#options.cwd, timeout: 60_000 }, (error, stdout, stderr) =>
        resolve(stdout || stderr || (error?.message ?? '')),
      );
    });
    return text.trimEnd().split('\n');
  }

  /** `$VISUAL` or `$EDITOR` on a file of its own; undefined where it failed. */
  async edit(text: string): Promise<string | undefined> {
    const env = processEnvironment();
    const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
    const folder = await fs.promises.mkdtemp(path.join(os.tmpdir(), 'frost-'));
    const file = path.join(folder, 'prompt.md');
    try {
      await fs.promises.writeFile(file, text, { mode: 0o600 });
      const status = await this.#options.lend(
        () =>
          new Promise<number | null>((resolve) => {
            spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', cwd: this.#options.cwd })
              .on('error', () => resolve(null))
              .on('close', resolve);
          }),
      );
      return status === 0 ? (await fs.promises.readFile(file, 'utf8')).replace(/\n$/, '') : undefined;
    } finally {
      await fs.promises.rm(folder, { recursive: true, force: true });
    }
  }
}
