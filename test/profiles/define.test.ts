import { describe, expect, it } from 'vitest';
import { FrostError } from '../../src/errors.js';
import { defineAgentProfile, isAgentProfile } from '../../src/profiles/define.js';
import { defineAgent } from '../../src/profiles/define-agent.js';
import { defineTool } from '../../src/profiles/define-tool.js';
import type { AgentProfileInput } from '../../src/profiles/profile.js';

const base = { name: 'issue_classifier', description: 'Classifies support issues.', instructions: 'Return area and urgency.' };
const weather = { name: 'weather', description: 'Tells the weather.', run: () => 'rain' };

/** What a definition of untyped JavaScript says when it is wrong. */
function refusalOf(define: () => unknown): FrostError {
  try {
    define();
  } catch (error) {
    if (error instanceof FrostError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const withFields = (fields: Record<string, unknown>) => ({ ...base, ...fields }) as unknown as AgentProfileInput;
const other = (name: string) => defineAgentProfile({ ...base, name });

describe('L1: a profile is validated at definition', () => {
  it.each<[title: string, fields: Record<string, unknown>, field: string, says: RegExp]>([
    ['an unknown field', { colour: 'red' }, 'colour', /unknown field 'colour'.*Known fields: name, description/],
    ['a mistyped field', { instuctions: 'x' }, 'instuctions', /did you mean 'instructions'\?/],
    ['a key in the definition', { apiKey: 'sk-secret-value' }, 'apiKey', /never holds a key/],
    ['a key where its variable belongs', { apiKeyEnv: 'sk-secret-value' }, 'apiKeyEnv', /name of the variable/],
    ['a blank name', { name: '' }, 'name', /a letter, then letters/],
    ['a name with a space', { name: 'my agent' }, 'name', /a letter, then letters/],
    ['a name beyond 64 characters', { name: 'a'.repeat(65) }, 'name', /64 characters/],
    ["a name that would read the main agent's key", { name: 'Upstream' }, 'name', /reserved/],
    ['no description', { description: '  ' }, 'description', /not empty/],
    ['no instructions', { instructions: undefined }, 'instructions', /not empty/],
    ['a blank model', { model: '' }, 'model', /not empty/],
    ['an endpoint that is no URL', { endpoint: 'localhost:8080' }, 'endpoint', /http or https URL/],
    ['an endpoint with a password', { endpoint: 'https://me:secret-value@x.org/v1' }, 'endpoint', /must not hold a user name/],
    ['an unknown thinking level', { thinkingLevel: 'huge' }, 'thinkingLevel', /one of none, minimal, low/],
    ['an unknown built-in tool', { tools: ['read_fil'] }, 'tools', /no built-in tool 'read_fil'.*read_file/],
    ['a tool given twice', { tools: ['read_file', 'read_file'] }, 'tools', /'read_file' stands twice/],
    ['two own tools of one name', { tools: [defineTool(weather), defineTool(weather)] }, 'tools', /'weather' stands twice/],
    ['a skill given twice', { skills: ['pdf', 'pdf'] }, 'skills', /'pdf' stands twice/],
    ['a subagent given twice', { subagents: [other('a'), other('a')] }, 'subagents', /'a' stands twice/],
    ['two subagents that would share a key', { subagents: [other('a-b'), other('A_b')] }, 'subagents', /share the variable A_B_API_KEY/],
    ['tools that are no list', { tools: 'read_file' }, 'tools', /must be a list/],
    ['a limit of zero', { limits: { cost: 0 } }, 'limits.cost', /number of USD above 0/],
    ['half a turn', { limits: { turns: 1.5 } }, 'limits.turns', /whole number/],
    ['a mistyped limit', { limits: { cots: 1 } }, 'limits.cots', /did you mean 'cost'/],
    ['compaction: true', { compaction: true }, 'compaction', /false, or an object/],
    ['a schema with another form', { output: 'code', schema: { type: 'object' } }, 'schema', /goes with output 'json'/],
    ['a schema that is no data', { schema: { check: () => true } }, 'schema', /plain data/],
  ])('refuses %s and says why', (_title, fields, field, says) => {
    const error = refusalOf(() => defineAgentProfile(withFields(fields)));
    expect(error.message).toMatch(says);
    expect(error.message).not.toContain('secret-value');
    expect(error).toMatchObject({ kind: 'config', exitCode: 78, facts: { field } });
    if (fields['name'] === undefined) expect(error.message).toContain("'issue_classifier'");
  });

  it('L10: refuses durability with the reason', () => {
    expect(refusalOf(() => defineAgentProfile(withFields({ durability: {} }))).message).toMatch(/runs inside the parent's operation/);
  });

  it('refuses subagents that lead back to their parent, and names the circle', () => {
    const inner: Record<string, unknown> = { ...base, name: 'inner' };
    const outer = { ...base, name: 'outer', subagents: [inner] };
    inner['subagents'] = [outer];
    expect(refusalOf(() => defineAgentProfile(outer as unknown as AgentProfileInput)).message).toContain('outer → inner → outer');
  });

  it('refuses what is no object at all', () => {
    expect(refusalOf(() => defineAgentProfile('coder' as unknown as AgentProfileInput)).kind).toBe('config');
  });

  it('is frozen all the way down, and a later change of the input does not reach it', () => {
    const schema = { type: 'object', properties: { area: { type: 'string' } } };
    const limits = { turns: 3 };
    const profile = defineAgentProfile({ ...base, schema, limits, subagents: [other('nested')] });
    schema.properties.area.type = 'number';
    limits.turns = 99;
    expect(profile).toMatchObject({ output: 'json', schema: { properties: { area: { type: 'string' } } }, limits: { turns: 3 } });
    const parts: unknown[] = [
      profile,
      profile.limits,
      profile.schema,
      profile.tools,
      profile.subagents,
      profile.subagents[0],
      profile.origin,
    ];
    expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([]);
    expect(isAgentProfile(profile)).toBe(true);
  });

  it('L8: has no tools, skills or subagents where it declares none', () => {
    expect(defineAgentProfile(base)).toMatchObject({ tools: [], skills: [], subagents: [] });
  });
});

describe('defineTool', () => {
  it('takes a tool without parameters as one that takes no arguments', () => {
    expect(defineTool(weather).parameters).toEqual({ type: 'object', properties: {} });
  });

  it('keeps plain JSON Schema as it is', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
    expect(defineTool({ ...weather, parameters }).parameters).toEqual(parameters);
  });

  it.each<[fields: Record<string, unknown>, says: RegExp]>([
    [{ name: 'read_file' }, /name of a tool of frost/],
    [{ name: 'use_subagent' }, /name of a tool of frost/],
    [{ name: 'two words' }, /letter or _/],
    [{ description: '' }, /'description' must be a text/],
    [{ run: 'rain' }, /'run' must be a function/],
    [{ execute: () => 'rain' }, /called 'run'/],
    [{ parameters: { type: 'string' } }, /must describe an object/],
    [{ parameters: 'city' }, /JSON Schema object/],
  ])('refuses %j', (fields, says) => {
    expect(refusalOf(() => defineTool({ ...weather, ...fields } as typeof weather)).message).toMatch(says);
  });

  it.each<[returned: unknown, result: unknown]>([
    ['rain', 'rain'],
    [{ degrees: 7 }, '{\n  "degrees": 7\n}'],
    [undefined, 'Done.'],
    [
      { text: 'no data', isError: true },
      { text: 'no data', isError: true },
    ],
  ])('gives the model what run returned: %j', async (returned, result) => {
    const tool = defineTool({ ...weather, run: () => returned });
    const context = { signal: AbortSignal.abort(), callId: '1', update() {}, say() {}, hasSaid: () => false };
    expect(await tool.run({}, context)).toEqual(result);
  });
});

describe('L2: defineAgent', () => {
  const subagents = [defineAgentProfile(base)];

  it('takes a function, an object or an async function', async () => {
    const fields = { model: 'anthropic/claude-sonnet-4-6', instructions: 'Help.', subagents };
    expect(defineAgent(() => fields)).toMatchObject({ ...fields, tools: [], skills: [] });
    expect(defineAgent(fields)).toMatchObject(fields);
    expect(await defineAgent(async () => fields)).toMatchObject(fields);
  });

  it('leaves out what the settings decide', () => {
    expect(defineAgent({})).toEqual({ tools: [], skills: [], subagents: [], origin: { level: 'module' } });
  });

  it.each<[fields: Record<string, unknown>, says: RegExp]>([
    [{ durability: {} }, /not a setting of frost/],
    [{ subagents: [{ name: 'x' }] }, /Agent profile 'x': 'description'/],
    [{ sandbox: true }, /unknown field 'sandbox'/],
  ])('refuses %j', (fields, says) => {
    expect(refusalOf(() => defineAgent(fields)).message).toMatch(says);
  });
});
