import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadMarkdownAgents } from '../../src/profiles/markdown.js';
import { type NewAgent, writeNewAgent } from '../../src/profiles/new-agent.js';
import { type TempHome, tempHome } from '../support/temp-home.js';

let machine: TempHome;

beforeEach(() => {
  machine = tempHome();
});

afterEach(() => machine.remove());

describe('a new agent file', () => {
  it.each<[title: string, agent: NewAgent, loaded: object]>([
    ['a name alone', { name: 'helper' }, { name: 'helper', tools: [] }],
    [
      'everything given',
      {
        name: 'reviewer',
        description: 'Reviews: "diffs" # and more',
        model: 'qwen',
        endpoint: 'https://x.example/v1',
        apiKeyEnv: 'MY_KEY',
        tools: ['read_file'],
      },
      {
        description: 'Reviews: "diffs" # and more',
        model: 'qwen',
        endpoint: 'https://x.example/v1',
        apiKeyEnv: 'MY_KEY',
        tools: ['read_file'],
      },
    ],
  ])('with %s loads as it is', async (_title, agent, loaded) => {
    const folder = path.join(machine.cwd, 'deep/agents');
    const file = writeNewAgent(folder, agent);
    expect(file).toBe(path.join(folder, `${agent.name}.md`));
    const { profiles, problems } = await loadMarkdownAgents({ userDir: folder, projectDirs: [], allows: () => false });
    expect(problems).toEqual([]);
    expect(profiles).toMatchObject([loaded]);
  });

  it('never replaces a file', () => {
    const file = machine.write('helper.md', 'mine');
    expect(() => writeNewAgent(machine.cwd, { name: 'helper' })).toThrow(/exists already/);
    expect(fs.readFileSync(file, 'utf8')).toBe('mine');
  });

  it.each<[agent: NewAgent, says: RegExp]>([
    [{ name: '../escape' }, /a letter, then letters/],
    [{ name: 'main' }, /reserved/],
    [{ name: 'a', tools: ['shell'] }, /no built-in tool 'shell'/],
    [{ name: 'a', apiKeyEnv: 'sk-secret-value' }, /name of the variable/],
  ])('is not written for %j', (agent, says) => {
    expect(() => writeNewAgent(machine.cwd, agent)).toThrow(says);
    expect(fs.readdirSync(machine.cwd)).toEqual([]);
  });
});
