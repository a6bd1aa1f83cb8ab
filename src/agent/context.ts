/** What of a history goes over the wire: system prompt first, compacted when it grows too long, trimmed, and always valid. */
import type { Message } from '../llm/messages.js';
import { formInstruction } from './answer-form.js';
import { type Bill, costOf } from './bill.js';
import type { Emit, EventOf } from './events.js';
import { repairHistory } from './repair.js';
import type { AgentSetup } from './setup.js';
import { charsOf, trimHistory } from './trim.js';

export interface ContextPorts {
  setup: AgentSetup;
  history: Message[];
  signal: AbortSignal;
  emit: Emit;
  bill: Bill;
}

/** Tokens of a model's window where neither the settings nor the endpoint tell. */
const DEFAULT_WINDOW = 128_000;

/** Characters below which no known window is near: then nothing is estimated and no endpoint is asked. */
const SMALL_CHARS = 12_000;

export class ContextKeeper {
  readonly #ports: ContextPorts;
  #window: Promise<number | undefined> | undefined;

  constructor(ports: ContextPorts) {
    this.#ports = ports;
  }

  async outgoing(): Promise<Message[]> {
    const { setup, history } = this.#ports;
    if (setup.compaction !== false && !isSmall(history, setup.contextWindow)) await this.#compactWhenLong();
    return repairHistory(trimHistory([this.#system(), ...history], setup.context ?? {}));
  }

  /** After a context-length error: a summary where that is wanted, else false. */
  async shorten(): Promise<boolean> {
    return this.#ports.setup.compaction !== false && this.compact('overflow');
  }

  /** Replaces the older messages by a summary; false where there is nothing to gain or the summary could not be had. */
  async compact(trigger: EventOf<'compaction'>['trigger']): Promise<boolean> {
    const { setup, history, signal, emit, bill } = this.#ports;
    const { compactHistory, estimateTokens } = await import('./compaction.js');
    const { compaction } = setup;
    const named = compaction === false ? undefined : compaction.model;
    const model = (named !== undefined ? setup.modelNamed?.(named) : undefined) ?? setup.model;
    const tokensBefore = estimateTokens(history);
    emit({ type: 'compaction', state: 'start', trigger, tokensBefore });
    const settings = { ...(compaction || {}), contextWindow: await this.#contextWindow() };
    const done = await compactHistory({ messages: history, model, settings, signal, force: trigger !== 'auto' });
    if (done?.usage) bill.record(setup.principal, model.name, model.host, done.usage, costOf(done.usage, setup.price));
    const isDone = done !== undefined && 'messages' in done;
    if (isDone) history.splice(0, history.length, ...done.messages);
    if (done && 'failure' in done)
      emit({ type: 'warning', code: 'compaction_failed', text: `The older messages could not be summarised: ${done.failure.message}` });
    const outcome = isDone ? { tokensAfter: done.tokensAfter, summary: done.summary, kept: done.kept } : {};
    emit({ type: 'compaction', state: 'end', trigger, tokensBefore, ...outcome });
    return isDone;
  }

  async #compactWhenLong(): Promise<void> {
    const { contextThreshold, estimateTokens } = await import('./compaction.js');
    const { compaction } = this.#ports.setup;
    const threshold = contextThreshold(await this.#contextWindow(), compaction === false ? undefined : compaction);
    if (estimateTokens([this.#system(), ...this.#ports.history]) > threshold) await this.compact('auto');
  }

  async #contextWindow(): Promise<number> {
    const { contextWindow, findContextWindow } = this.#ports.setup;
    if (contextWindow !== undefined) return contextWindow;
    this.#window ??= findContextWindow?.() ?? Promise.resolve(undefined);
    return (await this.#window) ?? DEFAULT_WINDOW;
  }

  #system(): Message {
    const { system, form } = this.#ports.setup;
    return { role: 'system', content: system + formInstruction(form) };
  }
}

/** Even where each character is a token, so few are far from any window. */
function isSmall(history: readonly Message[], window = Number.POSITIVE_INFINITY): boolean {
  const most = Math.min(SMALL_CHARS, window / 4);
  let chars = 0;
  for (const message of history) {
    chars += typeof message.content === 'string' ? charsOf(message) : SMALL_CHARS;
    if (chars > most) return false;
  }
  return true;
}
