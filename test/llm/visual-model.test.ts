import { describe, expect, it } from 'vitest';
import type { ImagePart, Message } from '../../src/llm/messages.js';
import { withVisualModel } from '../../src/llm/visual-model.js';
import { agentOf, setupOf } from '../support/agents.js';
import { ScriptedModel } from '../support/scripted-model.js';

const image: ImagePart = { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' };
const asked = [{ type: 'text' as const, text: 'what is it?' }, image];
const contents = (model: ScriptedModel, index: number) => model.requests[index]?.messages.map((message: Message) => message.content);

describe('VISUAL_MODEL_NAME', () => {
  it('another model looks at an image once, and the main model reads what it saw', async () => {
    const main = new ScriptedModel([{ text: 'a cat' }, { text: 'black' }], 'blind');
    const eyes = new ScriptedModel([{ text: 'A black cat.', usage: { inputTokens: 90, outputTokens: 10 } }], 'seeing');
    const { agent } = agentOf(setupOf(withVisualModel(main, eyes, () => 0.5)));
    const end = await agent.prompt(asked);
    expect((await agent.prompt('its colour?')).answer).toBe('black');
    expect(JSON.stringify(main.requests)).not.toContain('base64');
    expect(contents(main, 0)?.[1]).toEqual([asked[0], { type: 'text', text: '[An image, as seeing describes it]\nA black cat.' }]);
    expect(eyes.requests).toHaveLength(1);
    expect(end.principals).toContainEqual({
      principal: 'main',
      model: 'seeing',
      host: 'test.invalid',
      requests: 1,
      usage: { inputTokens: 90, outputTokens: 10 },
      cost: 0.5,
    });
  });

  it('an image of a tool result too', async () => {
    const main = new ScriptedModel([{ calls: [['show', {}]] }, { text: 'seen' }], 'blind');
    const eyes = new ScriptedModel([{ text: 'A chart.' }], 'seeing');
    const show = {
      name: 'show',
      description: 'shows',
      parameters: { type: 'object' },
      run: async () => ({ text: 'here', images: [image] }),
    };
    const { agent } = agentOf(
      setupOf(
        withVisualModel(main, eyes, () => undefined),
        { tools: [show] },
      ),
    );
    await agent.prompt('look');
    expect(contents(main, 1)?.at(-1)).toBe('here\n[An image, as seeing describes it]\nA chart.');
    expect(main.requests[1]?.messages.at(-1)).not.toHaveProperty('images');
  });

  it('where it fails the run goes on, says so, and looks again next time', async () => {
    const main = new ScriptedModel([{ text: 'no idea' }, { text: 'a cat' }], 'blind');
    const eyes = new ScriptedModel(
      [{ error: { kind: 'unavailable', message: 'eyes.invalid does not answer.' } }, { text: 'A cat.' }],
      'seeing',
    );
    const { agent, of } = agentOf(setupOf(withVisualModel(main, eyes, () => undefined)));
    expect((await agent.prompt(asked)).answer).toBe('no idea');
    expect(of('warning').map(({ text }) => text)).toEqual(['seeing could not describe an image: eyes.invalid does not answer.']);
    expect((await agent.prompt('again')).answer).toBe('a cat');
    expect(JSON.stringify(contents(main, 1))).toContain('A cat.');
  });
});
