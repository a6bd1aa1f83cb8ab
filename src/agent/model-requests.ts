/** Requests of one agent to its model: deltas become events, usage is counted and billed, a prompt that was cut is noticed. */
import type { Message } from '../llm/messages.js';
import type { Model, ModelEnd, ModelEvent, ModelRequest, ToolSchema } from '../llm/port.js';
import { type Bill, costOf, type Price } from './bill.js';
import { type Budget, limitText } from './budget.js';
import type { Emit } from './events.js';

export interface ModelPorts {
  /** `main`, or the specialist's name: who is billed and named in errors. */
  principal: string;
  model: Model;
  budget: Budget;
  bill: Bill;
  price?: Price;
  signal: AbortSignal;
  emit: Emit;
  request?: Pick<ModelRequest, 'reasoningEffort' | 'responseFormat' | 'maxOutputTokens'>;
  /** Waits until the readers of the events have caught up, so that a slow pipe does not fill the memory. */
  drained?(): Promise<void> | undefined;
  contextWindow?: number;
}

/** Below this many characters no server's window is too small. */
const SUSPECT_CHARS = 8000;

/** Estimates err by a third or so; a count below this share of one is no error of estimate. */
const SUSPECT_SHARE = 0.4;

function charsIn(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + (typeof content === 'string' ? content.length : 0), 0);
}

export class ModelRequests {
  readonly #ports: ModelPorts;
  #warnedOfCut = false;

  constructor(ports: ModelPorts) {
    this.#ports = ports;
  }

  /** One request: passes deltas on as events, counts usage, returns how it ended. */
  async ask(messages: readonly Message[], tools: readonly ToolSchema[]): Promise<ModelEnd> {
    const { model, signal, emit, request } = this.#ports;
    let end: ModelEnd | undefined;
    for await (const event of model.stream({ messages, tools, signal, ...request })) {
      if (event.type === 'text') emit({ type: 'text_delta', text: event.text });
      else if (event.type === 'reasoning') emit({ type: 'reasoning_delta', text: event.text });
      else if (event.type === 'end') end = event;
      else if (event.type === 'helper') this.#countHelper(event);
      else if (event.type !== 'tool_call') emit(event);
      const wait = this.#ports.drained?.();
      if (wait) await wait;
    }
    if (!end) throw new Error('a model stream ended without its end event');
    this.#count(end);
    await this.#warnOfCutPrompt(messages, end.usage?.inputTokens);
    return end;
  }

  /** Local servers drop the front of a prompt that is too long for them, without a word; their count of tokens tells. */
  async #warnOfCutPrompt(messages: readonly Message[], counted: number | undefined): Promise<void> {
    if (counted === undefined || this.#warnedOfCut || charsIn(messages) < SUSPECT_CHARS) return;
    const { estimateTokens } = await import('./tokens.js');
    const sent = estimateTokens(messages);
    if (counted > sent * SUSPECT_SHARE) return;
    this.#warnedOfCut = true;
    const { model, emit } = this.#ports;
    const text = `${model.host} counted ${counted} prompt tokens where about ${sent} were sent: it may have dropped the front of the conversation. Give ${model.name} a larger context there (Ollama: num_ctx), or set CONTEXT_WINDOW.`;
    emit({ type: 'warning', code: 'prompt_cut', text });
  }

  #count({ usage, reason, textPassedOn }: ModelEnd): void {
    const { principal, model, bill, budget, price, emit, contextWindow } = this.#ports;
    if (!usage && (reason === 'error' || reason === 'aborted') && !textPassedOn) return;
    const cost = costOf(usage, price);
    bill.record(principal, model.name, model.host, usage, cost);
    budget.spend(usage, cost);
    emit({
      type: 'usage',
      principal,
      model: model.name,
      host: model.host,
      ...(usage && { usage }),
      ...(cost !== undefined && { cost }),
      ...(usage?.inputTokens !== undefined && { contextTokens: usage.inputTokens + (usage.outputTokens ?? 0) }),
      ...(contextWindow !== undefined && { contextWindow }),
    });
    const near = budget.nearing();
    if (near) emit({ type: 'warning', code: 'limit_near', text: `${principal} has used over 80 % of its limit of ${limitText(near)}.` });
  }

  #countHelper({ model, host, usage, cost }: Extract<ModelEvent, { type: 'helper' }>): void {
    const { principal, bill, budget, emit } = this.#ports;
    bill.record(principal, model, host, usage, cost);
    budget.spend(usage, cost);
    emit({ type: 'usage', principal, model, host, ...(usage && { usage }), ...(cost !== undefined && { cost }) });
  }
}
