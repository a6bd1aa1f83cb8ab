import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { readmeBlock } from '../support/readme.js';
import { closeTerminals, frostInTerminal } from './support/pty.js';

afterEach(async () => {
  await closeTerminals();
  await closeEndpoints();
});

const freshHome = () => fs.mkdtempSync(path.join(os.tmpdir(), 'frost-home-'));

describe('agents of files in the chat', () => {
  it('L1 L2 L3 L4: the support assistant of README.md runs as the main agent, and its specialist is shown at work', async () => {
    const endpoint = await startEndpoint([
      { calls: [{ name: 'use_subagent', arguments: { subagent_name: 'issue_classifier', content: 'Invoice is wrong' } }] },
      { text: 'area: billing', delayMs: 800 },
      { text: 'It is a billing matter.' },
    ]);
    const home = freshHome();
    const file = path.join(home, 'support-assistant.ts');
    fs.writeFileSync(file, readmeBlock('// support-assistant.ts'));
    const env = { UPSTREAM_ENDPOINT: endpoint.url, UPSTREAM_API_KEY: 'sk-main-0123456789', MODEL_NAME: 'from-settings' };
    const pty = frostInTerminal(['--agent-file', file], { home, env, cols: 100 });
    await pty.waitFor('anthropic/claude-sonnet-4-6 @');
    await pty.send('My invoice is wrong\r');
    await pty.waitFor('issue_classifier');
    await pty.waitFor('It is a billing matter.');
    expect(endpoint.chats.map(({ body }) => body?.messages[0]?.content)).toEqual([
      expect.stringContaining('Help resolve support requests.'),
      'Return the likely product area and urgency for the reported issue.',
      expect.stringContaining('Help resolve support requests.'),
    ]);
  });

  it('a Markdown agent that is written while the chat runs can be called in the next turn, at its own endpoint', async () => {
    const [main, own] = await Promise.all([startEndpoint([{ text: 'Hello.' }], 'big'), startEndpoint([{ text: 'SELECT 1;' }], 'small')]);
    const home = freshHome();
    const env = {
      UPSTREAM_ENDPOINT: main.url,
      UPSTREAM_API_KEY: 'sk-main-0123456789',
      MODEL_NAME: 'big',
      SQL_API_KEY: 'sk-sql-0123456789',
    };
    const pty = frostInTerminal([], { home, env, cols: 100 });
    await pty.waitFor('big @');
    await pty.send('hi\r');
    await pty.waitFor('Hello.');
    const folder = path.join(home, '.config/frost/agents');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(
      path.join(folder, 'sql.md'),
      `---\nname: sql\ndescription: Writes SQL.\nendpoint: ${own.url}\nmodel: small\n---\nWrite SQL.`,
    );
    await pty.send('@sql one, please\r');
    await pty.waitFor('SELECT 1;');
    expect(own.chats[0]?.headers.authorization).toBe('Bearer sk-sql-0123456789');
    expect(own.chats[0]?.body?.messages.at(-1)).toEqual({ role: 'user', content: 'one, please' });
    expect(main.chats).toHaveLength(1);
  });
});
