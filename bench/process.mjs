// One timed run of a program as a whole process.
import { spawn } from 'node:child_process';
import path from 'node:path';

const probe = path.join(import.meta.dirname, 'probe.cjs');

/**
 * Runs `node ARGS` with stdout in a pipe that is read at once. Times are on the clock of `performance.now()`.
 * @returns {Promise<{start: number, wall: number, firstByte?: number, stdout: string, cpu?: number, memory?: number}>}
 *   wall in ms until the exit, cpu in ms and memory in MB with `resources`
 * @throws {Error} with the stderr of a run that does not exit with 0: a failure is never a measurement
 */
export function timed(args, { env, cwd, resources = false, timeoutMs = 120_000 }) {
  return new Promise((resolve, reject) => {
    const stdio = resources ? ['ignore', 'pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe'];
    const start = performance.now();
    const child = spawn(process.execPath, resources ? ['--require', probe, ...args] : args, { env, cwd, stdio });
    const out = [];
    let firstByte;
    let stderr = '';
    let report = '';
    child.stdout.on('data', (data) => {
      firstByte ??= performance.now();
      out.push(data);
    });
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    child.stdio[3]?.on('data', (data) => {
      report += data;
    });
    let wall = 0;
    child.on('exit', () => {
      wall = performance.now() - start;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code !== 0) return reject(new Error(`node ${args.join(' ')} ended with ${signal ?? code}: ${stderr.trim()}`));
      const used = report ? JSON.parse(report) : {};
      resolve({ start, wall, firstByte, stdout: Buffer.concat(out).toString('utf8'), ...used });
    });
  });
}
