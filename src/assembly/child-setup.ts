/** From a profile and its parent to what a child is made of: capabilities are the profile's own, the rest falls back openly. */
import type { AgentSetup } from '../agent/setup.js';
import { resolveUnder } from '../config/nobody.js';
import type { Principal } from '../config/principal.js';
import type { Settings } from '../config/settings.js';
import type { ConnectionOptions } from '../llm/client.js';
import type { Model } from '../llm/port.js';
import type { AgentProfile } from '../profiles/profile.js';
import type { Skill } from '../skills/skills.js';
import { skillTools } from '../tools/skill.js';
import { connect, refuseUnpriced, withModel } from './connections.js';
import { rosterFrom } from './roster.js';
import type { WorkspaceParts } from './workspace-parts.js';

export interface ChildSetupPorts {
  settings: Settings;
  main: Principal & { model: string };
  workspace: WorkspaceParts;
  skills: readonly Skill[];
  wrap(model: Model, connection: ConnectionOptions): Model;
  signal: AbortSignal;
}

const DEFAULT_TURNS = 25;

/** The form of a definition's answer; undefined where any text will do. */
export function formOf({ output, schema }: Pick<AgentProfile, 'output' | 'schema'>): AgentSetup['form'] {
  return output === undefined || output === 'text' ? undefined : { output, ...(schema && { schema }) };
}

export class ChildSetups {
  readonly #ports: ChildSetupPorts;
  /** The principal behind each setup, for what its own children inherit. */
  readonly #principals = new WeakMap<AgentSetup, Principal & { model: string }>();

  constructor(ports: ChildSetupPorts) {
    this.#ports = ports;
  }

  /** The principal of a profile under `parent`. Throws FrostError that names the variable to set. */
  async principal(profile: AgentProfile, parent?: AgentSetup): Promise<Principal & { model: string }> {
    const { settings, main, signal } = this.#ports;
    const above = (parent && this.#principals.get(parent)) ?? main;
    const { name, model, endpoint, apiKeyEnv, origin } = profile;
    const request = {
      name,
      origin,
      ...(model !== undefined && { model }),
      ...(endpoint !== undefined && { endpoint }),
      ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    };
    return withModel(settings, resolveUnder(settings, above, request), signal);
  }

  async setup(profile: AgentProfile, parent: AgentSetup): Promise<AgentSetup> {
    const { settings, workspace, skills, wrap } = this.#ports;
    const principal = await this.principal(profile, parent);
    const tools = profile.tools.map((tool) => workspace.named(tool));
    const isWorking = tools.length > 0;
    const form = formOf(profile);
    const limits = { turns: DEFAULT_TURNS, ...settings.json.limits, ...profile.limits };
    refuseUnpriced(settings, profile.name, limits, principal);
    const thinkingLevel = profile.thinkingLevel ?? parent.thinkingLevel;
    const setup: AgentSetup = {
      principal: profile.name,
      ...connect(settings, principal, wrap),
      system: [profile.instructions, isWorking ? workspace.instructions : ''].filter(Boolean).join('\n\n'),
      tools: [...tools, ...skillTools(skills, profile.name, profile.skills)],
      roster: rosterFrom(profile.subagents),
      withTask: false,
      gate: workspace.childGate(parent.gate),
      limits,
      ...(thinkingLevel && { thinkingLevel }),
      compaction: profile.compaction ?? parent.compaction,
      ...(form && { form }),
    };
    this.#principals.set(setup, principal);
    return setup;
  }
}
