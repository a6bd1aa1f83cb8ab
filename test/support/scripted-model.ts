import type { Failure } from '../../src/errors.js';
import type { ToolCall } from '../../src/llm/messages.js';
import type { EndReason, Model, ModelEvent, ModelRequest, Usage } from '../../src/llm/port.js';

/** One scripted answer. */
export interface Reply {
  text?: string | string[];
  reasoning?: string;
  calls?: [name: string, args: unknown][];
  reason?: EndReason;
  error?: Failure;
  usage?: Usage;
  /** Waits until the request is aborted, after the text. */
  hang?: boolean;
  /** Called when the request arrives. */
  onRequest?: (request: ModelRequest) => void | Promise<void>;
}

let calls = 0;

/** A model that says what it is told to. It fails when asked too often; `rest()` is what was left unsaid and must be 0 at the end. */
export class ScriptedModel implements Model {
  readonly name: string;
  readonly host: string;
  readonly requests: ModelRequest[] = [];
  readonly #script: Reply[];

  constructor(script: Reply[], name = 'scripted', host = 'test.invalid') {
    this.#script = [...script];
    this.name = name;
    this.host = host;
  }

  rest(): number {
    return this.#script.length;
  }

  async *stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    this.requests.push({ ...request, messages: structuredClone(request.messages) as ModelRequest['messages'] });
    const reply = this.#script.shift();
    if (!reply) throw new Error(`the scripted model ${this.name} was asked ${this.requests.length} times, more than its script allows`);
    await reply.onRequest?.(request);
    if (reply.reasoning) yield { type: 'reasoning', text: reply.reasoning };
    const pieces = reply.text === undefined ? [] : [reply.text].flat();
    for (const text of pieces) yield { type: 'text', text };
    if (reply.hang) await aborted(request.signal);
    const toolCalls: ToolCall[] = (reply.calls ?? []).map(([name, args]) => ({
      id: `call_${++calls}`,
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    }));
    const isAborted = request.signal.aborted;
    yield {
      type: 'end',
      reason: isAborted ? 'aborted' : (reply.reason ?? (reply.error ? 'error' : toolCalls.length > 0 ? 'tool_calls' : 'stop')),
      message: { role: 'assistant', content: pieces.join(''), ...(toolCalls.length > 0 && { toolCalls }) },
      textPassedOn: pieces.length > 0,
      ...(reply.usage && { usage: reply.usage }),
      ...(reply.error && { error: reply.error }),
    };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
