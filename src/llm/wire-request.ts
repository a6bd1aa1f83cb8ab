import type { Compat } from './compat.js';
import type { Message } from './messages.js';
import type { ModelRequest } from './port.js';
import { toolsAsText } from './text-calls.js';
import { writeMessages } from './wire-messages.js';

/** The body of a chat completion request: only what is needed, and only what this endpoint is not known to refuse. */
export function requestBody(model: string, request: ModelRequest, compat: Compat): Record<string, unknown> {
  const streams = compat.stream !== false;
  const offersTools = request.tools.length > 0 && compat.tools !== false;
  return {
    model,
    messages: writeMessages(withWrittenTools(request, compat), compat),
    ...(offersTools && { tools: request.tools.map((tool) => ({ type: 'function', function: { ...tool } })) }),
    ...(offersTools && compat.parallelToolCalls !== undefined && { parallel_tool_calls: compat.parallelToolCalls }),
    ...(request.reasoningEffort && compat.reasoningEffort !== false && { reasoning_effort: request.reasoningEffort }),
    ...(request.responseFormat && responseFormat(request.responseFormat, compat)),
    ...(request.maxOutputTokens !== undefined && { [compat.maxTokensField ?? 'max_tokens']: request.maxOutputTokens }),
    stream: streams,
    ...(streams && compat.streamOptions !== false && { stream_options: { include_usage: true } }),
  };
}

/** A model that is offered no tools but writes calls as text is told of them in the system prompt. */
function withWrittenTools({ messages, tools }: ModelRequest, { tools: offered, textToolCalls }: Compat): readonly Message[] {
  if (offered !== false || !textToolCalls || tools.length === 0) return messages;
  return [...messages, { role: 'system', content: toolsAsText(textToolCalls, tools) }];
}

function responseFormat({ name, schema }: NonNullable<ModelRequest['responseFormat']>, compat: Compat): Record<string, unknown> {
  const kind = compat.responseFormat ?? 'json_schema';
  if (kind === false) return {};
  return { response_format: kind === 'json_object' ? { type: kind } : { type: kind, json_schema: { name, schema } } };
}
