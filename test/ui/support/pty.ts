/**
 * A real terminal for a test: a program in a pseudo-terminal, read back through a terminal emulator. The program gets a
 * fresh home and nothing of the test run's own environment but PATH.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import stringWidth from 'string-width';

const ROOT = path.resolve(import.meta.dirname, '../../..');

export interface PtyOptions {
  cols?: number;
  rows?: number;
  /** Added to the fresh environment; `undefined` takes a variable out. */
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** A folder to use as HOME instead of a fresh one. */
  home?: string;
}

export interface Exit {
  code: number;
  signal: number;
}

type Wanted = string | RegExp | ((terminal: Pty) => boolean);

/** Widths as today's terminals have them; the emulator's own table makes emoji one column wide. */
function modernWidths(terminal: InstanceType<typeof xterm.Terminal>): void {
  const wcwidth = (code: number) => Math.min(2, stringWidth(String.fromCodePoint(code))) as 0 | 1 | 2;
  terminal.unicode.register({
    version: 'modern',
    wcwidth,
    charProperties(code, preceding) {
      const width = wcwidth(code);
      const joins = width === 0 && preceding !== 0;
      return ((joins ? (preceding >> 1) & 3 : width) << 1) | (joins ? 1 : 0);
    },
  });
  terminal.unicode.activeVersion = 'modern';
}

export class Pty {
  readonly home: string;
  readonly cwd: string;
  private readonly pty: IPty;
  private readonly terminal: InstanceType<typeof xterm.Terminal>;
  private readonly chunks: string[] = [];
  private parsed = Promise.resolve();
  private readonly ended: Promise<Exit>;
  private exited: Exit | undefined;

  constructor(file: string, args: string[], options: PtyOptions = {}) {
    const { cols = 80, rows = 24 } = options;
    this.home = options.home ?? fs.mkdtempSync(path.join(os.tmpdir(), 'frost-home-'));
    this.cwd = options.cwd ?? path.join(this.home, 'work');
    fs.mkdirSync(this.cwd, { recursive: true });
    this.terminal = new xterm.Terminal({ cols, rows, scrollback: 100_000, allowProposedApi: true });
    modernWidths(this.terminal);
    this.pty = spawn(file, args, { name: 'xterm-256color', cols, rows, cwd: this.cwd, env: this.environment(options.env) });
    this.pty.onData((data) => {
      this.chunks.push(data);
      this.parsed = this.parsed.then(() => new Promise((done) => this.terminal.write(data, done)));
    });
    this.ended = new Promise((resolve) =>
      this.pty.onExit(({ exitCode, signal }) => {
        this.exited = { code: exitCode, signal: signal ?? 0 };
        resolve(this.exited);
      }),
    );
  }

  private environment(extra: PtyOptions['env'] = {}): Record<string, string> {
    const xdg = (name: string) => path.join(this.home, name);
    const all: Record<string, string | undefined> = {
      PATH: process.env['PATH'],
      HOME: this.home,
      XDG_CONFIG_HOME: xdg('.config'),
      XDG_STATE_HOME: xdg('.state'),
      XDG_CACHE_HOME: xdg('.cache'),
      XDG_DATA_HOME: xdg('.data'),
      TERM: 'xterm-256color',
      LANG: 'en_US.UTF-8',
      ...extra,
    };
    return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
  }

  get pid(): number {
    return this.pty.pid;
  }

  /** Types these bytes at once, or each piece with a pause (ms) in between. */
  async send(input: string | (string | number)[]): Promise<void> {
    for (const piece of Array.isArray(input) ? input : [input]) {
      if (typeof piece === 'number') await new Promise((resolve) => setTimeout(resolve, piece));
      else this.pty.write(piece);
    }
  }

  resize(cols: number, rows: number): void {
    this.pty.resize(cols, rows);
    this.terminal.resize(cols, rows);
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.pty.kill(signal);
  }

  /** Closes the terminal under the program, as a closed window does. */
  hangUp(): void {
    (this.pty as IPty & { destroy(): void }).destroy();
  }

  /** The rows in the window, without spaces at their ends. */
  screen(): string[] {
    const { baseY } = this.terminal.buffer.active;
    return this.lines(baseY, baseY + this.terminal.rows);
  }

  screenText(): string {
    return this.screen().join('\n').trimEnd();
  }

  /** Everything from the first row to the last, those that scrolled out of the window included. */
  scrollback(): string[] {
    return this.lines(0, this.terminal.buffer.active.length);
  }

  /** Like `scrollback`, with rows that the terminal itself wrapped joined again. */
  logicalLines(): string[] {
    const { active } = this.terminal.buffer;
    const lines: string[] = [];
    for (let y = 0; y < active.length; y++) {
      const line = active.getLine(y);
      const text = line?.translateToString(!active.getLine(y + 1)?.isWrapped) ?? '';
      if (line?.isWrapped && lines.length > 0) lines.push((lines.pop() ?? '') + text);
      else lines.push(text);
    }
    return lines;
  }

  private lines(from: number, to: number): string[] {
    const lines: string[] = [];
    for (let y = from; y < to; y++) lines.push(this.terminal.buffer.active.getLine(y)?.translateToString(true) ?? '');
    return lines;
  }

  /** Row and column of the cursor in the window, from 0. */
  cursor(): { row: number; column: number } {
    const { cursorX, cursorY } = this.terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  /** Everything the program wrote, escape sequences included. */
  raw(): string {
    return this.chunks.join('');
  }

  /** Waits until the emulator has read all that came so far. */
  async settled(quietMs = 120): Promise<void> {
    for (let seen = -1; seen !== this.chunks.length; ) {
      seen = this.chunks.length;
      await new Promise((resolve) => setTimeout(resolve, quietMs));
      await this.parsed;
    }
  }

  /** Waits for text in the window (or for anything else); an error shows the window. */
  async waitFor(wanted: Wanted, timeoutMs = 15_000): Promise<void> {
    const holds = () => {
      if (typeof wanted === 'function') return wanted(this);
      const text = this.screenText();
      return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
    };
    const until = Date.now() + timeoutMs;
    while (!holds()) {
      await this.parsed;
      if (holds()) return;
      if (Date.now() > until || (this.exited && !(await this.lastChance(holds)))) {
        const what = this.exited ? `the program ended (${JSON.stringify(this.exited)})` : `${timeoutMs} ms passed`;
        throw new Error(`waited for ${String(wanted)}, but ${what}. On the screen:\n${this.screenText()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }

  private async lastChance(holds: () => boolean): Promise<boolean> {
    await this.settled(50);
    return holds();
  }

  /** Waits for the program's end. */
  async exit(timeoutMs = 15_000): Promise<Exit> {
    const timeout = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error(`still running. On the screen:\n${this.screenText()}`)), timeoutMs).unref(),
    );
    const exit = await Promise.race([this.ended, timeout]);
    await this.settled(30);
    return exit;
  }

  /** Ends the program, however it takes it, and removes its home. */
  async close(): Promise<void> {
    if (!this.exited) {
      this.pty.kill('SIGKILL');
      await this.ended;
    }
    this.terminal.dispose();
    fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 3 });
  }
}

const open: Pty[] = [];

/** Starts any program in a terminal. */
export function runInTerminal(file: string, args: string[], options: PtyOptions = {}): Pty {
  const pty = new Pty(file, args, options);
  open.push(pty);
  return pty;
}

/** Starts `frost` (built) in a terminal. */
export function frostInTerminal(args: string[] = [], options: PtyOptions = {}): Pty {
  return runInTerminal(process.execPath, [path.join(ROOT, 'bin/frost.js'), ...args], options);
}

/** For `afterEach`: ends every program that a test left. */
export async function closeTerminals(): Promise<void> {
  await Promise.all(open.splice(0).map((pty) => pty.close()));
}
