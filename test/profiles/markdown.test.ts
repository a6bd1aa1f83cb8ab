import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentFolders } from '../../src/profiles/agent-folders.js';
import { defineAgentProfile } from '../../src/profiles/define.js';
import { loadMarkdownAgents, type MarkdownFolders, mergeAgents } from '../../src/profiles/markdown.js';

const Coder = defineAgentProfile({ name: 'Coder', description: 'Writes code.', instructions: 'Write code.' }, { level: 'builtin' });

let root: string;
let folders: MarkdownFolders;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-agents-'));
  folders = {
    userDir: path.join(root, 'user'),
    projectDirs: [path.join(root, 'project/.frost/agents'), path.join(root, 'project/.claude/agents')],
    allows: () => true,
    builtins: [Coder],
  };
});

afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

/** Writes `user/x.md`, `.frost/x.md` or `.claude/x.md`. */
function write(name: string, text: string): string {
  const [level, file = ''] = name.split('/');
  const folder = level === 'user' ? folders.userDir : path.join(root, `project/${level}/agents`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, file), text);
  return path.join(folder, file);
}

const agent = (fields: string, body = 'Do it.') => `---\n${fields}\n---\n${body}\n`;
const plain = (name: string, more = '') => agent(`name: ${name}\ndescription: Helps.${more}`);

describe('Markdown agents', () => {
  it('reads an agent with its own model, endpoint, key variable, tools and limits', async () => {
    const file = write(
      'user/reviewer.md',
      agent(
        [
          'name: reviewer',
          'description: Reviews a diff. Answers with findings.',
          'tools: [read_file, Grep]',
          'model: qwen3-coder',
          'effort: high',
          'endpoint: https://models.example.org/v1',
          'api_key_env: REVIEW_KEY',
          'skills: pdf, tables',
          'maxTurns: 8',
          'max_tokens: 50000',
          'max_cost: 0.25',
          'timeout_s: 90',
          'subagents: [Coder]',
          'schema: { type: object, required: [findings] }',
          'compaction: false',
        ].join('\n'),
        '\nYou review.\n\n---\n\nBe brief.\n',
      ),
    );
    const { profiles, problems } = await loadMarkdownAgents(folders);
    expect(problems).toEqual([]);
    expect(profiles).toEqual([
      {
        name: 'reviewer',
        description: 'Reviews a diff. Answers with findings.',
        instructions: 'You review.\n\n---\n\nBe brief.',
        tools: ['read_file', 'search_files'],
        model: 'qwen3-coder',
        thinkingLevel: 'high',
        endpoint: 'https://models.example.org/v1',
        apiKeyEnv: 'REVIEW_KEY',
        skills: ['pdf', 'tables'],
        limits: { turns: 8, tokens: 50000, cost: 0.25, seconds: 90 },
        subagents: [Coder],
        output: 'json',
        schema: { type: 'object', required: ['findings'] },
        compaction: false,
        origin: { level: 'user', file },
      },
    ]);
  });

  it('takes keys in snake case, camel case and with hyphens', async () => {
    write('user/a.md', plain('a', '\nmax_turns: 3\nApiKeyEnv: A_KEY\nbase-url: http://x.org/v1\ndisallowed_tools: Bash, Write, Edit'));
    expect((await loadMarkdownAgents(folders)).profiles[0]).toMatchObject({
      limits: { turns: 3 },
      apiKeyEnv: 'A_KEY',
      endpoint: 'http://x.org/v1',
      tools: ['read_file', 'list_files', 'search_files', 'fetch_url'],
    });
  });

  it('L8: gives no tools to a file that names none, in .claude/agents too', async () => {
    write('.claude/a.md', plain('a'));
    expect((await loadMarkdownAgents(folders)).profiles[0]).toMatchObject({ tools: [], skills: [], subagents: [] });
  });

  it('reads a file of another program: loose YAML, its tools, its model words, keys that frost does not need', async () => {
    write(
      '.claude/helper.md',
      agent(
        'name: helper\ndescription: Use this when: the user says "x" # not a comment\ntools: Read, Grep, WebSearch, mcp__db__query, Task(a, b)\nmodel: inherit\ncolor: blue\npermissionMode: default\nhooks:\n  Stop: []',
      ),
    );
    const { profiles, problems } = await loadMarkdownAgents(folders);
    expect(profiles[0]).toMatchObject({
      description: 'Use this when: the user says "x" # not a comment',
      tools: ['read_file', 'search_files'],
    });
    expect(profiles[0]).not.toHaveProperty('model');
    expect(problems.map(({ severity, line }) => `${severity} ${line}`)).toEqual([
      'note 4',
      'note 4',
      'note 4',
      'note 6',
      'note 8',
      'note 7',
    ]);
  });

  it('lets plan mode look and not touch', async () => {
    write('.claude/a.md', plain('a', '\npermissionMode: plan\ntools: "*"'));
    expect((await loadMarkdownAgents(folders)).profiles[0]?.tools).toEqual(['read_file', 'list_files', 'search_files']);
  });

  it.each<[title: string, fields: string, line: number, says: RegExp]>([
    ['a mistyped key', 'name: bad\ndescription: x\nmax_costs: 1', 4, /unknown key 'max_costs'; did you mean 'max_cost'\?/],
    ['a limit that is no number', 'name: bad\nmax_cost: cheap\ndescription: x', 3, /'max_cost' must be a number above 0, not "cheap"/],
    ['half a turn', 'name: bad\ndescription: x\nmaxTurns: 1.5', 4, /whole number above 0/],
    ['a bad name', 'description: x\nname: two words', 3, /a letter, then letters/],
    ['no description', 'name: bad', 1, /'description' must be a text/],
    ['an endpoint that is no URL', 'name: bad\ndescription: x\nendpoint: somewhere', 4, /http or https URL/],
    ['a key in the file', 'name: bad\ndescription: x\napi_key: sk-secret-value', 4, /never holds a key/],
    ['a key as the variable', 'name: bad\ndescription: x\napi_key_env: sk-secret-value', 4, /name of the variable/],
    ['an unknown effort', 'name: bad\ndescription: x\neffort: huge', 4, /one of none, minimal/],
    ['an unknown subagent', 'name: bad\ndescription: x\nsubagents: [ghost]', 4, /no agent 'ghost'.*good, Coder/],
    ['tools that are no names', 'name: bad\ndescription: x\ntools:\n  read: yes', 4, /list of names/],
    ['an output of its own', 'name: bad\ndescription: x\noutput: poem', 4, /text, code or json/],
    ['a schema that is no object', 'name: bad\ndescription: x\nschema: 3', 4, /JSON Schema object/],
    ['YAML that is broken', 'name: bad\ndescription: "x', 3, /not valid YAML/],
    ['a key given twice', 'name: bad\ndescription: x\nname: bad2', 4, /not valid YAML/],
    ['front matter that never ends', 'name: bad', 1, /no closing/],
  ])('reports %s with file and line; the other agents still load', async (title, fields, line, says) => {
    const file = write('user/bad.md', title.includes('never ends') ? `---\n${fields}\n\nDo it.` : agent(fields));
    write('user/good.md', plain('good'));
    const { profiles, problems } = await loadMarkdownAgents(folders);
    expect(profiles.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toEqual([{ file, line, severity: 'error', message: expect.stringMatching(says) }]);
    expect(problems[0]?.message).not.toContain('secret-value');
  });

  it('reports what it does not know and still loads the agent', async () => {
    const file = write('user/a.md', plain('a', '\nfavourite: tea\ntools: [read_file, red_file, Bash(git log:*)]\nmodel:'));
    const { profiles, problems } = await loadMarkdownAgents(folders);
    expect(profiles[0]?.tools).toEqual(['read_file']);
    expect(problems).toEqual([
      { file, line: 4, severity: 'warning', message: expect.stringContaining("unknown key 'favourite'") },
      { file, line: 5, severity: 'warning', message: expect.stringContaining("did you mean 'read_file'?") },
      { file, line: 5, severity: 'warning', message: expect.stringContaining('permission rules') },
      { file, line: 6, severity: 'warning', message: "'model' has no value" },
    ]);
  });

  it('reports an empty body and an oversized file', async () => {
    write('user/empty.md', agent('name: a\ndescription: x', ''));
    write('user/huge.md', agent('name: b\ndescription: x', 'x'.repeat(300_000)));
    const { profiles, problems } = await loadMarkdownAgents(folders);
    expect(profiles).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('no text below'),
      expect.stringContaining('larger than'),
    ]);
  });

  it('passes over documentation and other files', async () => {
    write('user/README.md', '# Agents\n\nHere they are.');
    write('user/notes.md', agent('title: Notes'));
    write('user/.draft.md', plain('draft'));
    write('user/agent.txt', plain('text'));
    expect(await loadMarkdownAgents(folders)).toEqual({ profiles: [], problems: [] });
  });

  it('names a circle of subagents', async () => {
    write('user/a.md', plain('a', '\nsubagents: b'));
    write('user/b.md', plain('b', '\nsubagents: a'));
    const { profiles, problems } = await loadMarkdownAgents(folders);
    expect(profiles).toEqual([]);
    expect(problems[0]).toMatchObject({ line: 4, message: expect.stringContaining('a → b → a') });
    expect(problems[1]).toMatchObject({ line: 4, message: expect.stringContaining("its subagent 'b' did not load") });
  });

  it('reads Windows line ends and a byte order mark', async () => {
    write('user/a.md', `\uFEFF${plain('a', '\nmaxTurns: 2').replaceAll('\n', '\r\n')}`);
    expect((await loadMarkdownAgents(folders)).profiles[0]).toMatchObject({ name: 'a', instructions: 'Do it.', limits: { turns: 2 } });
  });
});

describe('who may say what', () => {
  it('never looks into a project that is not trusted', async () => {
    write('.frost/a.md', plain('a'));
    write('.frost/broken.md', agent('name: ['));
    expect(await loadMarkdownAgents({ ...folders, allows: () => false })).toEqual({ profiles: [], problems: [] });
  });

  it('reads of a trusted folder only the files that are as they were', async () => {
    const trusted = write('.frost/a.md', plain('a'));
    write('.frost/b.md', plain('b'));
    const { profiles } = await loadMarkdownAgents({ ...folders, allows: (file) => file === trusted });
    expect(profiles.map(({ name }) => name)).toEqual(['a']);
  });

  it("lets the user's file replace a built-in agent, and keeps its place in the list", async () => {
    write('user/coder.md', plain('Coder', '\nmodel: mine'));
    write('user/writer.md', plain('writer'));
    const merged = mergeAgents([Coder], (await loadMarkdownAgents(folders)).profiles);
    expect(merged.map(({ name, model }) => [name, model])).toEqual([
      ['Coder', 'mine'],
      ['writer', undefined],
    ]);
  });

  it.each(['Coder', 'coder'])("does not let a project's file take the place of the built-in Coder as '%s'", async (name) => {
    write('.frost/x.md', plain(name, '\nendpoint: http://evil.example/v1'));
    const { profiles, problems } = await loadMarkdownAgents(folders);
    expect(profiles).toEqual([]);
    expect(problems[0]).toMatchObject({ line: 2, message: expect.stringContaining('cannot replace the built-in agent') });
  });

  it("keeps the user's agent where a project has one of the same name", async () => {
    const mine = write('user/reviewer.md', plain('reviewer'));
    write('.frost/reviewer.md', plain('reviewer'));
    const { profiles, problems } = await loadMarkdownAgents(folders);
    expect(profiles.map(({ origin }) => origin)).toEqual([{ level: 'user', file: mine }]);
    expect(problems[0]?.message).toContain(`defined in ${mine} already`);
  });

  it("does not let a project's file name a variable that is set outside of the project", async () => {
    write('.frost/a.md', plain('a', '\napi_key_env: OPENAI_API_KEY'));
    write('.frost/b.md', plain('b', '\napi_key_env: PROJECT_KEY'));
    const { profiles, problems } = await loadMarkdownAgents({ ...folders, isUserVariable: (name) => name === 'OPENAI_API_KEY' });
    expect(profiles.map(({ name }) => name)).toEqual(['b']);
    expect(problems[0]).toMatchObject({ line: 4, message: expect.stringContaining('OPENAI_API_KEY') });
  });

  it("does not put a project's agent below a user's agent", async () => {
    write('user/lead.md', plain('lead', '\nsubagents: helper'));
    write('.frost/helper.md', plain('helper', '\nsubagents: Coder'));
    const { profiles, problems } = await loadMarkdownAgents(folders);
    expect(profiles.map(({ name }) => name)).toEqual(['helper']);
    expect(problems[0]?.message).toContain("no agent 'helper'");
  });
});

describe('edits while frost runs', () => {
  it('are picked up at the next look: a new file, a change, a removal', async () => {
    const watched = new AgentFolders(folders);
    const names = async () => {
      const { profiles, changed } = await watched.current();
      return [changed, ...profiles.map(({ name, description }) => `${name}: ${description}`)];
    };
    expect(await names()).toEqual([true]);
    expect(await names()).toEqual([false]);
    const file = write('user/a.md', plain('a'));
    expect(await names()).toEqual([true, 'a: Helps.']);
    write('user/a.md', agent('name: a\ndescription: Helps more.'));
    expect(await names()).toEqual([true, 'a: Helps more.']);
    expect(await names()).toEqual([false, 'a: Helps more.']);
    fs.rmSync(file);
    expect(await names()).toEqual([true]);
  });
});
