import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../src/profiles/define-tool.js';
import { sendMessage } from '../../src/tools/send-message.js';
import { agentOf, setupOf } from '../support/agents.js';
import { ScriptedModel } from '../support/scripted-model.js';

const echo = defineTool({
  name: 'echo',
  description: 'Says it back.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: async ({ text }) => `echo ${text}`,
});

const boom = defineTool({
  name: 'boom',
  description: 'Throws.',
  run: async () => {
    throw new Error('it broke');
  },
});

function toolTexts(model: ScriptedModel, request = 1): string[] {
  return (model.requests[request]?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.content] : []));
}

afterEach(() => {
  vi.useRealTimers();
});

describe('one run', () => {
  it('tells its story in the order of the contract and ends with run_end, once and last', async () => {
    const model = new ScriptedModel([
      { text: ['Let me ', 'see.'], calls: [['echo', { text: 'a' }]], usage: { inputTokens: 10, outputTokens: 2 } },
      { text: 'Done.', usage: { inputTokens: 20, outputTokens: 3 } },
    ]);
    const { agent, events } = agentOf(setupOf(model, { tools: [sendMessage, echo] }));
    const end = await agent.prompt('go');
    expect(events.map(({ type }) => type)).toEqual([
      'run_start',
      'message',
      'turn_start',
      'text_delta',
      'text_delta',
      'usage',
      'message',
      'tool_start',
      'tool_end',
      'message',
      'turn_end',
      'turn_start',
      'text_delta',
      'usage',
      'message',
      'turn_end',
      'run_end',
    ]);
    expect(end).toMatchObject({ outcome: 'done', answer: 'Done.', turns: 2, usage: { inputTokens: 30, outputTokens: 5 } });
    expect(events.at(-1)).toBe(end);
    expect(model.rest()).toBe(0);
  });

  it('runs the calls of one message side by side and gives the results back in call order', async () => {
    const order: string[] = [];
    const slow = (name: string, ms: number) =>
      defineTool({
        name,
        description: name,
        run: async () => {
          order.push(`${name} starts`);
          await new Promise((resolve) => setTimeout(resolve, ms));
          order.push(`${name} ends`);
          return name;
        },
      });
    const model = new ScriptedModel([
      {
        calls: [
          ['first', {}],
          ['second', {}],
        ],
      },
      { text: 'ok' },
    ]);
    const { agent } = agentOf(setupOf(model, { tools: [slow('first', 40), slow('second', 1)] }));
    await agent.prompt('go');
    expect(order).toEqual(['first starts', 'second starts', 'second ends', 'first ends']);
    expect(toolTexts(model)).toEqual(['first', 'second']);
  });

  it('gives every call exactly one result: unknown tool, bad JSON, wrong fields, no object, thrown', async () => {
    const model = new ScriptedModel([
      {
        calls: [
          ['nope', {}],
          ['echo', '{"text":'],
          ['echo', { txt: 1 }],
          ['echo', '[1]'],
          ['boom', {}],
          ['__proto__', {}],
          ['echo', { text: 'fine' }],
        ],
      },
      { text: 'ok' },
    ]);
    const { agent, of } = agentOf(setupOf(model, { tools: [echo, boom] }));
    await agent.prompt('go');
    const texts = toolTexts(model);
    expect(texts).toHaveLength(7);
    expect(texts[0]).toContain('no tool «nope». Your tools are: echo, boom');
    expect(texts[1]).toContain('could not be read as JSON');
    expect(texts[2]).toContain("must have required property 'text'");
    expect(texts[3]).toContain('must be a JSON object');
    expect(texts[4]).toContain('it broke');
    expect(texts[5]).toContain('no tool «__proto__»');
    expect(texts[6]).toBe('echo fine');
    expect(
      of('tool_start')
        .map(({ callId }) => callId)
        .sort(),
    ).toEqual(
      of('tool_end')
        .map(({ callId }) => callId)
        .sort(),
    );
  });

  it('ends at the iteration limit as `limit`, without an apology as the answer', async () => {
    const model = new ScriptedModel([1, 2, 3].map((n) => ({ calls: [['echo', { text: `${'x'.repeat(n)}` }]] })));
    const { agent } = agentOf(setupOf(model, { tools: [echo], limits: { turns: 3 } }));
    const end = await agent.prompt('go');
    expect(end).toMatchObject({ outcome: 'limit', limit: 'turns', answer: '', error: { kind: 'limit' } });
    expect(end.error?.message).toContain('3 model requests');
    expect(model.rest()).toBe(0);
  });

  it('stops at a token limit before the request that would pass it', async () => {
    const model = new ScriptedModel([{ calls: [['echo', { text: 'a' }]], usage: { inputTokens: 900, outputTokens: 100 } }]);
    const { agent, of } = agentOf(setupOf(model, { tools: [echo], limits: { tokens: 1000 } }));
    const end = await agent.prompt('go');
    expect(end).toMatchObject({ outcome: 'limit', limit: 'tokens' });
    expect(of('warning').map(({ code }) => code)).toEqual(['limit_near']);
  });

  it("ends as failed with the provider's reason and keeps the partial text apart", async () => {
    const error = { kind: 'unavailable' as const, message: 'main: 127.0.0.1 closed the connection' };
    const { agent } = agentOf(setupOf(new ScriptedModel([{ text: 'half', error }])));
    const end = await agent.prompt('go');
    expect(end).toMatchObject({ outcome: 'failed', answer: 'half', error });
    expect(agent.history.at(-1)).toMatchObject({ role: 'assistant', content: 'half', incomplete: 'error' });
  });

  it('aborts in mid-answer, marks the partial text, and the next prompt goes out whole', async () => {
    const model = new ScriptedModel([{ text: 'Once upon', hang: true }, { text: 'hello' }]);
    const { agent, of } = agentOf(setupOf(model));
    const running = agent.prompt('tell');
    await new Promise((resolve) => setTimeout(resolve, 5));
    agent.stop();
    expect(await running).toMatchObject({ outcome: 'aborted', answer: 'Once upon' });
    expect(of('run_end')).toHaveLength(1);
    expect(await agent.prompt('again')).toMatchObject({ outcome: 'done', answer: 'hello' });
  });

  it('aborts in the middle of tools: each call is answered, the history can be sent', async () => {
    const hang = defineTool({ name: 'hang', description: 'Never ends.', run: () => new Promise<string>(() => {}) });
    const model = new ScriptedModel([
      {
        calls: [
          ['echo', { text: 'x' }],
          ['hang', {}],
        ],
      },
      { text: 'hello' },
    ]);
    const { agent } = agentOf(setupOf(model, { tools: [echo, hang] }));
    const running = agent.prompt('go');
    await new Promise((resolve) => setTimeout(resolve, 40));
    agent.stop();
    expect((await running).outcome).toBe('aborted');
    await agent.prompt('hi');
    const roles = model.requests[1]?.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user']);
    expect(toolTexts(model)[1]).toMatch(/cancelled/i);
  });

  it('takes sent messages as the answer where the final text is empty', async () => {
    const model = new ScriptedModel([
      { calls: [['echo', { text: 'x' }]] },
      {
        calls: [
          ['send_message', { text: 'one' }],
          ['send_message', { text: 'two' }],
        ],
      },
      {},
    ]);
    const { agent } = agentOf(setupOf(model, { tools: [sendMessage, echo] }));
    expect(await agent.prompt('go')).toMatchObject({ outcome: 'done', answer: 'one\ntwo' });
  });

  it('does not take a message for the answer that came before other work', async () => {
    const model = new ScriptedModel([{ calls: [['send_message', { text: 'wait' }]] }, { calls: [['echo', { text: 'x' }]] }, {}, {}]);
    const { agent } = agentOf(setupOf(model, { tools: [sendMessage, echo] }));
    expect(await agent.prompt('go')).toMatchObject({ outcome: 'failed', error: { kind: 'empty' } });
    expect(model.rest()).toBe(0);
  });

  it('nudges once after an empty reply to a tool result', async () => {
    const model = new ScriptedModel([{ calls: [['echo', { text: 'x' }]] }, {}, { text: 'there' }]);
    const { agent } = agentOf(setupOf(model, { tools: [echo] }));
    expect(await agent.prompt('go')).toMatchObject({ outcome: 'done', answer: 'there' });
  });

  it('notes a call repeated three times to the model, then ends the run as `limit`', async () => {
    const model = new ScriptedModel([1, 2, 3, 4].map(() => ({ calls: [['echo', { text: 'same' }]] })));
    const { agent } = agentOf(setupOf(model, { tools: [echo] }));
    const end = await agent.prompt('go');
    expect(end).toMatchObject({ outcome: 'limit', limit: 'loop' });
    expect(toolTexts(model, 3).at(-1)).toContain('3 times in a row');
    expect(model.rest()).toBe(0);
  });

  it('lets eight calls pass that differ in numbers only, then ends the run', async () => {
    const model = new ScriptedModel(Array.from({ length: 9 }, (_, n) => ({ calls: [['send_message', { text: `step ${n}` }]] })));
    const { agent } = agentOf(setupOf(model));
    expect(await agent.prompt('go')).toMatchObject({ outcome: 'limit', limit: 'loop' });
    expect(model.rest()).toBe(0);
  });

  it('puts what the person adds after the running tools', async () => {
    const model = new ScriptedModel([{ calls: [['echo', { text: 'x' }]], onRequest: () => agent.steer('also this') }, { text: 'ok' }]);
    const { agent } = agentOf(setupOf(model, { tools: [echo] }));
    await agent.prompt('go');
    expect(model.requests[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'SYSTEM'],
      ['user', 'go'],
      ['assistant', ''],
      ['tool', 'echo x'],
      ['user', 'also this'],
    ]);
  });

  it('refuses a second run while one is under way', async () => {
    const { agent } = agentOf(setupOf(new ScriptedModel([{ hang: true }])));
    const running = agent.prompt('one');
    await expect(agent.prompt('two')).rejects.toThrow('under way');
    agent.stop();
    await running;
  });

  it('caps a long result at 64 KiB in whole characters and says where the whole is', async () => {
    const long = defineTool({ name: 'long', description: 'Long.', run: async () => '中'.repeat(100_000) });
    const model = new ScriptedModel([{ calls: [['long', {}]] }, { text: 'ok' }]);
    const { agent } = agentOf(setupOf(model, { tools: [long] }), {}, { keepWhole: () => 'whole.txt' });
    await agent.prompt('go');
    const [text = ''] = toolTexts(model);
    expect(Buffer.byteLength(text)).toBeLessThan(66_000);
    expect(text).toContain('The whole text is in whole.txt');
    expect(text).not.toContain('\ufffd');
  });

  it('repairs an answer that misses its schema once, then fails as `form`', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const form = { output: 'json' as const, schema };
    const good = new ScriptedModel([{ text: 'n is 1' }, { text: '```json\n{"n": 1}\n```' }]);
    expect(await agentOf(setupOf(good)).agent.prompt('go', { form })).toMatchObject({
      outcome: 'done',
      answer: '{"n":1}',
      structured: { n: 1 },
    });
    const bad = new ScriptedModel([{ text: '{}' }, { text: '{"n":"x"}' }]);
    expect(await agentOf(setupOf(bad)).agent.prompt('go', { form })).toMatchObject({ outcome: 'failed', error: { kind: 'form' } });
  });

  it('warns where the endpoint counts far fewer prompt tokens than were sent', async () => {
    const prompt = 'word '.repeat(4000);
    const cut = agentOf(setupOf(new ScriptedModel([{ text: 'ok', usage: { inputTokens: 2048, outputTokens: 1 } }])));
    await cut.agent.prompt(prompt);
    expect(cut.of('warning')).toMatchObject([{ code: 'prompt_cut' }]);
    const whole = agentOf(setupOf(new ScriptedModel([{ text: 'ok', usage: { inputTokens: 4100, outputTokens: 1 } }])));
    await whole.agent.prompt(prompt);
    expect(whole.of('warning')).toEqual([]);
  });

  it('asks the gate, tells the model of a refusal and lists it', async () => {
    const write = defineTool({
      name: 'write',
      description: 'W.',
      access: () => ({ kind: 'write', path: 'a' }),
      run: async () => 'written',
    });
    const model = new ScriptedModel([{ calls: [['write', {}]] }, { text: 'sorry' }]);
    const gate = { check: async () => ({ allowed: false as const, reason: 'reading only' }) };
    const end = await agentOf(setupOf(model, { tools: [write], gate })).agent.prompt('go');
    expect(toolTexts(model)[0]).toContain('Permission denied: reading only');
    expect(end.permissionDenials).toMatchObject([{ tool: 'write', reason: 'reading only' }]);
  });

  it('tells how long a tool took, without the time in which a person thought about allowing it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const write = defineTool({
      name: 'write',
      description: 'W.',
      access: () => ({ kind: 'write', path: 'a' }),
      run: async () => {
        vi.advanceTimersByTime(2000);
        return 'written';
      },
    });
    const model = new ScriptedModel([{ calls: [['write', {}]] }, { text: 'done' }]);
    const gate = {
      check: async () => {
        vi.advanceTimersByTime(60_000);
        return { allowed: true as const };
      },
    };
    const { agent, events } = agentOf(setupOf(model, { tools: [write], gate }));
    await agent.prompt('go');
    expect(events.find(({ type }) => type === 'tool_end')).toMatchObject({ name: 'write', ok: true, ms: 2000 });
  });
});
