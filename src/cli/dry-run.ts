/** `--dry-run`: the exact request, keys as names, without sending it. */
import { estimateTokens } from '../agent/tokens.js';
import { type ConnectionOptions, describeRequest } from '../llm/client.js';
import type { Model, ModelEvent, ModelRequest } from '../llm/port.js';

export class DryRun {
  request: { connection: ConnectionOptions; name: string; request: ModelRequest } | undefined;

  /** A model that keeps its first request instead of sending it. */
  model({ name, host }: Model, connection: ConnectionOptions): Model {
    const keep = (request: ModelRequest) => {
      this.request ??= { connection, name, request };
    };
    return {
      name,
      host,
      async *stream(request): AsyncIterable<ModelEvent> {
        keep(request);
        yield { type: 'end', reason: 'aborted', message: { role: 'assistant', content: '' }, textPassedOn: false };
      },
    };
  }
}

/** One JSON object: method, url, headers, body, and an estimate of its input tokens. */
export function printDryRun({ request }: DryRun, print: (text: string) => void): void {
  if (!request) return;
  const described = describeRequest(request.connection, request.name, request.request);
  const estimate = estimateTokens(request.request.messages) + Math.ceil(JSON.stringify(request.request.tools).length / 4);
  print(`${JSON.stringify({ ...described, estimated_input_tokens: estimate }, null, 2)}\n`);
}
