/**
 * The answer on stdout in text mode. On a terminal text is shown as it comes. Into a pipe it streams as soon as it cannot be a
 * mere preamble to a tool call: at once when no tools are offered, else after 400 characters or at the message's end; a shorter
 * text that turns out to precede a tool call is feedback and goes to stderr.
 */
import type { AgentEvent, EventOf } from '../agent/events.js';
import type { AssistantMessage } from '../llm/messages.js';
import { TerminalText } from '../text/sanitize.js';

const PREAMBLE_CHARS = 400;

export interface AnswerStreamOptions {
  write(text: string): void;
  /** A short text before a tool call. */
  preamble(text: string): void;
  isTerminal: boolean;
  /** Whether the model is offered tools: then a short text may be a preamble. */
  hasTools: boolean;
  /** Whose answer it is: the main agent's, or that of the specialist a run goes straight to. */
  follow?: 'main' | 'child';
}

export class AnswerStream {
  readonly #options: AnswerStreamOptions;
  readonly #terminal: TerminalText | undefined;
  #held = '';
  #isOpen: boolean;
  #streamed = '';
  #followed: string | undefined;
  /** The last character written, to end in exactly one newline. */
  #last = '';

  constructor(options: AnswerStreamOptions) {
    this.#options = options;
    this.#terminal = options.isTerminal ? new TerminalText() : undefined;
    this.#isOpen = this.#streamsAtOnce;
  }

  /** True once anything of an answer is on stdout. */
  get hasWritten(): boolean {
    return this.#last !== '';
  }

  readonly sink = (event: AgentEvent): void => {
    if (event.type === 'agent_start' && this.#options.follow === 'child') this.#followed ??= event.run;
    if (event.agent !== this.#followed) return event.type === 'run_end' ? this.#end(event) : undefined;
    if (event.type === 'text_delta') this.#text(event.text);
    else if (event.type === 'message' && event.message.role === 'assistant') this.#messageEnd(event.message);
    else if (event.type === 'run_end') this.#end(event);
  };

  get #streamsAtOnce(): boolean {
    return this.#options.isTerminal || !this.#options.hasTools;
  }

  #text(text: string): void {
    if (this.#isOpen) return this.#write(text);
    this.#held += text;
    if (this.#held.length >= PREAMBLE_CHARS) this.#release();
  }

  #release(): void {
    const text = this.#held;
    this.#held = '';
    this.#isOpen = true;
    if (text !== '') this.#write(text);
  }

  #messageEnd({ toolCalls, incomplete }: AssistantMessage): void {
    const isBeforeTools = (toolCalls?.length ?? 0) > 0;
    // What had not been let out when the answer broke off stays in; only one that was cut at its length is delivered as it is.
    const isBroken = incomplete !== undefined && incomplete !== 'length';
    if (isBeforeTools) {
      if (this.#held.trim() !== '') this.#options.preamble(this.#held);
      if (this.#streamed !== '') this.#endLine();
    } else if (!isBroken) {
      this.#release();
    }
    this.#held = '';
    if (isBeforeTools) this.#streamed = '';
    this.#isOpen = this.#streamsAtOnce;
  }

  #end({ outcome, answer }: EventOf<'run_end'>): void {
    if (outcome === 'done') {
      if (this.#streamed !== answer)
        this.#write(this.#streamed !== '' && answer.startsWith(this.#streamed) ? answer.slice(this.#streamed.length) : answer);
      this.#endLine();
    } else if (this.#options.isTerminal && this.hasWritten) {
      this.#endLine();
    }
  }

  #write(text: string): void {
    this.#streamed += text;
    const shown = this.#terminal ? this.#terminal.push(text) : text;
    if (shown === '') return;
    this.#last = shown.at(-1) ?? '';
    this.#options.write(shown);
  }

  #endLine(): void {
    const rest = this.#terminal?.end() ?? '';
    if (rest !== '') {
      this.#last = rest.at(-1) ?? '';
      this.#options.write(rest);
    }
    if (this.#last === '' || this.#last === '\n') return;
    this.#last = '\n';
    this.#options.write('\n');
  }
}
