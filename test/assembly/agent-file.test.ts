import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAgentFile } from '../../src/assembly/agent-file.js';
import { publicApi } from '../../src/assembly/public-api.js';
import * as entry from '../../src/index.js';
import { defineAgentProfile } from '../../src/profiles/define.js';

/** The second seed's example, as written but for the package's name. */
const SUPPORT_ASSISTANT = `
import { defineAgent, defineAgentProfile } from 'frost-agent';

const issueClassifier = defineAgentProfile({
  name: 'issue_classifier',
  description: 'Classifies support issues for routing.',
  instructions: 'Return the likely product area and urgency for the reported issue.',
});

export default defineAgent(() => ({
  model: 'anthropic/claude-sonnet-4-6',
  instructions: 'Help resolve support requests. Delegate classification when it helps your answer.',
  subagents: [issueClassifier],
}));
`;

let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-agent-file-'));
});

afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const load = (name: string, text: string, visible: Parameters<typeof loadAgentFile>[2] = []) => {
  fs.writeFileSync(path.join(folder, name), text);
  return loadAgentFile(`./${name}`, folder, visible);
};

describe('--agent-file', () => {
  it.each(['support-assistant.ts', 'support-assistant.mts', 'support-assistant.js', 'support-assistant.mjs'])(
    'L2: loads the support assistant from %s, as it is written',
    async (name) => {
      const { definition, file } = await load(name, SUPPORT_ASSISTANT);
      expect(file).toBe(path.join(folder, name));
      expect(definition).toMatchObject({
        model: 'anthropic/claude-sonnet-4-6',
        instructions: 'Help resolve support requests. Delegate classification when it helps your answer.',
        tools: [],
        subagents: [{ name: 'issue_classifier', origin: { level: 'module' } }],
      });
    },
  );

  it('loads TypeScript with types, other files, top-level await and an async function', async () => {
    fs.writeFileSync(path.join(folder, 'tone.ts'), "export enum Tone { Kind = 'kind' }\nexport const tone: Tone = Tone.Kind;");
    const { definition } = await load(
      'agent.ts',
      `import { defineAgent, type AgentDefinitionInput } from 'frost-agent';
       import { tone } from './tone';
       const name: string = await Promise.resolve('helper');
       export default defineAgent(async (): Promise<AgentDefinitionInput> => ({ name, instructions: \`Be \${tone}.\` }));`,
    );
    expect(definition).toMatchObject({ name: 'helper', instructions: 'Be kind.' });
  });

  it.each<[name: string, text: string]>([
    ['plain.cjs', "const { defineAgent } = require('frost-agent'); module.exports = defineAgent({ instructions: 'Help.' });"],
    ['object.js', "export default { instructions: 'Help.' };"],
    ['function.ts', "export default () => ({ instructions: 'Help.' });"],
  ])('loads %s', async (name, text) => {
    expect((await load(name, text)).definition).toMatchObject({ instructions: 'Help.', tools: [], subagents: [] });
  });

  it('loads a Markdown file, with or without front matter', async () => {
    const coder = defineAgentProfile({ name: 'Coder', description: 'Codes.', instructions: 'Code.' });
    const full = await load('agent.md', '---\nmodel: qwen\ntools: Read\nsubagents: Coder\ncolor: red\n---\nHelp.', [coder]);
    expect(full.definition).toMatchObject({ model: 'qwen', tools: ['read_file'], subagents: [coder], instructions: 'Help.' });
    expect(full.problems).toMatchObject([{ line: 5, severity: 'note' }]);
    expect((await load('bare.md', 'Help.\n')).definition).toMatchObject({ instructions: 'Help.' });
  });

  it.each<[name: string, text: string, kind: string, says: RegExp]>([
    ['none.ts', 'export const agent = 1;', 'config', /none\.ts has no default export/],
    ['wrong.ts', 'export default 7;', 'config', /wrong\.ts: defineAgent takes an object/],
    ['syntax.ts', 'export default {', 'config', /syntax\.ts/],
    ['throws.js', "throw new Error('no database');", 'config', /throws\.js: no database/],
    ['missing.js', "import x from 'not-installed-anywhere'; export default x;", 'config', /not-installed-anywhere/],
    [
      'field.ts',
      "import { defineAgent } from 'frost-agent'; export default defineAgent({ modle: 'x' });",
      'config',
      /field\.ts: Agent: .*'model'/,
    ],
    ['agent.py', '', 'usage', /ends in \.ts.*\.md/],
    ['bad.md', '---\nmax_cost: cheap\n---\nHelp.', 'config', /bad\.md:2: 'max_cost'/],
    ['ghost.md', '---\nmodel: x\nsubagents: ghost\n---\nHelp.', 'config', /ghost\.md:3: there is no agent 'ghost'/],
    ['url.md', '---\nendpoint: nowhere\n---\nHelp.', 'config', /url\.md:2: .*http or https/],
  ])('says what is wrong with %s', async (name, text, kind, says) => {
    await expect(load(name, text)).rejects.toMatchObject({ name: 'FrostError', kind, message: expect.stringMatching(says) });
  });

  it('says that a file does not exist', async () => {
    await expect(loadAgentFile('ghost.ts', folder, [])).rejects.toMatchObject({ kind: 'input_missing', exitCode: 66 });
  });

  it("gives a file the same things as the package's entry", () => {
    expect(Object.entries(publicApi).sort()).toEqual(Object.entries(entry).sort());
  });
});
