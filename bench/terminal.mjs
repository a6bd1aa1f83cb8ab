// A program in a pseudo-terminal of 120 × 40 that answers what programs ask a terminal, with every byte it wrote and when.
import fs from 'node:fs';

/** Queries of a terminal and what a plain modern one says. */
const ANSWERS = [
  [/\x1b\[6n/g, '\x1b[1;1R'],
  [/\x1b\[0?c/g, '\x1b[?62;22c'],
  [/\x1b\[\?u/g, '\x1b[?0u'],
  [/\x1b\]11;\?(?:\x07|\x1b\\)/g, '\x1b]11;rgb:0000/0000/0000\x1b\\'],
  [/\x1b\]10;\?(?:\x07|\x1b\\)/g, '\x1b]10;rgb:ffff/ffff/ffff\x1b\\'],
  [/\x1b\[\?2026\$p/g, '\x1b[?2026;2$y'],
];

const SEQUENCE = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[[\]()][0-9;:?<>=!]*[ -/]*[@-~]|\x1b./g;
/** What is readable of raw output, without blanks and line ends, which a program may draw by moving the cursor. */
export const readable = (text) => text.replace(SEQUENCE, '').replace(/\s/g, '');

export class TerminalRun {
  #pty;
  #waiting = [];
  start;
  text = '';
  /** When the last byte came. */
  lastAt = 0;

  /** @param spawn of a pseudo-terminal package */
  constructor(spawn, args, { env, cwd }) {
    this.start = performance.now();
    this.#pty = spawn(process.execPath, args, { name: 'xterm-256color', cols: 120, rows: 40, env, cwd });
    this.#pty.onData((data) => {
      this.text += data;
      this.lastAt = performance.now();
      for (const [query, answer] of ANSWERS) for (const _ of data.matchAll(query)) this.#pty.write(answer);
      this.#waiting = this.#waiting.filter((check) => !check());
    });
    this.ended = new Promise((resolve) => this.#pty.onExit(resolve));
  }

  write(keys) {
    this.#pty.write(keys);
  }

  /** When the readable text since position `from` of the output first held `wanted`; rejects after `timeoutMs`. */
  until(wanted, { from = 0, timeoutMs = 30_000 } = {}) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the terminal never showed «${wanted}», but: ${readable(this.text.slice(from)).slice(-300)}`)),
        timeoutMs,
      );
      const check = () => {
        if (!readable(this.text.slice(from)).includes(wanted)) return false;
        clearTimeout(timer);
        resolve(this.lastAt);
        return true;
      };
      if (!check()) this.#waiting.push(check);
    });
  }

  /** MB now and at the peak, ms of CPU so far, as the kernel counts them; undefined where there is no /proc. */
  usage() {
    try {
      const status = fs.readFileSync(`/proc/${this.#pty.pid}/status`, 'utf8');
      const fields = fs
        .readFileSync(`/proc/${this.#pty.pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      const megabytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
      return { memory: megabytes('VmRSS'), peak: megabytes('VmHWM'), cpu: (Number(fields[11]) + Number(fields[12])) * 10 };
    } catch {
      return { memory: Number.NaN, peak: Number.NaN, cpu: Number.NaN };
    }
  }

  /** Ends it as a user does: an end of input on an empty prompt, so that it leaves what it keeps for the next start. */
  async quit() {
    this.#pty.write('\x04');
    const timer = setTimeout(() => this.#pty.kill('SIGKILL'), 3000);
    await this.ended;
    clearTimeout(timer);
  }

  async kill() {
    this.#pty.kill('SIGKILL');
    await this.ended;
  }
}
