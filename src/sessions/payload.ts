/** What the recorder keeps of an event. */
import type { AgentEvent } from '../agent/events.js';

export interface Kept {
  /** The id that the event has of its own. */
  id?: string;
  /** The child whose record it is; absent for the main agent. */
  agent?: string;
  payload: object;
}

function without<T extends object>(event: T, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !fields.includes(name)));
}

const HEAD_FIELDS = ['type', 'ts', 'agent'];

/** The record of an event, or undefined for one that is not recorded: only whole messages and the bounds of runs are. */
export function keptOf(event: AgentEvent): Kept | undefined {
  const agent = event.agent === undefined ? {} : { agent: event.agent };
  switch (event.type) {
    case 'message':
      return { id: event.id, ...agent, payload: { message: event.message } };
    case 'run_start':
      return { ...agent, payload: without(event, [...HEAD_FIELDS, 'session', 'cwd', 'tools']) };
    case 'run_end':
      return { ...agent, payload: without(event, [...HEAD_FIELDS, 'answer']) };
    case 'agent_start':
      return { ...(event.parent !== undefined && { agent: event.parent }), payload: without(event, HEAD_FIELDS) };
    case 'agent_end':
      return { agent: event.run, payload: without(event, [...HEAD_FIELDS, 'text']) };
    case 'compaction':
      return event.state === 'end' && event.summary !== undefined
        ? { ...agent, payload: without(event, [...HEAD_FIELDS, 'state']) }
        : undefined;
    default:
      return undefined;
  }
}
