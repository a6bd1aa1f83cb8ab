/** Runs one shell command as a process group of its own and collects what it says. */
import { spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import path from 'node:path';

/** Kept for the model from the beginning and from the end. */
const HEAD = 16 * 1024;
const TAIL = 24 * 1024;
const MAX_LOG = 256 * 1024 * 1024;
const GRACE_MS = 2000;
const UPDATE_MS = 50;

export interface CommandOptions {
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
  /** Live output, a few times a second at most. */
  update: (text: string) => void;
  /** Where the whole output goes once it is too long to be kept; asked for when that happens. */
  logFolder: () => Promise<string>;
}

export interface CommandResult {
  exitCode: number | null;
  signal?: NodeJS.Signals;
  /** Why it was ended before its time. */
  ended?: 'timeout' | 'aborted';
  output: string;
  bytes: number;
  /** The file with the whole output, where `output` is not all of it. */
  log?: string;
}

/** Groups that still run; where frost itself ends first, it takes them along. */
const running = new Set<number>();
process.on('exit', () => {
  for (const group of running) kill(group, 'SIGKILL');
});

function kill(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Nothing of the group is left.
  }
}

/** Resolves when the command has ended and nothing of its process group is left. Rejects where it cannot be started. */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const [file = '', ...args] = options.argv;
  const child = spawn(file, args, { cwd: options.cwd, env: { ...options.env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = new Output(options);
  child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.add(chunk));
  let ended: CommandResult['ended'];
  const group = child.pid;
  if (group !== undefined) running.add(group);
  const killGroup = (signal: NodeJS.Signals) => group !== undefined && kill(group, signal);
  const end = (why: 'timeout' | 'aborted') => {
    ended ??= why;
    killGroup('SIGTERM');
    setTimeout(() => killGroup('SIGKILL'), GRACE_MS).unref();
  };
  const onAbort = () => end('aborted');
  const timer = setTimeout(() => end('timeout'), options.timeoutMs);
  options.signal.addEventListener('abort', onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  try {
    const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, by) => resolve([code, by]));
    });
    // What the command left in the background would hold the pipes open, and outlive the turn.
    killGroup('SIGKILL');
    await Promise.race([
      new Promise((resolve) => child.once('close', resolve)),
      new Promise((resolve) => setTimeout(resolve, 500).unref()),
    ]);
    return { exitCode, ...(signal && { signal }), ...(ended && { ended }), ...(await output.finish()) };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', onAbort);
    if (group !== undefined) running.delete(group);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Keeps head and tail, passes live text on in batches, and writes all of it to a file once it is long. */
class Output {
  readonly #options: Pick<CommandOptions, 'update' | 'logFolder'>;
  readonly #decoder = new TextDecoder();
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #head: Buffer | undefined;
  #bytes = 0;
  #pending = '';
  #timer: NodeJS.Timeout | undefined;
  #log: Promise<{ file: string; stream: WriteStream } | undefined> | undefined;

  constructor(options: Pick<CommandOptions, 'update' | 'logFolder'>) {
    this.#options = options;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    if (this.#log) this.#write(chunk);
    else if (this.#bytes > HEAD + TAIL) this.#openLog();
    if (this.#keptBytes > 4 * (HEAD + TAIL)) this.#shrink();
    this.#show(chunk);
  }

  async finish(): Promise<Pick<CommandResult, 'output' | 'bytes' | 'log'>> {
    clearTimeout(this.#timer);
    this.#flush();
    const log = await this.#log;
    await new Promise<void>((resolve) => (log ? log.stream.end(resolve) : resolve()));
    const kept = Buffer.concat(this.#kept);
    const text = (part: Buffer) => new TextDecoder().decode(part);
    if (this.#bytes <= HEAD + TAIL) return { output: text(kept), bytes: this.#bytes };
    const head = this.#head ?? kept.subarray(0, HEAD);
    const tail = kept.subarray(Math.max(kept.length - TAIL, this.#head ? 0 : HEAD));
    const left = this.#bytes - head.length - tail.length;
    const where = log ? `; all of it is in ${log.file}` : '';
    const output = `${wholeCharacters(text(head))}\n[… ${left} bytes left out${where} …]\n${wholeCharacters(text(tail))}`;
    return { output, bytes: this.#bytes, ...(log && { log: log.file }) };
  }

  #shrink(): void {
    const all = Buffer.concat(this.#kept);
    this.#head ??= all.subarray(0, HEAD);
    this.#kept = [Buffer.from(all.subarray(-TAIL))];
    this.#keptBytes = TAIL;
  }

  #openLog(): void {
    const before = Buffer.concat(this.#kept);
    this.#log = this.#options
      .logFolder()
      .then((folder) => {
        const file = path.join(folder, `command-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}.log`);
        const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
        stream.on('error', () => {});
        return { file, stream };
      })
      .catch(() => undefined);
    this.#write(before);
  }

  #write(chunk: Buffer): void {
    if (this.#bytes < MAX_LOG) void this.#log?.then((log) => log?.stream.write(chunk));
  }

  #show(chunk: Buffer): void {
    // A person cannot read faster than this, and a flood must not become a flood of events.
    this.#pending = (this.#pending + this.#decoder.decode(chunk, { stream: true })).slice(-8 * 1024);
    this.#timer ??= setTimeout(() => this.#flush(), UPDATE_MS);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#pending) this.#options.update(this.#pending);
    this.#pending = '';
  }
}

/** A cut may go through a character; its halves are left out. */
const wholeCharacters = (text: string) => text.replace(/^\ufffd{1,3}|\ufffd{1,3}$/g, '');
