import { specialists } from '../../subagents/index.js';
import { NOBODY, resolveUnder } from '../config/nobody.js';
import type { Principal } from '../config/principal.js';
import { resolveMain } from '../config/principals.js';
import type { Settings } from '../config/settings.js';
import { type Failure, toFailure } from '../errors.js';
import { agentPlaces } from '../profiles/agent-places.js';
import { loadMarkdownAgents, type MarkdownProblem, mergeAgents } from '../profiles/markdown.js';
import type { AgentProfile } from '../profiles/profile.js';
import { refuseUnpriced } from './connections.js';

/** A specialist with the model, endpoint and key it would use now, or why it could not be called. */
export interface ListedAgent {
  profile: AgentProfile;
  principal?: Principal;
  failure?: Failure;
}

/** Every specialist that the settings give: the built-in ones and those of files, with what is wrong in the files. */
export async function listAgents(settings: Settings): Promise<{ agents: ListedAgent[]; problems: readonly MarkdownProblem[] }> {
  const builtins = Object.values(specialists).map(({ profile }) => profile);
  const { profiles, problems } = await loadMarkdownAgents(agentPlaces(settings, builtins));
  const main = attempt(() => resolveMain(settings));
  const agents = mergeAgents(builtins, profiles).map((profile): ListedAgent => {
    const found = attempt(() => callable(settings, 'failure' in main ? NOBODY : main.value, profile));
    return 'failure' in found ? { profile, failure: found.failure } : { profile, principal: found.value };
  });
  return { agents, problems };
}

function callable(settings: Settings, main: Principal, profile: AgentProfile): Principal {
  const principal = resolveUnder(settings, main, profile);
  const { host, model } = principal;
  if (model !== undefined) refuseUnpriced(settings, profile.name, { ...settings.json.limits, ...profile.limits }, { host, model });
  return principal;
}

function attempt<T>(resolve: () => T): { value: T } | { failure: Failure } {
  try {
    return { value: resolve() };
  } catch (error) {
    return { failure: toFailure(error) };
  }
}
