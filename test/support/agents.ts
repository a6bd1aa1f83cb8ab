import { Agent, type AgentOptions } from '../../src/agent/agent.js';
import type { AgentEvent, EventOf, EventType } from '../../src/agent/events.js';
import type { Gate } from '../../src/agent/gate.js';
import type { AgentSetup } from '../../src/agent/setup.js';
import type { Model } from '../../src/llm/port.js';
import { defineAgentProfile } from '../../src/profiles/define.js';
import type { AgentProfile, AgentProfileInput } from '../../src/profiles/profile.js';
import { type Specialist, specialist } from '../../src/profiles/specialist.js';
import { sendMessage } from '../../src/tools/send-message.js';
import type { Roster } from '../../src/tools/use-subagent.js';

export const openGate: Gate = { check: async () => ({ allowed: true }) };

export function setupOf(model: Model, more: Partial<AgentSetup> = {}): AgentSetup {
  return {
    principal: 'main',
    model,
    system: 'SYSTEM',
    tools: [sendMessage],
    roster: new Map(),
    withTask: false,
    gate: openGate,
    limits: { turns: 25 },
    compaction: false,
    ...more,
  };
}

export const profileOf = (name: string, more: Partial<AgentProfileInput> = {}): AgentProfile =>
  defineAgentProfile({ name, description: `${name} does things.`, instructions: `You are ${name}.`, ...more });

export const rosterOf = (...profiles: AgentProfile[]): Roster =>
  new Map<string, Specialist>(profiles.map((profile) => [profile.name, specialist(profile)]));

/** An agent whose specialists use the given models by name, and all its events. */
export function agentOf(setup: AgentSetup, models: Record<string, Model> = {}, more: Partial<AgentOptions> = {}) {
  const agent = new Agent({
    setup,
    setupChild: async (profile) => {
      const model = models[profile.name];
      if (!model) throw new Error(`no model for ${profile.name}`);
      const { form } = {
        form:
          profile.output && profile.output !== 'text'
            ? { output: profile.output, ...(profile.schema && { schema: profile.schema }) }
            : undefined,
      };
      return setupOf(model, {
        principal: profile.name,
        system: profile.instructions,
        tools: profile.tools.filter((tool) => typeof tool !== 'string'),
        roster: rosterOf(...profile.subagents),
        limits: profile.limits ?? {},
        ...(form && { form }),
      });
    },
    ...more,
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  const of = <T extends EventType>(type: T) => events.filter((event): event is EventOf<T> => event.type === type);
  return { agent, events, of };
}
