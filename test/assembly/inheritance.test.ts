import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assemble } from '../../src/assembly/assemble.js';
import { loadSettings } from '../../src/config/settings.js';
import {
  type AgentDefinitionInput,
  type AgentProfileInput,
  createAgent,
  defineAgent,
  defineAgentProfile,
  defineTool,
} from '../../src/index.js';
import { type ChatBody, closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { type TempHome, tempHome } from '../support/temp-home.js';

let machine: TempHome;

beforeEach(() => {
  machine = tempHome();
  machine.write('~/.config/frost/skills/pdf/SKILL.md', '---\nname: pdf\ndescription: Fills PDF forms.\n---\nStep one.');
});

afterEach(async () => {
  await closeEndpoints();
  machine.remove();
});

const own = (name: string) => defineTool({ name, description: 'Does it.', run: () => 'ok' });
const helper = defineAgentProfile({ name: 'helper', description: 'Helps.', instructions: 'Help.' });
const parent: AgentDefinitionInput = {
  model: 'parent-model',
  instructions: 'PARENT INSTRUCTIONS',
  tools: ['read_file', own('parents_tool')],
  skills: ['pdf'],
  thinkingLevel: 'high',
};

/** What goes over the wire for a specialist of this profile, below the parent above. */
async function childRequest(profile: Partial<AgentProfileInput>): Promise<ChatBody> {
  const child = defineAgentProfile({ name: 'child', description: 'A child.', instructions: 'CHILD INSTRUCTIONS', ...profile });
  const endpoint = await startEndpoint([
    { calls: [{ name: 'use_subagent', arguments: { subagent_name: 'child', content: 'the task' } }] },
    { text: 'child done' },
    { text: 'all done' },
  ]);
  const env = { ...machine.env, UPSTREAM_ENDPOINT: endpoint.url, UPSTREAM_API_KEY: 'sk-main-TEST', MODEL_NAME: 'mock' };
  const agent = createAgent({ ...parent, subagents: [child, helper] }, { cwd: machine.cwd, env });
  expect((await agent.session().prompt('go')).text).toBe('all done');
  await agent.close();
  const names = toolNames(endpoint.chats[0]?.body);
  expect(names).toEqual(['parents_tool', 'read_file', 'send_message', 'skill', 'task', 'use_subagent']);
  const body = endpoint.chats[1]?.body;
  if (!body) throw new Error('the child asked nothing');
  return body;
}

const toolNames = (body: ChatBody | undefined) => (body?.tools ?? []).map((tool) => tool.function.name).sort();
const systemOf = (body: ChatBody) => String(body.messages[0]?.content);

describe('what a specialist has of its own, and what of its parent', () => {
  it.each<[field: string, profile: Partial<AgentProfileInput>, tools: string[]]>([
    ['nothing declared: nothing', {}, []],
    ['tools', { tools: ['list_files', own('childs_tool')] }, ['childs_tool', 'list_files']],
    ['skills', { skills: ['pdf'] }, ['skill']],
    ['subagents', { subagents: [helper] }, ['use_subagent']],
    ['all three', { tools: ['read_file'], skills: ['pdf'], subagents: [helper] }, ['read_file', 'skill', 'use_subagent']],
  ])("L8: capabilities are the profile's own: %s", async (_field, profile, tools) => {
    const body = await childRequest(profile);
    expect(toolNames(body)).toEqual(tools);
    if (tools.length === 0) expect(body).not.toHaveProperty('tools');
    expect(JSON.stringify(body)).not.toContain('PARENT INSTRUCTIONS');
    expect(JSON.stringify(body)).not.toContain('parents_tool');
    expect(systemOf(body)).toContain('CHILD INSTRUCTIONS');
  });

  it.each<[field: string, profile: Partial<AgentProfileInput>, sent: Record<string, unknown>]>([
    ["model and thinkingLevel omitted: the parent's", {}, { model: 'parent-model', reasoning_effort: 'high' }],
    ['model declared: its own', { model: 'child-model' }, { model: 'child-model', reasoning_effort: 'high' }],
    ['thinkingLevel declared: its own', { thinkingLevel: 'low' }, { model: 'parent-model', reasoning_effort: 'low' }],
  ])('L9: %s', async (_field, profile, sent) => {
    expect(await childRequest(profile)).toMatchObject(sent);
  });

  it.each<[title: string, compaction: AgentProfileInput['compaction'], has: object | false]>([
    ["omitted: the parent's", undefined, { reserveTokens: 1234 }],
    ['switched off: its own', false, false],
    ['declared: its own', { keepRecentTokens: 99 }, { keepRecentTokens: 99 }],
  ])('L9: compaction %s', async (_title, compaction, has) => {
    const env = { ...machine.env, UPSTREAM_ENDPOINT: 'http://127.0.0.1:9/v1', UPSTREAM_API_KEY: 'sk-main-TEST', MODEL_NAME: 'mock' };
    const child = defineAgentProfile({
      name: 'child',
      description: 'A child.',
      instructions: 'C.',
      ...(compaction !== undefined && { compaction }),
    });
    const { agent, children, close } = await assemble({
      settings: loadSettings({ env, cwd: machine.cwd }),
      cwd: machine.cwd,
      interactive: false,
      warn: () => {},
      notice: () => {},
      signal: new AbortController().signal,
      definition: defineAgent({ compaction: { reserveTokens: 1234 }, subagents: [child] }),
      session: { kind: 'none' },
    });
    expect((await children.setup(child, agent.setup)).compaction).toEqual(has);
    close();
  });

  it('L4: the task is all that a child hears of the conversation', async () => {
    const body = await childRequest({});
    expect(body.messages.slice(1)).toEqual([{ role: 'user', content: 'the task' }]);
  });
});
