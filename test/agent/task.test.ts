import { describe, expect, it } from 'vitest';
import { agentOf, profileOf, rosterOf, setupOf } from '../support/agents.js';
import { ScriptedModel } from '../support/scripted-model.js';

describe('a task beside the conversation', () => {
  it('L4 L5: without an agent name is done by a fresh copy, with the whole configuration and none of the history', async () => {
    const model = new ScriptedModel([{ text: 'hello' }, { text: 'counted' }, { text: 'still here' }]);
    const { agent, of } = agentOf(setupOf(model, { roster: rosterOf(profileOf('Coder')) }));
    await agent.prompt('first');
    expect(await agent.task('count the files')).toMatchObject({ outcome: 'done', answer: 'counted' });
    expect(model.requests[1]?.messages).toEqual([
      { role: 'system', content: 'SYSTEM' },
      { role: 'user', content: 'count the files' },
    ]);
    expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools);
    expect(of('agent_start')).toMatchObject([{ name: 'task', task: 'count the files' }]);
    await agent.prompt('second');
    expect(model.requests[2]?.messages.map(({ content }) => content)).toEqual(['SYSTEM', 'first', 'hello', 'second']);
  });

  it('by a specialist answers in the form asked for, whatever its own is', async () => {
    const coder = new ScriptedModel([{ text: '{"lines": 3}' }]);
    const { agent } = agentOf(setupOf(new ScriptedModel([]), { roster: rosterOf(profileOf('Coder', { output: 'code' })) }), {
      Coder: coder,
    });
    const schema = { type: 'object', required: ['lines'] };
    const end = await agent.task('count', { agent: 'coder', form: { output: 'json', schema } });
    expect(end).toMatchObject({ outcome: 'done', structured: { lines: 3 } });
    expect(agent.history).toEqual([]);
  });

  it('by an unknown specialist fails and names the ones there are', async () => {
    const { agent } = agentOf(setupOf(new ScriptedModel([]), { roster: rosterOf(profileOf('Coder')) }));
    const end = await agent.task('x', { agent: 'Ghost' });
    expect(end).toMatchObject({
      outcome: 'failed',
      error: { kind: 'usage', message: expect.stringContaining('The specialists are: Coder.') },
    });
  });
});
