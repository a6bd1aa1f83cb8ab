import type { AssistantMessage, Message, ToolCall, ToolMessage } from '../llm/messages.js';

/** What the model reads in place of a result that never came. */
export const CANCELLED_RESULT = 'cancelled: the call was stopped before it finished, its result is not known';

function resultFor(call: ToolCall, results: Map<string, ToolMessage[]>): ToolMessage {
  const found = results.get(call.id)?.shift();
  return found ?? { role: 'tool', callId: call.id, name: call.name, content: CANCELLED_RESULT, isError: true };
}

/** The results that belong to the calls at `index`: all up to the next assistant message, by call id, in their order. */
function resultsAfter(messages: readonly Message[], index: number): Map<string, ToolMessage[]> {
  const results = new Map<string, ToolMessage[]>();
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role === 'assistant') break;
    if (message?.role !== 'tool') continue;
    const same = results.get(message.callId);
    if (same) same.push(message);
    else results.set(message.callId, [message]);
  }
  return results;
}

/** Gives out ids that no call of this history has. */
function idSource(messages: readonly Message[]): { take(id: string): string } {
  const known = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])).map((call) => call.id),
  );
  const taken = new Set<string>();
  let next = 1;
  return {
    take(id) {
      let free = id;
      while (free === '' || taken.has(free) || (free !== id && known.has(free))) free = `call_again_${next++}`;
      taken.add(free);
      return free;
    },
  };
}

function withResults(
  message: AssistantMessage,
  calls: ToolCall[],
  results: Map<string, ToolMessage[]>,
  ids: ReturnType<typeof idSource>,
): Message[] {
  const pairs = calls.map((call) => {
    const result = resultFor(call, results);
    const id = ids.take(call.id);
    return id === call.id ? { call, result } : { call: { ...call, id }, result: { ...result, callId: id } };
  });
  const same = pairs.every((pair, i) => pair.call === calls[i]);
  return [same ? message : { ...message, toolCalls: pairs.map((pair) => pair.call) }, ...pairs.map((pair) => pair.result)];
}

/**
 * Makes any history sendable: every call is answered exactly once, right after its message and in call order (a missing result
 * becomes an error result that says so), a result without its call is dropped, an id that is empty or used twice is replaced
 * in call and result alike, and an assistant message with neither text nor calls is dropped. A sound history comes back with
 * the same message objects. Pure.
 */
export function repairHistory(messages: readonly Message[]): Message[] {
  const ids = idSource(messages);
  return messages.flatMap((message, index): Message[] => {
    if (message.role === 'tool') return [];
    if (message.role !== 'assistant') return [message];
    const calls = message.toolCalls ?? [];
    if (calls.length > 0) return withResults(message, calls, resultsAfter(messages, index), ids);
    return message.content === '' ? [] : [message];
  });
}
