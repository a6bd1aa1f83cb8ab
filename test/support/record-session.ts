import type { AgentEvent } from '../../src/agent/events.js';
import type { Message } from '../../src/llm/messages.js';
import type { Recorder } from '../../src/sessions/recorder.js';

let next = 0;

/** Events as a run emits them, for a recorder or another reader. */
export const event = {
  message: (message: Message, agent?: string): AgentEvent => ({
    type: 'message',
    ts: 1,
    id: `m${next++}`,
    message,
    ...(agent !== undefined && { agent }),
  }),
  user: (content: string, agent?: string): AgentEvent => event.message({ role: 'user', content }, agent),
  says: (content: string, agent?: string): AgentEvent => event.message({ role: 'assistant', content }, agent),
  runStart: (): AgentEvent => ({
    type: 'run_start',
    ts: 1,
    version: 1,
    model: 'mock',
    host: 'localhost:1',
    tools: ['use_subagent'],
    specialists: ['Coder'],
  }),
  runEnd: (): AgentEvent => ({
    type: 'run_end',
    ts: 1,
    outcome: 'done',
    answer: 'the whole answer',
    turns: 1,
    ms: 5,
    principals: [],
    failedAgents: [],
    permissionDenials: [],
  }),
  agentStart: (run: string, parent?: string): AgentEvent => ({
    type: 'agent_start',
    ts: 1,
    run,
    name: 'Coder',
    task: 'write it',
    model: 'mock-coder',
    host: 'localhost:2',
    limits: {},
    ...(parent !== undefined && { parent, agent: parent }),
  }),
  agentEnd: (run: string, parent?: string): AgentEvent => ({
    type: 'agent_end',
    ts: 1,
    run,
    name: 'Coder',
    status: 'done',
    text: 'x',
    ms: 1,
    turns: 1,
    ...(parent !== undefined && { agent: parent }),
  }),
};

/** A conversation with one delegation, recorded. */
export function recordDelegation(recorder: Recorder): void {
  const call = { id: 'call_1', name: 'use_subagent', arguments: '{"subagent_name":"Coder","content":"write it"}' };
  for (const one of [
    event.runStart(),
    event.user('please write it'),
    event.message({ role: 'assistant', content: '', toolCalls: [call] }),
    event.agentStart('run_coder'),
    event.user('write it', 'run_coder'),
    event.says('CHILD-TEXT', 'run_coder'),
    event.agentEnd('run_coder'),
    event.message({ role: 'tool', callId: 'call_1', name: 'use_subagent', content: 'CHILD-TEXT' }),
    event.says('Here it is.'),
    event.runEnd(),
  ])
    recorder.sink(one);
}
