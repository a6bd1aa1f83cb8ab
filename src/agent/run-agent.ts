/** One agent at work on one input: the loop, and the form of its answer. The main agent and children go through here. */
import { type Failure, toFailure } from '../errors.js';
import type { Message } from '../llm/messages.js';
import { toolRegistry } from '../tools/registry.js';
import { taskTool } from '../tools/task.js';
import { subagentTool } from '../tools/use-subagent.js';
import { formed, formFailure, repairPrompt } from './answer-form.js';
import type { Bill } from './bill.js';
import type { Budget } from './budget.js';
import { ContextKeeper } from './context.js';
import type { Emit } from './events.js';
import { newId } from './ids.js';
import { type LoopEnd, type LoopPorts, runLoop } from './loop.js';
import type { AgentSetup, ChildStarter, Parent } from './setup.js';

export interface AgentRun {
  setup: AgentSetup;
  history: Message[];
  signal: AbortSignal;
  emit: Emit;
  budget: Budget;
  bill: Bill;
  children: ChildStarter;
  depth: number;
  /** The child's run id; absent in the main agent. */
  run?: string;
  steering?: LoopPorts['steering'];
  drained?: LoopPorts['drained'];
  onDenied?: LoopPorts['onDenied'];
  onAllowed?: LoopPorts['onAllowed'];
  keepWhole?: LoopPorts['keepWhole'];
}

export type AgentEnd = LoopEnd & { structured?: unknown };

/** The tools of this agent, with the two that start children. */
function toolsOf({ setup, children, depth, run, budget, signal }: AgentRun) {
  const parent = (callId: string): Parent => ({ setup, budget, signal, depth, callId, ...(run !== undefined && { run }) });
  const { roster, withTask } = setup;
  return toolRegistry([
    ...setup.tools,
    ...(roster.size > 0
      ? [subagentTool(roster, (specialist, task, { callId }) => children.delegate(specialist, task, parent(callId)))]
      : []),
    ...(withTask ? [taskTool((prompt, { callId }) => children.copy(prompt, parent(callId)))] : []),
  ]);
}

function loopPorts(options: AgentRun): LoopPorts {
  const { setup, run } = options;
  const context = new ContextKeeper(options);
  return {
    principal: setup.principal,
    history: options.history,
    model: setup.model,
    tools: toolsOf(options),
    ...(setup.offered && { offered: setup.offered }),
    gate: setup.gate,
    budget: options.budget,
    bill: options.bill,
    ...(setup.price && { price: setup.price }),
    signal: options.signal,
    emit: options.emit,
    request: {
      ...(setup.thinkingLevel && { reasoningEffort: setup.thinkingLevel }),
      ...(setup.form?.schema && { responseFormat: { name: 'answer', schema: setup.form.schema } }),
    },
    outgoing: () => context.outgoing(),
    shorten: () => context.shorten(),
    ...(options.drained && { drained: options.drained }),
    graceTurn: run !== undefined,
    ...(run !== undefined && { agent: run, agentName: setup.principal }),
    ...(setup.contextWindow !== undefined && { contextWindow: setup.contextWindow }),
    ...(options.steering && { steering: options.steering }),
    ...(options.onDenied && { onDenied: options.onDenied }),
    ...(options.onAllowed && { onAllowed: options.onAllowed }),
    ...(options.keepWhole && { keepWhole: options.keepWhole }),
  };
}

/** Runs the loop and holds the answer to its form, with one more try. Never rejects. */
export async function runAgent(options: AgentRun): Promise<AgentEnd> {
  const { setup, history, emit } = options;
  try {
    const ports = loopPorts(options);
    let end = await runLoop(ports);
    if (!setup.form || end.outcome !== 'done') return end;
    let answer = await formed(setup.form, end.answer);
    if ('problem' in answer) {
      const message: Message = { role: 'user', content: repairPrompt(setup.form, answer.problem), auto: true };
      history.push(message);
      emit({ type: 'message', id: newId('m'), message });
      end = await runLoop(ports);
      if (end.outcome !== 'done') return end;
      answer = await formed(setup.form, end.answer);
    }
    if ('problem' in answer) return { ...end, outcome: 'failed', error: formFailure(setup.principal, answer.problem) };
    return { ...end, answer: answer.text, ...('structured' in answer && { structured: answer.structured }) };
  } catch (thrown) {
    return failed(toFailure(thrown), options.budget.turns);
  }
}

function failed(error: Failure, turns: number): AgentEnd {
  return { outcome: 'failed', answer: '', error, turns };
}
