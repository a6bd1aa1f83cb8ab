import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/profiles/define-tool.js';
import { agentOf, profileOf, rosterOf, setupOf } from '../support/agents.js';
import { ScriptedModel } from '../support/scripted-model.js';

const coder = profileOf('Coder');
const delegate = (...tasks: string[]): [string, unknown][] => tasks.map((content) => ['use_subagent', { subagent_name: 'Coder', content }]);

function resultTexts(model: ScriptedModel, request = 1): string[] {
  return (model.requests[request]?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.content] : []));
}

describe('delegation', () => {
  it('F1 F4 F5 F6 F7: calls the specialist with its own prompt and the task alone, and gives its answer back', async () => {
    const main = new ScriptedModel([
      { calls: [['send_message', { text: 'Asking Coder.' }], ...delegate('write it')] },
      { text: 'Here: CODE' },
    ]);
    const child = new ScriptedModel([{ text: 'CODE', usage: { inputTokens: 7, outputTokens: 3 } }], 'coder-model', 'coder.test');
    const { agent, of, events } = agentOf(setupOf(main, { roster: rosterOf(coder) }), { Coder: child });
    const end = await agent.prompt('please SECRET-OF-MAIN');
    expect(end).toMatchObject({ outcome: 'done', answer: 'Here: CODE', failedAgents: [] });
    expect(child.requests[0]?.messages).toEqual([
      { role: 'system', content: 'You are Coder.' },
      { role: 'user', content: 'write it' },
    ]);
    expect(child.requests[0]?.tools).toEqual([]);
    const text = resultTexts(main)[1] ?? '';
    expect(JSON.parse(text.split('\n\n')[0] ?? '')).toEqual({ agent: 'Coder', status: 'done', usage: { inputTokens: 7, outputTokens: 3 } });
    expect(text.endsWith('\n\nCODE')).toBe(true);
    const [start] = of('agent_start');
    expect(start).toMatchObject({ name: 'Coder', task: 'write it', model: 'coder-model', host: 'coder.test' });
    expect(of('agent_end')).toMatchObject([{ run: start?.run, status: 'done', text: 'CODE' }]);
    expect(events.filter(({ agent: run }) => run === start?.run).map(({ type }) => type)).toEqual([
      'message',
      'turn_start',
      'text_delta',
      'usage',
      'message',
      'turn_end',
    ]);
    expect(end.principals.map(({ principal, requests }) => [principal, requests])).toEqual([
      ['main', 2],
      ['Coder', 1],
    ]);
  });

  it("F2 F3 L3: the tool carries the manager's prompt and the roster, and asks for send_message first", async () => {
    const main = new ScriptedModel([{ text: 'hi' }]);
    await agentOf(setupOf(main, { roster: rosterOf(coder, profileOf('Reviewer')) })).agent.prompt('hi');
    const tool = main.requests[0]?.tools.find(({ name }) => name === 'use_subagent');
    expect(tool?.description).toMatch(/^You are the scheduling and management tool for sub-agents\./);
    expect(tool?.description).toContain('- Coder: Coder does things.');
    expect(tool?.description).toContain('- Reviewer: Reviewer does things.');
    expect(tool?.description).toContain('send_message first');
    expect(tool?.parameters['required']).toEqual(['subagent_name', 'content']);
    expect(Object.keys(tool?.parameters['properties'] as object)).toEqual(['subagent_name', 'content']);
  });

  it('F3: frost itself announces a delegation that the model kept to itself, and only such a one', async () => {
    const silent = new ScriptedModel([{ calls: delegate('write it') }, { text: 'ok' }]);
    const first = agentOf(setupOf(silent, { roster: rosterOf(coder) }), { Coder: new ScriptedModel([{ text: 'X' }]) });
    await first.agent.prompt('go');
    const types = first.events.map(({ type }) => type);
    expect(first.of('said')).toMatchObject([{ auto: true, parts: [{ type: 'plain', text: 'Delegating to Coder: write it' }] }]);
    expect(types.indexOf('said')).toBeLessThan(types.indexOf('agent_start'));
    const polite = new ScriptedModel([{ calls: [['send_message', { text: 'On it.' }]] }, { calls: delegate('write it') }, { text: 'ok' }]);
    const second = agentOf(setupOf(polite, { roster: rosterOf(coder) }), { Coder: new ScriptedModel([{ text: 'X' }]) });
    await second.agent.prompt('go');
    expect(second.of('said')).toMatchObject([{ auto: false }]);
  });

  it('F4: an unknown name is an error result that names the valid ones, not a failed specialist', async () => {
    const main = new ScriptedModel([{ calls: [['use_subagent', { subagent_name: 'Poet', content: 'x' }]] }, { text: 'ok' }]);
    const end = await agentOf(setupOf(main, { roster: rosterOf(coder, profileOf('Reviewer')) })).agent.prompt('go');
    expect(resultTexts(main)[0]).toContain('no sub-agent «Poet». The sub-agents are: Coder, Reviewer');
    expect(end.failedAgents).toEqual([]);
  });

  it('takes the field names of other agents too', async () => {
    const main = new ScriptedModel([{ calls: [['use_subagent', { subagent_type: 'coder', prompt: 'x' }]] }, { text: 'ok' }]);
    const child = new ScriptedModel([{ text: 'X' }]);
    await agentOf(setupOf(main, { roster: rosterOf(coder) }), { Coder: child }).agent.prompt('go');
    expect(child.rest()).toBe(0);
  });

  it.each([
    [
      'a provider failure',
      { text: 'def ', error: { kind: 'unavailable' as const, message: 'Coder: 127.0.0.1 reset the connection' } },
      'reset the connection',
      'def ',
    ],
    ['an empty answer', {}, 'empty answer', ''],
    [
      'a cut-off answer',
      { text: 'def sort(', reason: 'length' as const, error: { kind: 'incomplete' as const, message: 'Coder: cut off (length)' } },
      'cut off (length)',
      'def sort(',
    ],
  ])('reports %s as a failed result with reason and partial text', async (_, reply, reason, partial) => {
    const main = new ScriptedModel([{ calls: delegate('x') }, { text: 'Coder failed, sorry' }]);
    const { agent, of } = agentOf(setupOf(main, { roster: rosterOf(coder) }), { Coder: new ScriptedModel([reply]) });
    const end = await agent.prompt('go');
    expect(end).toMatchObject({ outcome: 'done', failedAgents: [{ name: 'Coder' }] });
    expect(end.failedAgents[0]?.error.message).toContain(reason);
    const [text = ''] = resultTexts(main);
    expect(text).toContain('"status":"failed"');
    expect(text).toContain(reason);
    expect(text).toContain(partial);
    expect(of('tool_end')[0]?.ok).toBe(false);
  });

  it('forgets a failure once the same specialist has done its work', async () => {
    const main = new ScriptedModel([{ calls: delegate('x') }, { calls: delegate('again') }, { text: 'fine' }]);
    const child = new ScriptedModel([{}, { text: 'X' }]);
    const end = await agentOf(setupOf(main, { roster: rosterOf(coder) }), { Coder: child }).agent.prompt('go');
    expect(end.failedAgents).toEqual([]);
  });

  it('runs eight children at once and no more', async () => {
    let [now, most] = [0, 0];
    const child = new ScriptedModel(
      Array.from({ length: 10 }, () => ({
        text: 'X',
        onRequest: async () => {
          most = Math.max(most, ++now);
          await new Promise((resolve) => setTimeout(resolve, 10));
          now -= 1;
        },
      })),
    );
    const main = new ScriptedModel([{ calls: delegate(...Array.from({ length: 10 }, (_, n) => `task ${n}`)) }, { text: 'ok' }]);
    const end = await agentOf(setupOf(main, { roster: rosterOf(coder) }), { Coder: child }).agent.prompt('go');
    expect(most).toBe(8);
    expect(end.outcome).toBe('done');
    expect(child.rest()).toBe(0);
  });

  it('stops every child with the run, also one that waits for its place', async () => {
    const main = new ScriptedModel([{ calls: delegate(...Array.from({ length: 9 }, (_, n) => `task ${n}`)) }]);
    const child = new ScriptedModel(Array.from({ length: 8 }, () => ({ text: 'working', hang: true })));
    const { agent, of } = agentOf(setupOf(main, { roster: rosterOf(coder) }), { Coder: child });
    const running = agent.prompt('go');
    await new Promise((resolve) => setTimeout(resolve, 50));
    agent.stop();
    expect((await running).outcome).toBe('aborted');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(of('agent_end').map(({ status }) => status)).toEqual(Array(8).fill('aborted'));
    expect(child.requests).toHaveLength(8);
  });

  it('stops one child and goes on', async () => {
    const main = new ScriptedModel([{ calls: delegate('x') }, { text: 'without Coder' }]);
    const { agent, of } = agentOf(setupOf(main, { roster: rosterOf(coder) }), { Coder: new ScriptedModel([{ text: 'half', hang: true }]) });
    const running = agent.prompt('go');
    await new Promise((resolve) => setTimeout(resolve, 40));
    agent.stopChild(of('agent_start')[0]?.run ?? '');
    expect(await running).toMatchObject({ outcome: 'done', answer: 'without Coder', failedAgents: [{ name: 'Coder' }] });
    expect(resultTexts(main)[0]).toContain('half');
  });

  it('L11: refuses a fifth level as an error result', async () => {
    const leaf = profileOf('Level5');
    const levels = [4, 3, 2, 1].reduce((below, n) => profileOf(`Level${n}`, { subagents: [below] }), leaf);
    const call = (n: number): { calls: [string, unknown][] } => ({
      calls: [['use_subagent', { subagent_name: `Level${n}`, content: 'down' }]],
    });
    const models = Object.fromEntries([1, 2, 3, 4].map((n) => [`Level${n}`, new ScriptedModel([call(n + 1), { text: `up ${n}` }])]));
    const main = new ScriptedModel([call(1), { text: 'top' }]);
    const { agent, of } = agentOf(setupOf(main, { roster: rosterOf(levels) }), models);
    expect(await agent.prompt('go')).toMatchObject({ outcome: 'done', answer: 'top' });
    expect(of('agent_start').map(({ name }) => name)).toEqual(['Level1', 'Level2', 'Level3', 'Level4']);
    const level4 = models['Level4'];
    expect(level4 && resultTexts(level4)[0]).toContain('4 levels deep');
  });

  it("L5: task without a name is a fresh child with the parent's whole configuration", async () => {
    const echo = defineTool({ name: 'echo', description: 'E.', run: async () => 'e' });
    const model = new ScriptedModel([{ calls: [['task', { prompt: 'side work' }]] }, { text: 'side result' }, { text: 'whole' }]);
    const { agent, of } = agentOf(setupOf(model, { tools: [echo], roster: rosterOf(coder), withTask: true }));
    expect(await agent.prompt('go')).toMatchObject({ outcome: 'done', answer: 'whole' });
    const [, child] = model.requests;
    expect(child?.messages).toEqual([
      { role: 'system', content: 'SYSTEM' },
      { role: 'user', content: 'side work' },
    ]);
    expect(child?.tools.map(({ name }) => name)).toEqual(['echo', 'use_subagent', 'task']);
    expect(of('agent_start')).toMatchObject([{ name: 'task' }]);
  });

  it('gives a child at its cap one turn without tools to report, then ends it as `limit`', async () => {
    const echo = defineTool({
      name: 'echo',
      description: 'E.',
      parameters: { type: 'object', properties: { n: { type: 'number' } } },
      run: async () => 'e',
    });
    const worker = profileOf('Worker', { tools: [echo], limits: { turns: 2 } });
    const child = new ScriptedModel([{ calls: [['echo', { n: 1 }]] }, { calls: [['echo', { n: 2 }]] }, { text: 'so far: e' }]);
    const main = new ScriptedModel([{ calls: [['use_subagent', { subagent_name: 'Worker', content: 'x' }]] }, { text: 'ok' }]);
    const { agent, of } = agentOf(setupOf(main, { roster: rosterOf(worker) }), { Worker: child });
    const end = await agent.prompt('go');
    expect(of('agent_end')).toMatchObject([{ status: 'limit', text: 'so far: e', error: { kind: 'limit' } }]);
    expect(child.requests[2]?.tools).toEqual([]);
    expect(end.failedAgents).toMatchObject([{ name: 'Worker' }]);
  });

  it('ends a child whose time is up, with what it had', async () => {
    const worker = profileOf('Worker', { limits: { seconds: 0.05 } });
    const main = new ScriptedModel([{ calls: [['use_subagent', { subagent_name: 'Worker', content: 'x' }]] }, { text: 'ok' }]);
    const { agent, of } = agentOf(setupOf(main, { roster: rosterOf(worker) }), {
      Worker: new ScriptedModel([{ text: 'half', hang: true }]),
    });
    await agent.prompt('go');
    expect(of('agent_end')).toMatchObject([{ status: 'limit', text: 'half' }]);
  });

  it('sets a run-wide cap aside before a child starts, and starts none when nothing is left', async () => {
    const price = { input: 1, output: 1 };
    const main = new ScriptedModel([
      { calls: delegate('a', 'b'), usage: { inputTokens: 10, outputTokens: 10 } },
      { text: 'ok', usage: { inputTokens: 1, outputTokens: 1 } },
    ]);
    const child = new ScriptedModel([{ text: 'X', usage: { inputTokens: 10, outputTokens: 10 } }]);
    const { agent, of } = agentOf(
      setupOf(main, { roster: rosterOf(profileOf('Coder', { limits: { tokens: 1000 } })), limits: { tokens: 1000 }, price }),
      { Coder: child },
    );
    await agent.prompt('go');
    expect(of('agent_start').map(({ limits }) => limits.tokens)).toEqual([980]);
    expect(resultTexts(main)[1]).toContain('nothing is left of the run');
  });

  it('refuses a child whose price is unknown where the run has a cost limit', async () => {
    const main = new ScriptedModel([
      { calls: delegate('x'), usage: { inputTokens: 1, outputTokens: 1 } },
      { text: 'ok', usage: { inputTokens: 1, outputTokens: 1 } },
    ]);
    const child = new ScriptedModel([]);
    await agentOf(setupOf(main, { roster: rosterOf(coder), limits: { cost: 1 }, price: { input: 1, output: 1 } }), {
      Coder: child,
    }).agent.prompt('go');
    expect(resultTexts(main)[0]).toContain('price of scripted is not known');
  });

  it("lets a specialist that was spoken to straight have the whole of the run's limit, and one beside others half", async () => {
    const limits = { tokens: 1000 };
    const straight = agentOf(setupOf(new ScriptedModel([]), { roster: rosterOf(coder), limits }), {
      Coder: new ScriptedModel([{ text: 'X' }]),
    });
    await straight.agent.delegate('Coder', 'write');
    expect(straight.of('agent_start')[0]?.limits.tokens).toBe(1000);
    const main = new ScriptedModel([{ calls: delegate('x') }, { text: 'ok' }]);
    const beside = agentOf(setupOf(main, { roster: rosterOf(coder), limits }), { Coder: new ScriptedModel([{ text: 'X' }]) });
    await beside.agent.prompt('go');
    expect(beside.of('agent_start')[0]?.limits.tokens).toBe(500);
  });

  it('speaks straight to a specialist and answers with its words', async () => {
    const { agent, of } = agentOf(setupOf(new ScriptedModel([]), { roster: rosterOf(coder) }), {
      Coder: new ScriptedModel([{ text: 'CODE' }]),
    });
    expect(await agent.delegate('coder', 'write')).toMatchObject({ outcome: 'done', answer: 'CODE' });
    expect(of('run_end')).toHaveLength(1);
    expect(await agent.delegate('Nobody', 'write')).toMatchObject({ outcome: 'failed', error: { kind: 'usage' } });
  });
});
