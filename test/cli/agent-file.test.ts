import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type Endpoint, type Reply, startEndpoint } from '../support/endpoint.js';
import { readmeBlock } from '../support/readme.js';
import { runFrost } from '../support/run-frost.js';
import { type TempHome, tempHome } from '../support/temp-home.js';

/** The support assistant as the guide to subagents writes it, but for the package's name. */
const SUPPORT_ASSISTANT = readmeBlock('// support-assistant.ts');

let machine: TempHome;

beforeEach(() => {
  machine = tempHome();
});

afterEach(async () => {
  await closeEndpoints();
  machine.remove();
});

const environmentOf = (endpoint: Endpoint) => ({
  ...machine.env,
  UPSTREAM_ENDPOINT: endpoint.url,
  UPSTREAM_API_KEY: 'sk-main-TEST',
  MODEL_NAME: 'from-the-settings',
});

const ask = (endpoint: Endpoint, ...args: string[]) => runFrost(['ask', ...args], { cwd: machine.cwd, env: environmentOf(endpoint) });

const DELEGATION: Reply[] = [
  { calls: [{ name: 'use_subagent', arguments: { subagent_name: 'issue_classifier', content: 'Invoice shows a wrong address' } }] },
  { text: 'area: billing, urgency: low' },
  { text: 'It is a billing matter of low urgency.' },
];

describe('frost ask --agent-file', () => {
  it.each(['support-assistant.ts', 'support-assistant.js'])(
    'L1 L2 L3 L4 L12: runs the support assistant of README.md from %s as it is written: model, specialist and answer',
    async (file) => {
      machine.write(file, SUPPORT_ASSISTANT);
      const endpoint = await startEndpoint(DELEGATION);
      const run = await ask(endpoint, '--agent-file', `./${file}`, 'My invoice shows the wrong address');
      expect(run).toMatchObject({ code: 0, stdout: 'It is a billing matter of low urgency.\n' });
      const bodies = endpoint.chats.map(({ body }) => body);
      expect(bodies.map((body) => body?.model)).toEqual(Array(3).fill('anthropic/claude-sonnet-4-6'));
      expect(bodies[0]?.messages[0]?.content).toContain('Help resolve support requests.');
      expect(JSON.stringify(bodies[0]?.tools)).toContain('issue_classifier: Classifies support issues for routing.');
      expect(bodies[1]?.messages).toEqual([
        { role: 'system', content: 'Return the likely product area and urgency for the reported issue.' },
        { role: 'user', content: 'Invoice shows a wrong address' },
      ]);
      expect(bodies[1]).not.toHaveProperty('tools');
      expect(bodies[2]?.messages.at(-1)?.content).toContain('area: billing, urgency: low');
    },
  );

  it('runs a Markdown file as the main agent', async () => {
    machine.write('poet.md', '---\nmodel: verse\n---\nYou answer in rhymes.');
    const endpoint = await startEndpoint([{ text: 'Rain, again.' }]);
    expect(await ask(endpoint, '--agent-file', 'poet.md', 'hi')).toMatchObject({ code: 0, stdout: 'Rain, again.\n' });
    expect(endpoint.chats[0]?.body?.model).toBe('verse');
    expect(endpoint.chats[0]?.body?.messages[0]?.content).toContain('You answer in rhymes.');
  });

  it('lets a flag say more than the file, and the file more than the settings', async () => {
    machine.write('poet.md', '---\nmodel: verse\n---\nYou answer in rhymes.');
    const endpoint = await startEndpoint([{ text: 'one' }, { text: 'two' }]);
    await runFrost(['ask', '--agent-file', 'poet.md', 'hi'], {
      cwd: machine.cwd,
      env: { ...environmentOf(endpoint), SYSTEM_PROMPT: 'From the settings.' },
    });
    await ask(endpoint, '--agent-file', 'poet.md', '--model', 'by-flag', '--system', 'By flag.', 'hi');
    expect(endpoint.chats.map(({ body }) => [body?.model, body?.messages[0]?.content])).toEqual([
      ['verse', expect.stringContaining('You answer in rhymes.')],
      ['by-flag', expect.stringContaining('By flag.')],
    ]);
  });

  it.each<[title: string, file: string, text: string | undefined, code: number, says: RegExp]>([
    ['that does not exist', 'ghost.ts', undefined, 66, /ghost\.ts does not exist/],
    [
      'with a mistyped field',
      'a.ts',
      "import { defineAgent } from 'frost-agent';\nexport default defineAgent({ modle: 'x' });",
      78,
      /a\.ts.*did you mean 'model'/,
    ],
    [
      'L10: that gives a specialist durability',
      'd.ts',
      SUPPORT_ASSISTANT.replace("name: 'issue", "durability: {},\n  name: 'issue"),
      78,
      /'durability' is not for a specialist/,
    ],
    ['without a default export', 'b.js', 'export const agent = 1;', 78, /no default export/],
    ['of another language', 'c.py', 'print(1)', 2, /ends in \.ts/],
  ])('says on one line of stderr what is wrong with a file %s, and asks nobody', async (_title, file, text, code, says) => {
    if (text !== undefined) machine.write(file, text);
    const endpoint = await startEndpoint([]);
    const run = await ask(endpoint, '--agent-file', file, 'hi');
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
    expect(endpoint.requests).toEqual([]);
  });
});
