import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/agent/events.js';
import {
  type AgentDefinitionInput,
  createAgent,
  defineAgent,
  defineAgentProfile,
  defineTool,
  FrostError,
  RunError,
} from '../../src/index.js';
import { closeEndpoints, type Endpoint, type Reply, startEndpoint } from '../support/endpoint.js';
import { type TempHome, tempHome } from '../support/temp-home.js';

let machine: TempHome;

beforeEach(() => {
  machine = tempHome();
});

afterEach(async () => {
  await closeEndpoints();
  machine.remove();
});

/** An agent of this definition on a fresh machine, at an endpoint that answers by the script. */
async function agentAt(script: Reply[], definition: AgentDefinitionInput, more: Record<string, string> = {}) {
  const endpoint = await startEndpoint(script);
  const env = { ...machine.env, UPSTREAM_ENDPOINT: endpoint.url, UPSTREAM_API_KEY: 'sk-main-TEST', MODEL_NAME: 'mock', ...more };
  return { endpoint, agent: createAgent(defineAgent(definition), { cwd: machine.cwd, env }) };
}

const classifier = defineAgentProfile({
  name: 'issue_classifier',
  description: 'Classifies support issues for routing.',
  instructions: 'Return the likely product area and urgency for the reported issue.',
});
const support = {
  model: 'anthropic/claude-sonnet-4-6',
  instructions: 'Help resolve support requests. Delegate classification when it helps your answer.',
  subagents: [classifier],
};
const calls = (name: string, args: unknown): Reply => ({ calls: [{ name, arguments: args }] });
const messagesOf = (endpoint: Endpoint, index: number) => endpoint.chats[index]?.body?.messages ?? [];

describe('createAgent', () => {
  it('L1 L2 L3 L4: the support assistant delegates, and the specialist sees its own instructions and the request alone', async () => {
    const script = [
      calls('use_subagent', { subagent_name: 'issue_classifier', content: 'Invoice wrong' }),
      { text: 'billing, high' },
      { text: 'Routed.' },
    ];
    const { agent, endpoint } = await agentAt(script, support);
    const answer = await agent.session().prompt('My invoice is wrong. SECRET');
    expect(answer).toMatchObject({
      text: 'Routed.',
      failedAgents: [],
      principals: [{ principal: 'main' }, { principal: 'issue_classifier' }],
    });
    expect(endpoint.chats.map(({ body }) => body?.model)).toEqual(Array(3).fill('anthropic/claude-sonnet-4-6'));
    const tool = JSON.stringify(endpoint.chats[0]?.body?.tools);
    expect(tool).toContain('issue_classifier: Classifies support issues for routing.');
    expect(messagesOf(endpoint, 1)).toEqual([
      { role: 'system', content: classifier.instructions },
      { role: 'user', content: 'Invoice wrong' },
    ]);
    expect(messagesOf(endpoint, 2).at(-1)?.content).toContain('billing, high');
    await agent.close();
  });

  it('goes on in its conversation, and keeps two sessions apart', async () => {
    const { agent, endpoint } = await agentAt([{ text: 'one' }, { text: 'two' }, { text: 'other' }], { instructions: 'Help.' });
    const session = agent.session();
    await session.prompt('first');
    await session.prompt('second');
    await agent.session().prompt('third');
    expect(messagesOf(endpoint, 1).map(({ content }) => content)).toEqual(['Help.', 'first', 'one', 'second']);
    expect(messagesOf(endpoint, 2).map(({ content }) => content)).toEqual(['Help.', 'third']);
    expect((await session.messages()).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    await agent.close();
  });

  it('goes on in a named session, in another program too', async () => {
    const endpoint = await startEndpoint([{ text: 'one' }, { text: 'two' }]);
    const env = { ...machine.env, UPSTREAM_ENDPOINT: endpoint.url, UPSTREAM_API_KEY: 'sk-main-TEST', MODEL_NAME: 'mock' };
    for (const prompt of ['first', 'second']) {
      const agent = createAgent({ instructions: 'Help.' }, { cwd: machine.cwd, env });
      expect(agent.session('customer 17')).toBe(agent.session('customer 17'));
      await agent.session('customer 17').prompt(prompt);
      await agent.close();
    }
    expect(messagesOf(endpoint, 1).map(({ content }) => content)).toEqual(['Help.', 'first', 'one', 'second']);
  });

  it('gives data that meets the schema of `result`, for a prompt and for a task', async () => {
    const { agent } = await agentAt([{ text: '{"late": true}' }, { text: '```json\n{"late": false}\n```' }], support);
    const result = { type: 'object', properties: { late: { type: 'boolean' } }, required: ['late'] };
    const session = agent.session();
    expect((await session.prompt<{ late: boolean }>('Late?', { result })).data?.late).toBe(true);
    expect((await session.task('Late?', { agent: 'issue_classifier', result })).data).toEqual({ late: false });
    await agent.close();
  });

  it('L5: a task without a name is a fresh copy of the whole agent, beside the conversation', async () => {
    const { agent, endpoint } = await agentAt([{ text: 'hello' }, { text: 'done' }], support);
    const session = agent.session();
    await session.prompt('hi');
    expect((await session.task('count')).text).toBe('done');
    expect(messagesOf(endpoint, 1).map(({ content }) => content)).toEqual([support.instructions, 'count']);
    expect(endpoint.chats[1]?.body?.tools).toEqual(endpoint.chats[0]?.body?.tools);
    expect(await session.messages()).toHaveLength(2);
    await agent.close();
  });

  it('calls tools of its own, and checks their arguments first', async () => {
    const seen: unknown[] = [];
    const orderStatus = defineTool({
      name: 'order_status',
      description: 'Looks up an order.',
      parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
      run: (args) => {
        seen.push(args);
        return { late: true };
      },
    });
    const script = [calls('order_status', {}), calls('order_status', { number: '1017' }), { text: 'It is late.' }];
    const { agent, endpoint } = await agentAt(script, { instructions: 'Help.', tools: [orderStatus] });
    expect((await agent.session().prompt('Order 1017?')).text).toBe('It is late.');
    expect(seen).toEqual([{ number: '1017' }]);
    expect(messagesOf(endpoint, 1).at(-1)?.content).toContain('number');
    expect(messagesOf(endpoint, 2).at(-1)?.content).toBe('{\n  "late": true\n}');
    await agent.close();
  });

  it('passes on the event stream to whoever subscribes, until they leave', async () => {
    const { agent } = await agentAt([{ text: 'one' }, { text: 'two' }], { instructions: 'Help.' });
    const session = agent.session();
    const events: AgentEvent[] = [];
    const leave = session.subscribe((event) => events.push(event));
    await session.prompt('first');
    leave();
    await session.prompt('second');
    expect(events.at(0)?.type).toBe('run_start');
    expect(events.filter(({ type }) => type === 'run_end')).toMatchObject([{ outcome: 'done', answer: 'one' }]);
    await agent.close();
  });

  it('throws what went wrong as an error with a kind, an exit code and the run', async () => {
    const { agent } = await agentAt([{ status: 401, body: { error: { message: 'no' } } }], { instructions: 'Help.' });
    const error = await agent
      .session()
      .prompt('hi')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunError);
    expect(error).toMatchObject({ name: 'RunError', kind: 'auth', exitCode: 77, run: { type: 'run_end', outcome: 'failed' } });
    await agent.close();
  });

  it('throws a FrostError where nothing can start, and starts once the cause is gone', async () => {
    const endpoint = await startEndpoint([{ text: 'hello' }]);
    const env: Record<string, string> = { ...machine.env, UPSTREAM_API_KEY: 'sk-main-TEST', MODEL_NAME: 'mock' };
    const session = createAgent({ instructions: 'Help.' }, { cwd: machine.cwd, env }).session();
    await expect(session.prompt('hi')).rejects.toMatchObject({ kind: 'config', message: expect.stringContaining('UPSTREAM_ENDPOINT') });
    env['UPSTREAM_ENDPOINT'] = endpoint.url;
    expect((await session.prompt('hi')).text).toBe('hello');
    await session.close();
    await expect(session.prompt('again')).rejects.toThrow(/session is closed/);
  });

  it('refuses a wrong definition at once', () => {
    expect(() => createAgent({ modle: 'x' } as AgentDefinitionInput)).toThrow(FrostError);
  });

  it('stops at the signal, and closes the request', async () => {
    const { agent, endpoint } = await agentAt([{ text: 'begin', end: 'hang' }], { instructions: 'Help.' });
    const controller = new AbortController();
    const session = agent.session();
    session.subscribe((event) => {
      if (event.type === 'text_delta') controller.abort();
    });
    const error = await session.prompt('hi', { signal: controller.signal }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'interrupted', run: { outcome: 'aborted', answer: 'begin' } });
    await expect.poll(() => endpoint.chats[0]?.abortedAt).toBeDefined();
    await agent.close();
  });
});
