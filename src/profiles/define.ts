import { specialistVariable } from '../config/table.js';
import { FrostError } from '../errors.js';
import {
  checkAnswerForm,
  checkCompaction,
  checkEndpoint,
  checkKeyName,
  checkLimits,
  checkText,
  checkThinkingLevel,
  checkUnknown,
  deepFreeze,
  isRecord,
  type Refuse,
  refuser,
} from './check-fields.js';
import { toolFrom } from './define-tool.js';
import type { AgentProfile, AgentProfileInput, ProfileOrigin } from './profile.js';
import type { Tool } from './tool.js';
import { isProfileTool, PROFILE_TOOLS } from './tool-names.js';

export const PROFILE_FIELDS = [
  'name',
  'description',
  'instructions',
  'model',
  'thinkingLevel',
  'endpoint',
  'apiKeyEnv',
  'tools',
  'skills',
  'subagents',
  'compaction',
  'limits',
  'output',
  'schema',
] as const satisfies readonly (keyof AgentProfileInput)[];

const NO_KEYS = "a definition never holds a key: put it into a variable and give that variable's name as 'apiKeyEnv'.";

/** Fields that people bring along, and what to write instead. */
export const FIELD_HINTS: Record<string, string> = {
  durability:
    "'durability' is not for a specialist: its work runs inside the parent's operation, whose session keeps the child's history. Set it aside.",
  apiKey: NO_KEYS,
  api_key: NO_KEYS,
  key: NO_KEYS,
  prompt: "the system prompt is called 'instructions'.",
  system: "the system prompt is called 'instructions'.",
  systemPrompt: "the system prompt is called 'instructions'.",
  baseURL: "the base URL is called 'endpoint'.",
  baseUrl: "the base URL is called 'endpoint'.",
  base_url: "the base URL is called 'endpoint'.",
  effort: "the reasoning effort is called 'thinkingLevel'.",
  maxTurns: "a bound on turns is 'limits: { turns }'.",
};

/** Words whose variables belong to the main agent: `UPSTREAM_API_KEY` is not the key of a specialist called `upstream`. */
const RESERVED = ['main', 'upstream', 'openai'];

const known = new WeakSet<object>();

/** True for what `defineAgentProfile` returned. */
export function isAgentProfile(value: unknown): value is AgentProfile {
  return typeof value === 'object' && value !== null && known.has(value);
}

/**
 * Checks a specialist's definition and returns it deep-frozen, with omitted capabilities as empty lists: a specialist has
 * what its profile declares, and nothing of its parent's.
 * @throws {FrostError} of the kind `config`, naming the profile and the field, for anything that is not right.
 */
export function defineAgentProfile(input: AgentProfileInput, origin: ProfileOrigin = { level: 'module' }): AgentProfile {
  return build(input, origin, []);
}

function build(input: unknown, origin: ProfileOrigin, trail: readonly object[]): AgentProfile {
  if (isAgentProfile(input)) return input;
  if (!isRecord(input)) throw new FrostError('config', 'An agent profile is an object with name, description and instructions.');
  const refuse = refuser(typeof input['name'] === 'string' ? `Agent profile '${input['name']}'` : 'Agent profile');
  refuseCircle(input, trail, refuse);
  checkUnknown(input, PROFILE_FIELDS, FIELD_HINTS, refuse);
  const profile: AgentProfile = {
    name: checkProfileName(input['name'], refuse),
    description: checkText(input['description'], 'description', refuse).trim(),
    instructions: checkText(input['instructions'], 'instructions', refuse),
    ...checkPrincipal(input, refuse),
    ...checkBehaviour(input, refuse),
    ...checkCapabilities(input, origin, [...trail, input], refuse),
    origin,
  };
  known.add(deepFreeze(profile));
  return profile;
}

function refuseCircle(input: Record<string, unknown>, trail: readonly object[], refuse: Refuse): void {
  const start = trail.indexOf(input);
  if (start < 0) return;
  const names = [...trail.slice(start), input].map((profile) => String((profile as { name?: unknown }).name));
  refuse('subagents', `its subagents lead back to itself (${names.join(' → ')}); a specialist cannot be below itself.`);
}

function checkProfileName(value: unknown, refuse: Refuse): string {
  if (typeof value !== 'string' || !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(value)) {
    refuse('name', "'name' must be a letter, then letters, digits, _ or -, 64 characters at most.");
  }
  if (RESERVED.includes(value.toLowerCase())) {
    refuse('name', `the name '${value}' is reserved: ${value.toUpperCase()} and its variables belong to the main agent.`);
  }
  return value;
}

type Principal = Pick<AgentProfile, 'model' | 'endpoint' | 'apiKeyEnv'>;

/** Model, endpoint and key name; an omitted one falls back as the credential rules say. */
export function checkPrincipal(input: Record<string, unknown>, refuse: Refuse): Principal {
  const { model, endpoint, apiKeyEnv } = input;
  return {
    ...(model !== undefined && { model: checkText(model, 'model', refuse).trim() }),
    ...(endpoint !== undefined && { endpoint: checkEndpoint(endpoint, refuse) }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv: checkKeyName(apiKeyEnv, refuse) }),
  };
}

type Behaviour = Pick<AgentProfile, 'thinkingLevel' | 'compaction' | 'limits' | 'output' | 'schema'>;

export function checkBehaviour(input: Record<string, unknown>, refuse: Refuse): Behaviour {
  const { thinkingLevel, compaction, limits, output, schema } = input;
  return {
    ...(thinkingLevel !== undefined && { thinkingLevel: checkThinkingLevel(thinkingLevel, refuse) }),
    ...(compaction !== undefined && { compaction: checkCompaction(compaction, refuse) }),
    ...(limits !== undefined && { limits: checkLimits(limits, refuse) }),
    ...checkAnswerForm(output, schema, refuse),
  };
}

type Capabilities = Pick<AgentProfile, 'tools' | 'skills' | 'subagents'>;

/** Tools, skills and subagents, each name once. Omitted: none. */
export function checkCapabilities(
  input: Record<string, unknown>,
  origin: ProfileOrigin,
  trail: readonly object[],
  refuse: Refuse,
): Capabilities {
  const tools = listOf(input['tools'], 'tools', refuse).map((tool) => checkTool(tool, refuse));
  const skills = listOf(input['skills'], 'skills', refuse).map((skill) => checkText(skill, 'skills', refuse));
  const subagents = listOf(input['subagents'], 'subagents', refuse).map((subagent) => build(subagent, origin, trail));
  refuseDuplicates(
    tools.map((tool) => (typeof tool === 'string' ? tool : tool.name)),
    'tools',
    refuse,
  );
  refuseDuplicates(skills, 'skills', refuse);
  refuseDuplicates(
    subagents.map((subagent) => subagent.name),
    'subagents',
    refuse,
    (name) => specialistVariable(name, 'API_KEY'),
  );
  return { tools, skills, subagents };
}

function listOf(value: unknown, field: string, refuse: Refuse): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) refuse(field, `'${field}' must be a list.`);
  return value;
}

function checkTool(tool: unknown, refuse: Refuse): string | Tool {
  if (typeof tool !== 'string') return toolFrom(tool, isRecord(tool) ? `Tool '${String(tool['name'])}'` : 'Tool');
  if (!isProfileTool(tool)) {
    refuse('tools', `there is no built-in tool '${tool}'. Built-in tools: ${PROFILE_TOOLS.join(', ')}.`);
  }
  return tool;
}

function refuseDuplicates(names: readonly string[], field: string, refuse: Refuse, keyOf = (name: string) => name): void {
  const seen = new Map<string, string>();
  for (const name of names) {
    const twin = seen.get(keyOf(name));
    if (twin === name) refuse(field, `'${name}' stands twice in '${field}'.`);
    if (twin !== undefined) refuse(field, `'${twin}' and '${name}' in '${field}' would share the variable ${keyOf(name)}; rename one.`);
    seen.set(keyOf(name), name);
  }
}
