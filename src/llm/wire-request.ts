import type { Compat } from './compat.js';
import type { ModelRequest } from './port.js';
import { writeMessages } from './wire-messages.js';

/** The body of a chat completion request: only what is needed, and only what this endpoint is not known to refuse. */
export function requestBody(model: string, request: ModelRequest, compat: Compat): Record<string, unknown> {
  const streams = compat.stream !== false;
  const offersTools = request.tools.length > 0 && compat.tools !== false;
  return {
    model,
    messages: writeMessages(request.messages, compat),
    ...(offersTools && { tools: request.tools.map((tool) => ({ type: 'function', function: { ...tool } })) }),
    ...(offersTools && compat.parallelToolCalls !== undefined && { parallel_tool_calls: compat.parallelToolCalls }),
    ...(request.reasoningEffort && compat.reasoningEffort !== false && { reasoning_effort: request.reasoningEffort }),
    ...(request.responseFormat && responseFormat(request.responseFormat, compat)),
    ...(request.maxOutputTokens !== undefined && { [compat.maxTokensField ?? 'max_tokens']: request.maxOutputTokens }),
    stream: streams,
    ...(streams && compat.streamOptions !== false && { stream_options: { include_usage: true } }),
  };
}

function responseFormat({ name, schema }: NonNullable<ModelRequest['responseFormat']>, compat: Compat): Record<string, unknown> {
  const kind = compat.responseFormat ?? 'json_schema';
  if (kind === false) return {};
  return { response_format: kind === 'json_object' ? { type: kind } : { type: kind, json_schema: { name, schema } } };
}
