import { spawn } from 'node:child_process';
import path from 'node:path';

const FROST = path.resolve(import.meta.dirname, '../../bin/frost.js');

export interface FrostRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface FrostOptions {
  cwd: string;
  /** The whole environment; nothing of the test's own is passed on. */
  env: Record<string, string>;
  /** Written to stdin, which is then closed; default: empty. */
  stdin?: string;
  /** The launcher; default: this project's. */
  frost?: string;
}

/** Runs the built command as its own process, to the end. */
export function runFrost(args: readonly string[], { cwd, env, stdin = '', frost = FROST }: FrostOptions): Promise<FrostRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [frost, ...args], { cwd, env });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}
