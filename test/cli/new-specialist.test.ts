import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { readmeBlock } from '../support/readme.js';
import { runFrost } from '../support/run-frost.js';
import { type TempHome, tempHome } from '../support/temp-home.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Step one of three in README.md: the specialist's file. */
const TRANSLATOR = readmeBlock('// subagents/translator.ts');

let machine: TempHome;

/** A copy of the sources, built, with the new specialist in it. */
beforeAll(() => {
  machine = tempHome();
  for (const part of ['bin', 'build', 'src', 'subagents', 'package.json', 'tsconfig.json']) {
    fs.cpSync(path.join(ROOT, part), path.join(machine.cwd, part), { recursive: true });
  }
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(machine.cwd, 'node_modules'));
  machine.write('subagents/translator.ts', TRANSLATOR);
  const map = path.join(machine.cwd, 'subagents/index.ts');
  const before = fs.readFileSync(map, 'utf8');
  const after = before
    .replace("import { summarizer } from './summarizer.js';", "$&\nimport { translator } from './translator.js';")
    .replace('Summarizer: summarizer', '$&, Translator: translator');
  expect(after.split('\n').length - before.split('\n').length).toBe(1);
  fs.writeFileSync(map, after);
  execFileSync(process.execPath, ['build/build.mjs', '--no-types'], { cwd: machine.cwd });
}, 60_000);

afterAll(async () => {
  await closeEndpoints();
  machine.remove();
});

it('F8: a new specialist, as README.md has it, is one file and one line in the map; its key, its tool description and its dispatch follow', async () => {
  const own = await startEndpoint([{ text: 'Bonjour' }]);
  const main = await startEndpoint([
    { calls: [{ name: 'use_subagent', arguments: { subagent_name: 'Translator', content: 'Hello, in French' } }] },
    { text: 'In French: Bonjour' },
  ]);
  const env = {
    ...machine.env,
    UPSTREAM_ENDPOINT: main.url,
    UPSTREAM_API_KEY: 'sk-main-TEST',
    MODEL_NAME: 'mock',
    TRANSLATOR_ENDPOINT: own.url,
    TRANSLATOR_API_KEY: 'sk-translator-TEST',
  };
  const frost = path.join(machine.cwd, 'bin/frost.js');
  expect(await runFrost(['ask', 'Hello in French?'], { cwd: machine.home, env, frost })).toMatchObject({
    code: 0,
    stdout: 'In French: Bonjour\n',
  });
  expect(JSON.stringify(main.chats[0]?.body?.tools)).toContain('Translator: Translates a text that you paste in; name the language.');
  expect(own.chats[0]?.headers.authorization).toBe('Bearer sk-translator-TEST');
  expect(own.chats[0]?.body?.messages).toEqual([
    { role: 'system', content: expect.stringMatching(/^You translate\./) },
    { role: 'user', content: 'Hello, in French' },
  ]);
}, 30_000);
