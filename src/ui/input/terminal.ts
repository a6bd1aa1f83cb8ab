/**
 * The terminal as frost borrows it: raw mode, bracketed paste, focus reports, keys with modifiers. Whatever it switched on
 * is switched off again at the end, at an exception, at SIGTERM, SIGHUP and SIGINT, around Ctrl+Z and `fg`, and while
 * another program has the terminal.
 */
import { BurstGuard } from './bursts.js';
import type { InputEvent } from './input-events.js';
import { KeyParser, type Pending } from './keys.js';

const PASTE_AND_FOCUS_ON = '\x1b[?2004h\x1b[?1004h';
/** The cursor is shown too. */
const PASTE_AND_FOCUS_OFF = '\x1b[?1004l\x1b[?2004l\x1b[?25h';
/** modifyOtherKeys, then the kitty protocol (escape codes unambiguous, alternate keys reported); `ESC[m` for terminals that read the first as colours. */
const KEYS_ON = '\x1b[>4;1m\x1b[m\x1b[>5u';
const KEYS_OFF = '\x1b[<u\x1b[>4;0m\x1b[m';
const SAVE_TITLE = '\x1b[22;0t';
const RESTORE_TITLE = '\x1b[23;0t';

/** How long (ms) the parser may wait for more: after an ESC that may be the key, and inside a sequence. */
const PATIENCE: Record<Pending, number> = { nothing: 0, escape: 30, sequence: 1000, paste: 0 };
/** In a paste whose end never came, Ctrl+C alone after this silence (ms) gives up. */
const PASTE_SILENCE_MS = 1000;

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** Why the terminal was taken away: a signal, or `gone` when nobody is at the other end. */
export type EndReason = (typeof SIGNALS)[number] | 'gone';

export interface TerminalOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  /** The value of TERM. */
  term?: string | undefined;
  /** Takes what was drawn off the screen (or leaves the cursor below it), before the terminal is given away or back. */
  clear?: () => void;
  /** Draws again, after the terminal came back. Between the two nothing may be drawn: see `away`. */
  redraw?: () => void;
  /**
   * Called once, after the terminal was given back, when a signal came or the terminal is gone; it ends the program.
   * Without it the process dies of the signal (of SIGHUP, where the terminal is gone).
   */
  onEnd?: (reason: EndReason) => void;
}

type Listener = (event: InputEvent) => void;

export class Terminal {
  /** False once the terminal said that its window is not looked at. */
  focused = true;
  private readonly parser = new KeyParser();
  private readonly bursts = new BurstGuard();
  private readonly listeners = new Set<Listener>();
  private readonly modifiers: boolean;
  private timer: NodeJS.Timeout | undefined;
  private lastRead = 0;
  private reads = 0;
  private state: 'new' | 'open' | 'lent' | 'stopped' | 'closed' = 'new';
  private titled = false;

  constructor(private readonly options: TerminalOptions) {
    this.modifiers = options.term !== 'linux' && options.term !== 'dumb';
  }

  /** Takes the terminal. Events go to whoever has subscribed. */
  open(): void {
    if (this.state !== 'new') return;
    const { stdin, stdout } = this.options;
    process.on('exit', this.restoreAtExit);
    process.on('uncaughtExceptionMonitor', this.restoreAtExit);
    for (const signal of SIGNALS) process.on(signal, this.signalled);
    process.on('SIGTSTP', this.suspend);
    process.on('SIGCONT', this.goOn);
    stdout.on('error', this.gone);
    stdin.on('data', this.read);
    stdin.on('end', this.gone);
    stdin.on('error', this.gone);
    this.switchOn();
    this.state = 'open';
  }

  /** True while another program has the terminal, or none of this one may write any more. */
  get away(): boolean {
    return this.state !== 'open';
  }

  /** Gives the terminal back for good. */
  close(): void {
    if (this.state === 'closed') return;
    const { stdin } = this.options;
    clearTimeout(this.timer);
    if (this.state === 'open') {
      this.clear();
      this.switchOff();
    }
    this.state = 'closed';
    if (this.titled) this.write(RESTORE_TITLE);
    stdin.off('data', this.read);
    stdin.off('end', this.gone);
    process.off('exit', this.restoreAtExit);
    process.off('uncaughtExceptionMonitor', this.restoreAtExit);
    for (const signal of SIGNALS) process.off(signal, this.signalled);
    process.off('SIGTSTP', this.suspend);
    process.off('SIGCONT', this.goOn);
    stdin.unref();
  }

  /** Receives every event from now on, in order; returns what ends that. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Gives the terminal to another program (an editor) until `use` is done, then draws the screen again. */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    if (this.state !== 'open') return use();
    this.giveAway('lent');
    try {
      return await use();
    } finally {
      this.takeBack('lent');
    }
  }

  /** Stops this process and its group, as Ctrl+Z does anywhere; `fg` goes on. */
  readonly suspend = (): void => {
    if (this.state !== 'open') return;
    this.giveAway('stopped');
    process.off('SIGTSTP', this.suspend);
    process.kill(0, 'SIGTSTP');
    // Where nothing stopped the process (no shell with jobs is above it), it goes on by itself.
    setTimeout(this.goOn, 50);
  };

  private readonly goOn = (): void => {
    if (this.state !== 'stopped') return;
    process.on('SIGTSTP', this.suspend);
    this.takeBack('stopped');
  };

  /** The window's title; the one before comes back at the end. */
  setTitle(title: string): void {
    if (this.state !== 'open') return;
    const plain = title.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ');
    this.write(`${this.titled ? '' : SAVE_TITLE}\x1b]2;${plain}\x07`);
    this.titled = true;
  }

  private giveAway(state: 'lent' | 'stopped'): void {
    clearTimeout(this.timer);
    this.parser.reset();
    this.clear();
    this.switchOff();
    this.state = state;
  }

  private takeBack(from: 'lent' | 'stopped'): void {
    if (this.state !== from) return;
    this.state = 'open';
    this.switchOn();
    this.options.redraw?.();
  }

  /** At the end of everything a drawing that fails must not keep the terminal. */
  private clear(): void {
    try {
      this.options.clear?.();
    } catch {
      // What matters more comes next: the modes are switched off.
    }
  }

  private switchOn(): void {
    const { stdin } = this.options;
    this.rawMode(true);
    stdin.ref();
    stdin.resume();
    this.write(PASTE_AND_FOCUS_ON + (this.modifiers ? KEYS_ON : ''));
  }

  private switchOff(): void {
    this.write((this.modifiers ? KEYS_OFF : '') + PASTE_AND_FOCUS_OFF);
    this.options.stdin.pause();
    this.rawMode(false);
  }

  private rawMode(on: boolean): void {
    try {
      this.options.stdin.setRawMode?.(on);
    } catch {
      // The terminal is gone; there is no mode to set.
    }
  }

  private write(text: string): void {
    const { stdout } = this.options;
    if (!stdout.destroyed && stdout.writable) stdout.write(text);
  }

  private readonly read = (bytes: Buffer): void => {
    const now = Date.now();
    clearTimeout(this.timer);
    const abandoned = this.parser.pending === 'paste' && now - this.lastRead > PASTE_SILENCE_MS && bytes.length === 1 && bytes[0] === 3;
    if (abandoned) this.parser.reset();
    this.lastRead = now;
    this.reads++;
    this.emit(this.bursts.fold(this.parser.push(bytes), now));
    const patience = PATIENCE[this.parser.pending];
    if (patience > 0) this.timer = setTimeout(this.giveUpWaiting, patience, this.reads);
  };

  /** After a busy moment the rest may lie there unread already: what can be read is read first. */
  private readonly giveUpWaiting = (reads: number): void => {
    setImmediate(() => {
      if (this.reads === reads && this.state === 'open') this.emit(this.parser.flush());
    });
  };

  private emit(events: readonly InputEvent[]): void {
    for (const event of events) {
      if (event.kind === 'focus' || event.kind === 'blur') this.focused = event.kind === 'focus';
      if (event.kind === 'key' && event.ctrl && event.name === 'z') this.suspend();
      else for (const listener of this.listeners) listener(event);
    }
  }

  private readonly restoreAtExit = (): void => this.close();

  private readonly signalled = (signal: NodeJS.Signals): void => {
    // Ctrl+C in a program that has the terminal is meant for that program.
    if (this.state !== 'lent' || signal !== 'SIGINT') this.end(signal as EndReason);
  };

  private readonly gone = (): void => this.end('gone');

  private end(reason: EndReason): void {
    if (this.state === 'closed') return;
    this.close();
    const signal = reason === 'gone' ? 'SIGHUP' : reason;
    if (!this.options.onEnd) {
      process.kill(process.pid, signal);
      return;
    }
    // While the program ends in order, the signal's own effect and other exit hooks wait; a second one is not waited for.
    process.once(signal, () => process.kill(process.pid, signal));
    this.options.onEnd(reason);
  }
}
