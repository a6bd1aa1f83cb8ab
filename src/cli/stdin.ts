/**
 * What comes in on stdin. A file or pipe is read to its end, however slow its producer. Two things must not happen: a silent
 * hang on a pipe that nobody will ever close, and lost input.
 */
import fs from 'node:fs';
import { FrostError } from '../errors.js';

export interface StdinOptions {
  /** Whether the run can do without: it has a prompt. */
  hasPrompt: boolean;
  /** `--stdin-wait`: how long a run with a prompt waits for the first byte of a pipe whose write end a supervisor holds. Seconds. */
  waitSeconds: number;
  forceText: boolean;
  warn(text: string): void;
  /** Called where a byte arrives after the run went on without: its answer would be wrong. */
  onLate(error: FrostError): void;
}

/** Bytes that one run takes in. */
export const MOST_BYTES = 10 * 1024 * 1024;

const PATIENCE_MS = 2000;

type Kind = 'none' | 'file' | 'pipe' | 'socket';

function kindOfStdin(): Kind {
  try {
    const stat = fs.fstatSync(0);
    if (stat.isFile()) return 'file';
    if (stat.isFIFO()) return 'pipe';
    if (stat.isSocket()) return 'socket';
  } catch {
    // Closed.
  }
  // A terminal, where the prompt was on the command line, or a device such as /dev/null, which has nothing to give.
  return 'none';
}

/** The ids of the processes that this one descends from, nearest first (Linux). */
function* ancestors(): Generator<number> {
  let pid = process.ppid;
  while (pid > 1) {
    yield pid;
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  }
}

function holdsWriteEnd(pid: number, pipe: string): boolean {
  for (const fd of fs.readdirSync(`/proc/${pid}/fd`)) {
    try {
      if (fs.readlinkSync(`/proc/${pid}/fd/${fd}`) !== pipe) continue;
      const flags = /flags:\s*([0-7]+)/.exec(fs.readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
      if ((Number.parseInt(flags, 8) & 3) !== 0) return true;
    } catch {
      // The descriptor was closed while we looked.
    }
  }
  return false;
}

/** Whether a process that frost descends from holds the write end: a supervisor, a CI step, a script that never closes it. */
function isHeldAbove(): boolean {
  try {
    const pipe = fs.readlinkSync('/proc/self/fd/0');
    for (const pid of ancestors()) if (holdsWriteEnd(pid, pipe)) return true;
  } catch {
    // Not Linux, or not ours to look at.
  }
  return false;
}

function tooLarge(bytes: number): FrostError {
  const size = bytes > MOST_BYTES ? `${(bytes / 1024 / 1024).toFixed(1)} MB` : 'more than 10 MB';
  return new FrostError('input_unreadable', `stdin has ${size}; frost takes 10 MB at most. Send a part of it (head, grep, split).`);
}

/** Text of raw input. Throws FrostError `input_unreadable` for binary input, unless `forceText`. */
export function textOfInput(bytes: Buffer, from: string, { forceText, warn }: Pick<StdinOptions, 'forceText' | 'warn'>): string {
  if (bytes.includes(0) && !forceText) {
    throw new FrostError('input_unreadable', `${from} is binary (it has NUL bytes). Convert it to text first, or pass --force-text.`);
  }
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') && !bytes.equals(Buffer.from(text))) warn(`${from} is not all UTF-8; what could not be read became U+FFFD.`);
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** What stdin says, or undefined where it says nothing. Throws FrostError `input_unreadable`. */
export async function readStdin(options: StdinOptions): Promise<string | undefined> {
  const kind = kindOfStdin();
  if (kind === 'none') return undefined;
  const bytes = kind === 'file' ? readFile() : await readPipe(kind, options);
  return bytes === undefined || bytes.length === 0 ? undefined : textOfInput(bytes, 'stdin', options);
}

function readFile(): Buffer {
  const { size } = fs.fstatSync(0);
  if (size > MOST_BYTES) throw tooLarge(size);
  return fs.readFileSync(0);
}

async function readPipe(kind: 'pipe' | 'socket', options: StdinOptions): Promise<Buffer | undefined> {
  const { stdin } = process;
  const parts: Buffer[] = [];
  let bytes = 0;
  const isHeld = options.hasPrompt && (kind === 'socket' || isHeldAbove());
  return new Promise((resolve, reject) => {
    const waiting = setTimeout(
      () => {
        if (!isHeld) return options.warn('waiting for stdin; pass --no-stdin or </dev/null where nothing will come.');
        options.warn(
          `nothing came on stdin within ${options.waitSeconds} s, and the program that started frost keeps it open; going on without it (--no-stdin, --stdin-wait).`,
        );
        stdin.removeAllListeners();
        watchForLate(options);
        resolve(undefined);
      },
      isHeld ? options.waitSeconds * 1000 : PATIENCE_MS,
    );
    stdin.on('data', (part: Buffer) => {
      clearTimeout(waiting);
      parts.push(part);
      bytes += part.length;
      if (bytes <= MOST_BYTES) return;
      stdin.destroy();
      reject(tooLarge(0));
    });
    stdin.once('end', () => {
      clearTimeout(waiting);
      resolve(Buffer.concat(parts));
    });
    stdin.once('error', (error) => {
      clearTimeout(waiting);
      reject(new FrostError('input_unreadable', `stdin could not be read: ${error.message}`));
    });
  });
}

function watchForLate({ onLate }: StdinOptions): void {
  const { stdin } = process;
  stdin.on('error', () => {});
  stdin.once('data', () =>
    onLate(
      new FrostError(
        'input_unreadable',
        'input came on stdin after the run had gone on without it; the answer would be wrong. Give a longer --stdin-wait.',
      ),
    ),
  );
  // What nobody writes to must not keep the process alive.
  (stdin as unknown as { unref?: () => void }).unref?.();
}
