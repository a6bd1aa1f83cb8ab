/** Messages of an earlier session as blocks of the transcript. */
import { type AssistantMessage, type Message, type ToolMessage, textOf } from '../llm/messages.js';
import { firstLine } from '../text/truncate.js';
import type { EarlierChild } from './backend.js';
import { cutWhole, NEW_CUTTER } from './blocks.js';
import { type Block, type ChildRow, NOTHING_SPENT, type ToolRow } from './view-state.js';

const MOST_OF_CHILD = 200;

/** One short line of a call's arguments: the first text in them. */
function summaryOf(args: string): string {
  try {
    const values = Object.values(JSON.parse(args) as Record<string, unknown>);
    return firstLine(String(values.find((value) => typeof value === 'string') ?? ''), 80);
  } catch {
    return firstLine(args, 80);
  }
}

function toolRows({ toolCalls = [] }: AssistantMessage, results: ReadonlyMap<string, ToolMessage>): Block[] {
  return toolCalls.map(({ id, name, arguments: args }): Block => {
    const result = results.get(id);
    const tool: ToolRow = {
      callId: id,
      name,
      summary: summaryOf(args),
      arguments: args,
      startedAt: 0,
      ok: result !== undefined && !result.isError,
      ...(result && { preview: result.content }),
    };
    return { kind: 'tool', tool };
  });
}

/** The last `most` messages; a line says how many are left out. */
export function historyBlocks(messages: readonly Message[], most: number): Block[] {
  const shown = messages.filter(({ role }) => role !== 'system');
  const last = shown.slice(-most);
  const results = new Map(shown.filter((message) => message.role === 'tool').map((message) => [message.callId, message]));
  const left = shown.length - last.length;
  const before: Block[] = left > 0 ? [{ kind: 'notice', text: `… ${left}`, tone: 'dim' }] : [];
  const blocks = last.flatMap((message): Block[] => {
    if (message.role === 'user')
      return [message.auto ? { kind: 'notice', text: textOf(message), tone: 'dim' } : { kind: 'user', text: textOf(message) }];
    if (message.role !== 'assistant') return [];
    const answer = message.content === '' ? [] : cutWhole(message.content).map((piece): Block => ({ kind: 'answer', piece }));
    const end: Block[] = answer.length === 0 ? [] : [{ kind: 'answer_end', ...(message.incomplete && { incomplete: message.incomplete }) }];
    return [...answer, ...end, ...toolRows(message, results)];
  });
  return [...before, ...blocks];
}

/** A specialist of an earlier run, for its transcript. */
export function earlierRow({ messages, ...child }: EarlierChild): ChildRow {
  const view = {
    step: { kind: 'idle' as const },
    cutter: NEW_CUTTER,
    wroteText: false,
    tools: [],
    blocks: historyBlocks(messages, MOST_OF_CHILD),
  };
  return { ...child, startedAt: 0, spent: NOTHING_SPENT, view };
}
