/**
 * The loop: model request, tool calls, results, again, until the model answers. A function over ports: history, model, tools,
 * gate, budget, signal and event sink come in as arguments. The main agent and every child run this same loop.
 */
import type { Failure } from '../errors.js';
import type { AssistantMessage, Message, UserMessage } from '../llm/messages.js';
import type { ModelEnd } from '../llm/port.js';
import type { Access } from '../permissions/access.js';
import type { MessagePart } from '../profiles/message-parts.js';
import type { Tool } from '../profiles/tool.js';
import { schemaOf, type ToolRegistry } from '../tools/registry.js';
import { textOfParts } from '../tools/send-message.js';
import { type Exceeded, limitText, requestsText } from './budget.js';
import type { LimitName, Outcome, PermissionDenial } from './events.js';
import type { Gate } from './gate.js';
import { newId } from './ids.js';
import { LoopGuard } from './loop-guard.js';
import { type ModelPorts, ModelRequests } from './model-requests.js';
import { runToolCalls, type ToolPorts } from './tool-calls.js';

export interface LoopPorts extends ModelPorts {
  /** Appended to, message by message; always in a state that the next request can send once `repairHistory` has seen it. */
  history: Message[];
  tools: ToolRegistry;
  /** The tools that the model is told of; others answer with a permission error or «no such tool». Default: all. */
  offered?: (name: string) => boolean;
  gate: Gate;
  /** What goes over the wire for this history: system prompt first, trimmed, compacted, valid. */
  outgoing(history: Message[]): Promise<Message[]> | Message[];
  /** Asked after a context-length error: true where the history could be made shorter. */
  shorten?(): Promise<boolean>;
  /** What the person typed while the turn ran. */
  steering?(): UserMessage[];
  /** True for a child: at a limit it may report once, without tools. */
  graceTurn: boolean;
  agent?: string;
  agentName?: string;
  onDenied?(denial: PermissionDenial): void;
  onAllowed?(access: Access): void;
  keepWhole?(callId: string, text: string): string | undefined;
}

export interface LoopEnd {
  outcome: Outcome;
  /** The answer, or the partial text of a run that did not end as `done`. */
  answer: string;
  error?: Failure;
  limit?: LimitName;
  turns: number;
}

const NUDGE = 'Your last reply was empty. Give your answer now.';

const GRACE = (reason: string) =>
  `You have reached your limit (${reason}). Report now what you have found or done so far, in plain text. You have no tools any more.`;

export async function runLoop(ports: LoopPorts): Promise<LoopEnd> {
  return new LoopRun(ports).run();
}

/** The working state of one call of `runLoop`; it does not outlive it. */
class LoopRun {
  #guard = new LoopGuard();
  /** Texts of send_message since the last result of another tool: the answer, where the final text is empty. */
  #sent: string[] = [];
  #hasSaid = false;
  #failures = 0;
  #nudged = false;
  #shortened = false;
  readonly #ports: LoopPorts;
  readonly #requests: ModelRequests;

  constructor(ports: LoopPorts) {
    this.#ports = ports;
    this.#requests = new ModelRequests(ports);
  }

  async run(): Promise<LoopEnd> {
    for (;;) {
      if (this.#ports.signal.aborted) return this.#end('aborted', '');
      const outgoing = await this.#outgoing();
      const exceeded = this.#ports.budget.exceeded(() => Math.round(JSON.stringify(outgoing).length / 5));
      if (exceeded) return this.#limit(exceeded);
      const end = await this.#turn(outgoing);
      if (end) return end;
    }
  }

  /** One model request and the tools it asked for; returns the end of the run, or nothing where it goes on. */
  async #turn(outgoing: Message[]): Promise<LoopEnd | undefined> {
    const { emit, budget } = this.#ports;
    const turn = ++budget.turns;
    emit({ type: 'turn_start', turn });
    const reply = await this.#requests.ask(outgoing, this.#offered().map(schemaOf));
    const end = await this.#afterReply(reply);
    emit({ type: 'turn_end', turn });
    return end;
  }

  async #afterReply(reply: ModelEnd): Promise<LoopEnd | undefined> {
    const { message, reason } = reply;
    const isWhole = reason === 'stop' || reason === 'tool_calls';
    if (!isWhole && reply.error?.kind === 'context_length' && !this.#shortened) {
      this.#shortened = true;
      if (await this.#ports.shorten?.()) return undefined;
    }
    if (isWhole) this.#shortened = false;
    if (message.content !== '' || message.toolCalls || message.reasoning) this.#append(isWhole ? message : incomplete(message, reason));
    if (reason === 'aborted') return this.#end('aborted', message.content);
    if (!isWhole) return this.#end('failed', message.content, reply.error);
    if (message.content.trim() !== '') this.#hasSaid = true;
    if (message.toolCalls && message.toolCalls.length > 0) return this.#runTools(message.toolCalls);
    return this.#final(message);
  }

  #final(message: AssistantMessage): LoopEnd | undefined {
    const steering = this.#ports.steering?.() ?? [];
    if (steering.length > 0) {
      for (const one of steering) this.#append(one);
      return undefined;
    }
    if (message.content.trim() !== '') return this.#end('done', message.content);
    if (this.#sent.length > 0) return this.#end('done', this.#sent.join('\n'));
    if (!this.#nudged && this.#ports.history.some(({ role }) => role === 'tool')) {
      this.#nudged = true;
      this.#append({ role: 'user', content: NUDGE, auto: true });
      return undefined;
    }
    const who = this.#ports.principal === 'main' ? 'The model' : this.#ports.principal;
    const { model } = this.#ports;
    return this.#end('failed', '', {
      kind: 'empty',
      message: `${who} gave an empty answer (no text, no tool call; ${model.name} at ${model.host}). Ask again, or try another model.`,
    });
  }

  async #runTools(calls: NonNullable<AssistantMessage['toolCalls']>): Promise<LoopEnd | undefined> {
    const results = await runToolCalls(calls, this.#toolPorts());
    const verdict = this.#guard.check(
      calls.map((call, i) => ({ name: call.name, arguments: call.arguments, result: results[i]?.content ?? '' })),
    );
    const last = results.at(-1);
    if (verdict.verdict === 'note' && last) last.content += `\n\n${verdict.note}`;
    for (const result of results) this.#append(result);
    if (calls.some(({ name }) => name !== 'send_message')) {
      this.#sent = [];
      this.#hasSaid = false;
    }
    if (this.#ports.signal.aborted) return this.#end('aborted', '');
    if (verdict.verdict === 'stop') return this.#loopStop(verdict.reason);
    for (const message of this.#ports.steering?.() ?? []) this.#append(message);
    return undefined;
  }

  #toolPorts(): ToolPorts {
    const { tools, gate, signal, emit, agent, agentName, onDenied, onAllowed, keepWhole } = this.#ports;
    return {
      tools,
      offered: this.#offered().map(({ name }) => name),
      gate,
      signal,
      emit,
      ...(agent !== undefined && { agent }),
      ...(agentName !== undefined && { agentName }),
      hasSaid: () => this.#hasSaid,
      said: (parts, auto) => this.#say(parts, auto),
      denied: (denial) => onDenied?.({ ...denial, ...(agentName !== undefined && { agent: agentName }) }),
      allowed: (access) => onAllowed?.(access),
      ...(keepWhole && { keepWhole }),
      isFirstFailure: () => ++this.#failures === 1,
    };
  }

  #offered(): Tool[] {
    const { tools, offered } = this.#ports;
    return [...tools.values()].filter(({ name }) => offered?.(name) ?? true);
  }

  #say(parts: MessagePart[], auto: boolean): void {
    this.#hasSaid = true;
    if (!auto) this.#sent.push(textOfParts(parts));
    this.#ports.emit({ type: 'said', parts, auto });
  }

  #append(message: Message): void {
    this.#ports.history.push(message);
    this.#ports.emit({ type: 'message', id: newId('m'), message });
  }

  async #outgoing(): Promise<Message[]> {
    return this.#ports.outgoing(this.#ports.history);
  }

  async #limit(exceeded: Exceeded): Promise<LoopEnd> {
    const reason = limitText(exceeded);
    const made = requestsText(this.#ports.budget.turns);
    const answer = this.#ports.graceTurn && exceeded.limit !== 'seconds' ? await this.#report(reason) : lastText(this.#ports.history);
    const who = this.#ports.principal === 'main' ? 'The run' : this.#ports.principal;
    const message = `${who} reached its limit of ${reason} and was stopped after ${made}.`;
    return {
      ...this.#end('limit', answer, { kind: 'limit', message, facts: { limit: exceeded.limit, bound: exceeded.bound } }),
      limit: exceeded.limit,
    };
  }

  /** The grace turn: one request without tools, in which a child reports what it has. */
  async #report(reason: string): Promise<string> {
    const { history, emit, budget } = this.#ports;
    this.#append({ role: 'user', content: GRACE(reason), auto: true });
    const turn = ++budget.turns;
    emit({ type: 'turn_start', turn });
    const reply = await this.#requests.ask(await this.#outgoing(), []);
    if (reply.message.content !== '') this.#append({ ...reply.message, ...(reply.reason !== 'stop' && { incomplete: 'error' as const }) });
    emit({ type: 'turn_end', turn });
    return reply.message.content || lastText(history);
  }

  #loopStop(reason: string): LoopEnd {
    const who = this.#ports.principal === 'main' ? 'The model' : this.#ports.principal;
    const message = `${who} ${reason}; the run was stopped after ${requestsText(this.#ports.budget.turns)}. Ask in another way, or try another model.`;
    return { ...this.#end('limit', lastText(this.#ports.history), { kind: 'limit', message, facts: { limit: 'loop' } }), limit: 'loop' };
  }

  #end(outcome: Outcome, answer: string, error?: Failure): LoopEnd {
    return { outcome, answer, turns: this.#ports.budget.turns, ...(error && { error }) };
  }
}

function incomplete(message: AssistantMessage, reason: ModelEnd['reason']): AssistantMessage {
  const { toolCalls: _, ...rest } = message;
  return { ...rest, incomplete: reason === 'aborted' || reason === 'length' ? reason : 'error' };
}

/** The last thing the model said in this history, for a report of what there is. */
function lastText(history: readonly Message[]): string {
  const since = history.slice(history.findLastIndex(({ role }) => role === 'user') + 1);
  const last = since.findLast((message): message is AssistantMessage => message.role === 'assistant' && message.content.trim() !== '');
  return last?.content ?? '';
}
