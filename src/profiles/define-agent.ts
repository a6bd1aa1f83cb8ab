import { FrostError } from '../errors.js';
import { checkText, checkUnknown, deepFreeze, isRecord, refuser } from './check-fields.js';
import { checkBehaviour, checkCapabilities, checkPrincipal, FIELD_HINTS, isAgentProfile, PROFILE_FIELDS } from './define.js';
import type { AgentProfile, AgentProfileInput } from './profile.js';

/** A main agent as its author writes it: a profile whose fields may all be left out. */
export type AgentDefinitionInput = Partial<AgentProfileInput>;

/**
 * A main agent, checked and deep-frozen. An omitted model, endpoint or key comes from the settings; omitted instructions are
 * the usual system prompt; omitted tools, skills and subagents are none.
 */
export type AgentDefinition = Partial<AgentProfile> & Pick<AgentProfile, 'tools' | 'skills' | 'subagents' | 'origin'>;

const HINTS = {
  ...FIELD_HINTS,
  durability: "'durability' is not a setting of frost: every session is recorded as it runs.",
};

const known = new WeakSet<object>();

/** True for what `defineAgent` returned. */
export function isAgentDefinition(value: unknown): value is AgentDefinition {
  return typeof value === 'object' && value !== null && known.has(value);
}

/**
 * Checks a main agent, given as an object or as a function that returns one; the function is called at once.
 * A module that default-exports the result runs with `frost --agent-file` and `frost ask --agent-file`.
 * @throws {FrostError} of the kind `config`, naming the field; an async function rejects with it.
 */
export function defineAgent(input: AgentDefinitionInput | (() => AgentDefinitionInput)): AgentDefinition;
export function defineAgent(input: () => Promise<AgentDefinitionInput>): Promise<AgentDefinition>;
export function defineAgent(
  input: AgentDefinitionInput | (() => AgentDefinitionInput | Promise<AgentDefinitionInput>),
): AgentDefinition | Promise<AgentDefinition> {
  const given = typeof input === 'function' ? input() : input;
  return given instanceof Promise ? given.then(build) : build(given);
}

function build(input: unknown): AgentDefinition {
  if (isAgentDefinition(input) || isAgentProfile(input)) return input;
  if (!isRecord(input)) throw new FrostError('config', 'defineAgent takes an object, or a function that returns one.');
  const refuse = refuser(typeof input['name'] === 'string' ? `Agent '${input['name']}'` : 'Agent');
  checkUnknown(input, PROFILE_FIELDS, HINTS, refuse);
  const { name, description, instructions } = input;
  const origin = { level: 'module' } as const;
  const definition: AgentDefinition = {
    ...(name !== undefined && { name: checkText(name, 'name', refuse) }),
    ...(description !== undefined && { description: checkText(description, 'description', refuse) }),
    ...(instructions !== undefined && { instructions: checkText(instructions, 'instructions', refuse) }),
    ...checkPrincipal(input, refuse),
    ...checkBehaviour(input, refuse),
    ...checkCapabilities(input, origin, [input], refuse),
    origin,
  };
  known.add(deepFreeze(definition));
  return definition;
}
