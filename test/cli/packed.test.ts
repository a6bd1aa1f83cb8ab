import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type Endpoint, startEndpoint } from '../support/endpoint.js';
import { runFrost } from '../support/run-frost.js';
import { type TempHome, tempHome } from '../support/temp-home.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

let machine: TempHome;
let installed: string;

/** What a package manager leaves: the package's files and nothing of its dependencies. */
beforeEach(() => {
  machine = tempHome();
  installed = path.join(machine.cwd, 'node_modules/frost-agent');
  for (const part of ['bin', 'dist', 'package.json']) fs.cpSync(path.join(ROOT, part), path.join(installed, part), { recursive: true });
});

afterEach(async () => {
  await closeEndpoints();
  machine.remove();
});

const environmentOf = (endpoint: Endpoint) => ({
  ...machine.env,
  UPSTREAM_ENDPOINT: endpoint.url,
  UPSTREAM_API_KEY: 'sk-main-TEST',
  MODEL_NAME: 'mock',
});

describe('the installed package', () => {
  it('gives a program an agent to talk to', async () => {
    const endpoint = await startEndpoint([{ text: 'It is late.' }, { status: 401, body: { error: { message: 'no' } } }]);
    const program = machine.write(
      'program.mjs',
      `import { createAgent, defineAgent, FrostError, RunError } from 'frost-agent';
       const session = createAgent(defineAgent({ instructions: 'Help.' })).session();
       console.log((await session.prompt('Late?')).text);
       await session.prompt('Sure?').catch((error) => console.log(error instanceof RunError, error instanceof FrostError, error.exitCode));
       await session.close();`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env: environmentOf(endpoint), cwd: machine.cwd });
    expect(stdout).toBe('It is late.\ntrue true 77\n');
  });

  it.each(['agent.ts', 'agent.mjs'])('runs %s from a folder that has frost nowhere near', async (name) => {
    const endpoint = await startEndpoint([{ text: 'Hello.' }]);
    fs.writeFileSync(
      path.join(machine.home, name),
      "import { defineAgent } from 'frost-agent';\nexport default defineAgent({ instructions: 'Greet.' });",
    );
    const frost = path.join(installed, 'bin/frost.js');
    const run = await runFrost(['ask', '--agent-file', name, 'hi'], { cwd: machine.home, env: environmentOf(endpoint), frost });
    expect(run).toMatchObject({ code: 0, stdout: 'Hello.\n' });
    expect(endpoint.chats[0]?.body?.messages[0]).toEqual({ role: 'system', content: 'Greet.' });
  });
});
