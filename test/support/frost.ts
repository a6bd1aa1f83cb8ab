import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Endpoint } from './endpoint.js';
import { type TempHome, tempHome } from './temp-home.js';

const BIN = path.resolve(import.meta.dirname, '../../bin/frost.js');

export interface Ended {
  stdout: string;
  stderr: string;
  /** As a shell reports it. */
  status: number;
  ms: number;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  /** What comes in on stdin; absent: /dev/null. `open`: a pipe that is never closed. */
  stdin?: string | Buffer | 'open';
  /** Runs `frost` inside this bash script; `$FROST` is the command. */
  script?: string;
}

/** A user's machine with endpoints for main and Coder; runs the built program as a user would. */
export class Machine {
  readonly home: TempHome = tempHome();
  readonly env: Record<string, string>;

  constructor(main?: Endpoint, coder?: Endpoint) {
    this.env = {
      ...this.home.env,
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      ...(main && { UPSTREAM_ENDPOINT: main.url, UPSTREAM_API_KEY: 'sk-main-0123456789', MODEL_NAME: 'mock' }),
      ...(coder && { CODER_ENDPOINT: coder.url, CODER_API_KEY: 'sk-coder-0123456789' }),
    };
  }

  get sessionsDir(): string {
    return path.join(this.home.home, '.local/state/frost/sessions');
  }

  get sessionFiles(): string[] {
    return fs.existsSync(this.sessionsDir) ? fs.readdirSync(this.sessionsDir).filter((name) => name.endsWith('.jsonl')) : [];
  }

  /** Starts the program without waiting for its end. */
  start(args: string[], { env = {}, stdin, script }: RunOptions = {}): { child: ChildProcess; ended: Promise<Ended> } {
    const startedAt = Date.now();
    const merged = { ...this.env, ...env };
    const set = Object.fromEntries(Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const [file, argv] = script === undefined ? [process.execPath, [BIN, ...args]] : ['bash', ['-c', script]];
    const child = spawn(file, argv, {
      cwd: this.home.cwd,
      env: { ...set, FROST: `${process.execPath} ${BIN}` },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin?.on('error', () => {});
    if (stdin !== undefined && stdin !== 'open') child.stdin?.end(stdin);
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (code, signal) => {
        resolve({ stdout, stderr, status: code ?? 128 + (signal ? os.constants.signals[signal] : 0), ms: Date.now() - startedAt });
      });
    });
    return { child, ended };
  }

  async run(args: string[], options: RunOptions = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  ask(...args: string[]): Promise<Ended> {
    return this.run(['ask', ...args]);
  }

  remove(): void {
    this.home.remove();
  }
}
