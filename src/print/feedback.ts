/** What goes to stderr while a run lasts: warnings always, progress where a person sees it or asked for it (`-v`). */
import type { AgentEvent, EventOf } from '../agent/events.js';
import { forTerminal, lineForTerminal } from '../text/sanitize.js';
import { firstLine } from '../text/truncate.js';
import { textOfParts } from '../tools/send-message.js';
import { cost, seconds, tokens } from './figures.js';

export interface FeedbackOptions {
  /** Writes one line, newline included. */
  line(text: string): void;
  /** Draws a line that the next one replaces; absent where nothing may move (a file, TERM=dumb). */
  live?(text: string): void;
  dim(text: string): string;
  /** Progress: what the agent says and does. Warnings come through in any case. */
  progress: boolean;
  /** Usage at the end. */
  verbose: boolean;
  isTerminal: boolean;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

interface Step {
  label: string;
  startedAt: number;
}

export class Feedback {
  readonly #options: FeedbackOptions;
  /** What runs now: children by run id, tools by call id. */
  readonly #steps = new Map<string, Step>();
  readonly #names = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #answering = false;

  constructor(options: FeedbackOptions) {
    this.#options = options;
  }

  readonly sink = (event: AgentEvent): void => {
    if (event.type === 'warning') this.warn(event.text);
    if (this.#options.progress) this.#progress(event);
    if (event.type === 'run_end') this.#end(event);
  };

  /** One line that a person should see whatever the output mode. */
  warn(text: string): void {
    this.#write(`frost: ${lineForTerminal(text)}`);
  }

  /** Progress of any kind: shown dim, and only where progress is. */
  say(text: string): void {
    if (this.#options.progress) this.#write(this.#options.dim(this.#options.isTerminal ? forTerminal(text) : text));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#steps.clear();
    this.#options.live?.('');
  }

  #write(text: string): void {
    this.#options.live?.('');
    this.#options.line(`${text}\n`);
  }

  #progress(event: AgentEvent): void {
    const who = event.agent === undefined ? '' : `${this.#names.get(event.agent) ?? event.agent}: `;
    switch (event.type) {
      case 'said':
        return this.say(`${who}${textOfParts(event.parts)}`);
      case 'text_delta':
        if (event.agent === undefined) this.#hush();
        return;
      case 'turn_start':
        this.#answering = false;
        return this.#step(`turn ${event.agent ?? ''}`, who === '' ? 'thinking' : `${who}thinking`, event.agent === undefined);
      case 'turn_end':
        return this.#done(`turn ${event.agent ?? ''}`);
      case 'tool_start':
        if (event.name === 'send_message' || event.name === 'use_subagent') return;
        this.say(`${who}· ${event.name}${event.summary ? ` ${firstLine(event.summary, 80)}` : ''}`);
        return this.#step(event.callId, `${who}${event.name}`, true);
      case 'tool_end':
        this.#done(event.callId);
        if (!event.ok && event.details?.kind !== 'agent') this.say(`${who}· ${event.name} failed: ${firstLine(event.preview ?? '', 120)}`);
        return;
      case 'agent_start':
        this.#names.set(event.run, event.name);
        this.say(
          `→ ${event.name} (${event.model} @ ${event.host}${event.keyName ? `, key ${event.keyName}` : ''}): ${firstLine(event.task, 80)}`,
        );
        return this.#step(event.run, event.name, true);
      case 'agent_end':
        this.#done(event.run);
        return this.say(
          `← ${event.name} ${event.status} in ${seconds(event.ms)}, ${tokens(event.usage)}, ${cost(event.cost)}${event.error ? `: ${event.error.message}` : ''}`,
        );
      case 'retry':
        return this.say(`${who}trying again in ${seconds(event.delayMs)} (${event.attempt} of ${event.maxAttempts}): ${event.reason}`);
      case 'compaction':
        if (event.state === 'end' && event.tokensAfter !== undefined)
          this.say(`${who}older messages were summarised: ${event.tokensBefore} → ${event.tokensAfter} tokens`);
        return;
    }
  }

  #end(event: EventOf<'run_end'>): void {
    this.stop();
    if (!this.#options.verbose) return;
    this.say(billOf(event));
  }

  /** The answer has begun to appear: nothing moves beside it. */
  #hush(): void {
    if (this.#answering) return;
    this.#answering = true;
    this.#options.live?.('');
  }

  #step(id: string, label: string, isShown: boolean): void {
    if (!isShown || !this.#options.live) return;
    this.#steps.set(id, { label, startedAt: Date.now() });
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS).unref();
  }

  #done(id: string): void {
    this.#steps.delete(id);
    if (this.#steps.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#options.live?.('');
  }

  #draw(): void {
    const step = [...this.#steps.values()].at(-1);
    if (!step || this.#answering) return;
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const more = this.#steps.size > 2 ? ` (+${this.#steps.size - 2})` : '';
    this.#options.live?.(`${FRAMES[this.#frame]} ${lineForTerminal(step.label)}${more} ${seconds(Date.now() - step.startedAt)}`);
  }
}

/** One line: how the run ended, and what each principal used at which model and host. */
function billOf({ outcome, ms, principals, usage, cost: total }: EventOf<'run_end'>): string {
  const parts = principals.map(
    ({ principal, model, host, requests, usage: own, cost: usd }) =>
      `${principal} (${model} @ ${host}, ${requests} request${requests === 1 ? '' : 's'}): ${tokens(own)}, ${cost(usd)}`,
  );
  const sum = principals.length > 1 ? [`in all: ${tokens(usage)}, ${cost(total)}`] : [];
  return [`${outcome} in ${seconds(ms)}`, ...parts, ...sum].join('; ');
}
