/** What the chat does with files and programs of the person's own. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { processEnvironment } from '../config/environment.js';
import type { Settings } from '../config/settings.js';
import type { ContentPart } from '../llm/messages.js';
import { InputHistory } from '../sessions/input-history.js';
import type { Terminal } from '../ui/input/terminal.js';
import type { Workspace } from '../workspace/workspace.js';
import { readFiles } from './files.js';

export interface ChatFilesOptions {
  settings(): Settings;
  workspace(): Workspace;
  cwd: string;
  terminal: Terminal;
}

/** `@path` and `@"path with spaces"`, where such a file exists. */
const MENTION = /(?:^|[\s([{,;:])@(?:"([^"\n]+)"|([^\s"@,;]+))/g;
const WALK_MS = 3000;
const SHELL_TIMEOUT_MS = 600_000;

export class ChatFiles {
  readonly #options: ChatFilesOptions;
  readonly #inputs: InputHistory;

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

  /** Files of the folder, relative to it, as git sees them. */
  async *walk(): AsyncGenerator<string> {
    const { walkFiles } = await import('../workspace/walk.js');
    const workspace = this.#options.workspace();
    const { cwd } = this.#options;
    for await (const file of walkFiles(workspace, workspace.root, AbortSignal.timeout(WALK_MS))) {
      yield path.relative(cwd, path.resolve(workspace.root, file)).replaceAll(path.sep, '/');
    }
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

  /** `$VISUAL` or `$EDITOR`; undefined where it failed. */
  async edit(text: string): Promise<string | undefined> {
    const env = processEnvironment();
    const { editOutside } = await import('../ui/input/outside-editor.js');
    const command = env['VISUAL'] || env['EDITOR'] || 'vi';
    return editOutside(text, { command, env: this.#options.settings().processEnv(), terminal: this.#options.terminal });
  }
}
