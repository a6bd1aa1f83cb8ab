import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { CLEARS, chatWith, SIZES } from './support/chat-scene.js';
import { closeTerminals, frostInTerminal } from './support/pty.js';

afterEach(async () => {
  await closeTerminals();
  await closeEndpoints();
});

describe('the first minute', () => {
  it.each(SIZES)('offers ways to start, stores the key for its owner alone, and answers, at %i × %i', async (cols, rows) => {
    const endpoint = await startEndpoint([{ text: 'Good day.' }], 'm1');
    const pty = frostInTerminal([], { cols, rows });
    await pty.waitFor('1.');
    expect(pty.screenText()).toMatch(/demo/);
    await pty.send('1');
    await pty.waitFor('Base URL');
    await pty.send(`${endpoint.url}\r`);
    await pty.waitFor('API key');
    await pty.send('\x1b[200~sk-secret-0123456789\x1b[201~');
    await pty.waitFor('••••');
    await pty.send('\r');
    await pty.waitFor('m1 @');
    const file = path.join(pty.home, '.config/frost/.env');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(file, 'utf8')).toContain('UPSTREAM_API_KEY=sk-secret-0123456789');
    await pty.send('hello\r');
    await pty.waitFor('Good day.');
    expect(endpoint.chats[0]?.headers.authorization).toBe('Bearer sk-secret-0123456789');
    expect(pty.raw()).not.toContain('sk-secret');
    expect(pty.raw()).not.toMatch(CLEARS);
  });

  it('lets the person choose where the endpoint has several models and none is named', async () => {
    const endpoint = await startEndpoint([{ text: 'From the second.' }], 'model-one,model-two');
    const pty = frostInTerminal([], { env: { UPSTREAM_ENDPOINT: endpoint.url, UPSTREAM_API_KEY: 'sk-0123456789' } });
    await pty.waitFor('❯ model-one');
    await pty.send('two');
    await pty.waitFor('❯ model-two');
    await pty.send('\r');
    await pty.waitFor('model-two @');
    await pty.send('hi\r');
    await pty.waitFor('From the second.');
    expect(endpoint.chats[0]?.body?.model).toBe('model-two');
  });

  it('says in one line what is wrong with the settings, and leaves with its exit status', async () => {
    const pty = frostInTerminal([], { env: { UPSTREAM_API_KEY: 'sk-0123456789' } });
    expect((await pty.exit()).code).toBe(78);
    expect(pty.screenText()).toMatch(/^frost: UPSTREAM_API_KEY is set, but UPSTREAM_ENDPOINT is not/);
  });

  it('asks before a folder speaks, and shows what it would change', async () => {
    const endpoint = await startEndpoint([], 'm1');
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-trust-'));
    fs.mkdirSync(path.join(home, 'work'));
    fs.writeFileSync(path.join(home, 'work/.env'), `MODEL_NAME=folder-model\n`);
    const pty = frostInTerminal([], { home, env: { UPSTREAM_ENDPOINT: endpoint.url, UPSTREAM_API_KEY: 'sk-0123456789' } });
    await pty.waitFor('MODEL_NAME = folder-model');
    await pty.send('3');
    await pty.waitFor('folder-model @');
    expect(fs.existsSync(path.join(home, '.state/frost/trust.json'))).toBe(false);
  });
});

describe('/status', () => {
  it('says in the language of the chat whether the folder is trusted', async () => {
    const { pty } = await chatWith({ options: { env: { FROST_LANG: 'zh' } } });
    await pty.send('/status\r');
    await pty.waitFor(/: 没有自己的设置/);
  });
});

describe('limits and notifications', () => {
  it('stops at the limit on turns, says so, and goes on at Enter', async () => {
    const look = { calls: [{ name: 'list_files', arguments: {} }] };
    const { pty, main } = await chatWith({ main: [look, { text: 'All done now.' }], args: ['--max-turns', '1'] });
    await pty.send('look\r');
    await pty.waitFor('Stopped at the limit on turns');
    await pty.send('\r');
    await pty.waitFor('All done now.');
    expect(main.userText(main.chats.length - 1)).toBe('Go on.');
  });

  it('tells whoever looks elsewhere that an answer to a question is needed', async () => {
    const call = { name: 'run_command', arguments: { command: 'rm -r x' } };
    const { pty } = await chatWith({ main: [{ calls: [call] }, { text: 'ok' }] });
    await pty.send(['\x1b[O', 'go\r']);
    await pty.waitFor((terminal) => /\x1b\]9;[^\x07]*run_command\x07/.test(terminal.raw()));
  });

  it('counts down to the next attempt and says why', async () => {
    const busy = { status: 503, body: { error: { message: 'overloaded' } }, headers: { 'retry-after': '2' } };
    const { pty } = await chatWith({ main: [busy, { text: 'At last.' }] });
    await pty.send('hi\r');
    await pty.waitFor(/attempt 2 of \d in [12] s/);
    await pty.waitFor('At last.');
  });

  it('runs a shell line for the model, and one for the person alone', async () => {
    const { pty, main } = await chatWith({ main: [{ text: 'Seen.' }] });
    await pty.send('!!echo secret-of-mine\r');
    await pty.waitFor('✓ !! echo');
    await pty.send('!echo for-the-model\r');
    await pty.waitFor('✓ ! echo');
    await pty.send('what was that?\r');
    await pty.waitFor('Seen.');
    expect(main.userText(0)).toContain('for-the-model');
    expect(main.userText(0)).not.toContain('secret-of-mine');
  });

  it('shows a shell line at work, and stops it on Esc', async () => {
    const { pty } = await chatWith({});
    await pty.send('!sleep 30\r');
    await pty.waitFor(/! sleep 30 · \d s · Esc stops/);
    await pty.send('\x1b');
    await pty.waitFor('✗ ! sleep 30');
  });

  it('puts a mentioned file behind the message', async () => {
    const { pty, main } = await chatWith({ main: [{ text: 'Read.' }] });
    fs.writeFileSync(path.join(pty.cwd, 'notes.txt'), 'the content of the notes');
    await pty.send(['look at @notes', 400, '\t', 100]);
    await pty.waitFor('› look at @notes.txt');
    await pty.send('\r');
    await pty.waitFor('Read.');
    expect(main.userText(0)).toContain('the content of the notes');
  });
});

describe('speaking both languages', () => {
  it('draws the chat in Chinese by the locale, and changes on /lang', async () => {
    const { pty } = await chatWith({ options: { env: { LANG: 'zh_CN.UTF-8' } } });
    await pty.waitFor('向 frost 提问');
    await pty.send('/lang en\r');
    await pty.waitFor('Ask frost');
  });

  it('tells a screen reader who speaks, without animation', async () => {
    const { pty } = await chatWith({ main: [{ text: 'Heard.' }], args: ['--screen-reader'] });
    await pty.send('hi\r');
    await pty.waitFor('Heard.');
    expect(pty.screenText()).toMatch(/You: hi\s+frost:\s+Heard\./);
    expect(pty.raw()).not.toMatch(/[⠋⠙⠹⠸]/);
  });
});
