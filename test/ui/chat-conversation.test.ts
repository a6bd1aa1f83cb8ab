import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints } from '../support/endpoint.js';
import { CLEARS, chatWith, countLines, delegation, SIZES } from './support/chat-scene.js';
import { closeTerminals } from './support/pty.js';

afterEach(async () => {
  await closeTerminals();
  await closeEndpoints();
});

describe('a conversation', () => {
  it('sends a message, streams the answer and keeps the cursor at the prompt', async () => {
    const { pty, main } = await chatWith({ main: [{ text: ['Hello ', '**wor', 'ld**.'] }] });
    await pty.send('你好\r');
    await pty.waitFor('Hello world.');
    expect(main.userText(0)).toBe('你好');
    await pty.waitFor('Ask frost');
    await pty.settled();
    await pty.send('世界');
    await pty.waitFor('› 世界');
    await pty.settled();
    expect(pty.cursor().column).toBe(6);
    expect(pty.screen()[pty.cursor().row]).toBe('› 世界');
  });

  it.each(SIZES)('shows two specialists at work with model, host, time and cost, and their end, at %i × %i', async (cols, rows) => {
    const { pty } = await chatWith({
      main: [delegation('first', 'second'), { text: 'Both are done.' }],
      coder: [
        { text: 'one', delayMs: 1200, usage: { prompt_tokens: 100, completion_tokens: 20 } },
        { text: 'two', delayMs: 1200, usage: { prompt_tokens: 100, completion_tokens: 20 } },
      ],
      options: { cols, rows },
    });
    await pty.send('do both\r');
    await pty.waitFor(cols < 60 ? 'Coder · small @' : /Coder · waiting for the model.*small @/s);
    await pty.waitFor('2 specialists at work');
    await pty.waitFor('Both are done.');
    await pty.settled();
    const lines = pty.logicalLines();
    expect(lines.filter((line) => /✓ Coder · small @/.test(line))).toHaveLength(2);
    expect(lines.join('\n')).toMatch(/120 tokens · cost unknown/);
    expect(pty.raw()).not.toMatch(CLEARS);
  });

  it('opens a specialist’s transcript on a key, while it runs and after', async () => {
    const { pty } = await chatWith({
      main: [delegation('write a poem'), { text: 'Done.' }],
      coder: [{ text: ['roses are red\n\n', 'violets are blue'], paceMs: 500 }],
    });
    await pty.send('go\r');
    await pty.waitFor('Coder ·');
    await pty.send('\x0f');
    await pty.waitFor('roses are red');
    await pty.waitFor('· done');
    await pty.send('\x1b');
    await pty.waitFor('Ask frost');
    expect(pty.screenText()).not.toContain('violets');
  });

  it('stops the turn and every specialist on Esc, closes their sockets, and goes on', async () => {
    const { pty, coder } = await chatWith({
      main: [delegation('wait', 'wait too'), { text: 'Still here.' }],
      coder: [{ end: 'hang' }, { end: 'hang' }],
    });
    await pty.send('go\r');
    await coder.waitForChats(2);
    await pty.send('\x1b');
    await pty.waitFor('Stopped.');
    await expect.poll(() => coder.chats.filter(({ abortedAt }) => abortedAt).length).toBe(2);
    await pty.send('again\r');
    await pty.waitFor('Still here.');
  });

  it('stops one specialist on a key and lets the other finish', async () => {
    const { pty, coder } = await chatWith({
      main: [delegation('hang'), { text: 'Went on without it.' }],
      coder: [{ end: 'hang' }],
    });
    await pty.send('go\r');
    await coder.waitForChats(1);
    await pty.send('\x18');
    await pty.waitFor('Went on without it.');
    expect(pty.logicalLines().join('\n')).toMatch(/■ Coder/);
  });

  it('speaks straight to a specialist with @', async () => {
    const { pty, main, coder } = await chatWith({ coder: [{ text: 'Me, directly.' }] });
    await pty.send('@Coder hello there\r');
    await pty.waitFor('Me, directly.');
    expect(main.chats).toHaveLength(0);
    expect(coder.userText(0)).toBe('hello there');
  });

  it('steers with Enter, queues with Tab, and takes back with Up', async () => {
    const { pty, main } = await chatWith({
      main: [{ text: ['working', ' on it'], paceMs: 700 }, { text: 'Next answer.' }],
    });
    await pty.send('start\r');
    await pty.waitFor('working');
    await pty.send(['queued text', 50, '\t']);
    await pty.waitFor('› queued text (queued)');
    await pty.send('\x1b[A');
    await pty.waitFor((terminal) => terminal.screen().includes('› queued text'));
    await pty.send('\t');
    await pty.waitFor('Next answer.');
    expect(main.userText(1)).toBe('queued text');
  });

  it('begins nothing by itself after Esc: what was on its way stands in the prompt again', async () => {
    const { pty, main } = await chatWith({ main: [{ text: ['working', ' on it'], end: 'hang' }, { text: 'Next answer.' }] });
    await pty.send('start\r');
    await pty.waitFor('working');
    await pty.send(['steers', 50, '\r', 50, 'queued', 50, '\t']);
    await pty.waitFor('› queued (queued)');
    await pty.send('\x1b');
    await pty.waitFor('Stopped.');
    await pty.waitFor('› steers');
    await pty.settled();
    expect(main.chats).toHaveLength(1);
    await pty.send('\r');
    await pty.waitFor('Next answer.');
    expect(main.userText(1)).toBe('steers\nqueued');
  });

  it('goes back only to what the person wrote, not to what frost asked the model by itself', async () => {
    const { pty, main } = await chatWith({
      main: [{ calls: [{ name: 'list_files', arguments: { path: '.' } }] }, { text: '' }, { text: 'Here it is.' }],
    });
    await pty.send('look around\r');
    await pty.waitFor('Here it is.');
    expect(main.chats).toHaveLength(3);
    await pty.send('/rewind\r');
    await pty.waitFor('Go back to before which message?');
    await pty.waitFor('❯ look around');
    expect(pty.screenText()).not.toContain('Your last reply');
  });

  it('puts what is sent while a tool runs in after it, in the same turn', async () => {
    const call = { name: 'run_command', arguments: { command: 'sleep 1.5' } };
    const { pty, main } = await chatWith({
      main: [{ calls: [call] }, { text: 'Shorter, then.' }],
      args: ['--permission', 'full', '--yes-full'],
    });
    await pty.send('go\r');
    await pty.waitFor('run_command');
    await pty.send('make it short\r');
    await pty.waitFor('› make it short (goes in after');
    await pty.waitFor('Shorter, then.');
    expect(main.userText(1)).toBe('make it short');
    expect(countLines(pty, '› make it short (sent while working)')).toBe(1);
  });

  it('shows the transcript of a specialist of an earlier run of the session', async () => {
    const first = await chatWith({ main: [delegation('write a poem'), { text: 'Done.' }], coder: [{ text: 'roses are red' }] });
    await first.pty.send('go\r');
    await first.pty.waitFor('Done.');
    await first.pty.send('\x04');
    await first.pty.exit();
    const { pty } = await chatWith({ args: ['-c'], options: { home: first.pty.home } });
    await pty.waitFor('Done.');
    await pty.send('/agent Coder\r');
    await pty.waitFor('roses are red');
    expect(pty.screenText()).toContain('› write a poem');
  });

  it('asks before a command runs, says what, and passes a no with its reason to the model', async () => {
    const call = { name: 'run_command', arguments: { command: 'touch made-by-frost' } };
    const { pty, main } = await chatWith({ main: [{ calls: [call] }, { text: 'I left it.' }] });
    await pty.send('make it\r');
    await pty.waitFor('touch made-by-frost');
    await pty.waitFor('no, and say why');
    await new Promise((resolve) => setTimeout(resolve, 700));
    await pty.send('n');
    await pty.waitFor('Why not?');
    await pty.send('not here\r');
    await pty.waitFor('I left it.');
    expect(JSON.stringify(main.chats[1]?.body?.messages)).toContain('not here');
    expect(fs.existsSync(path.join(pty.cwd, 'made-by-frost'))).toBe(false);
  });

  it('writes a file after a yes, shows the diff, and takes it back on /undo', async () => {
    const call = { name: 'write_file', arguments: { path: 'new.txt', content: 'first line\nsecond line\n' } };
    const { pty } = await chatWith({ main: [{ calls: [call] }, { text: 'Written.' }] });
    await pty.send('write\r');
    await pty.waitFor('+second line');
    await new Promise((resolve) => setTimeout(resolve, 700));
    await pty.send('y');
    await pty.waitFor('Written.');
    const file = path.join(pty.cwd, 'new.txt');
    expect(fs.readFileSync(file, 'utf8')).toBe('first line\nsecond line\n');
    await pty.send('/undo\r');
    await pty.waitFor('Taken back');
    expect(fs.existsSync(file)).toBe(false);
  });

  it('says why a turn failed, in one place, and stays usable', async () => {
    const { pty } = await chatWith({ main: [{ status: 401, body: { error: { message: 'bad key' } } }, { text: 'Better now.' }] });
    await pty.send('hi\r');
    await pty.waitFor('The turn failed');
    expect(pty.screenText()).toContain('UPSTREAM_API_KEY');
    await pty.send('again\r');
    await pty.waitFor('Better now.');
  });

  it('rewinds to before a message, and the next request is without it', async () => {
    const { pty, main } = await chatWith({ main: [{ text: 'one.' }, { text: 'two.' }, { text: 'three.' }] });
    await pty.send('first question\r');
    await pty.waitFor('one.');
    await pty.send('second question\r');
    await pty.waitFor('two.');
    await pty.send('/rewind\r');
    await pty.waitFor('Go back to before');
    await pty.send('\r');
    await pty.waitFor('Back to before');
    await pty.send('\x15third question\r');
    await pty.waitFor('three.');
    const said = JSON.stringify(main.chats[2]?.body?.messages);
    expect(said).toContain('first question');
    expect(said).not.toContain('second question');
  });

  it('goes on with a session: -c, -s and --resume', async () => {
    const scene = await chatWith({ main: [{ text: 'remember me.' }] });
    await scene.pty.send('a word to keep\r');
    await scene.pty.waitFor('remember me.');
    await scene.pty.send('\x04');
    await scene.pty.exit();
    const [, id = ''] = /frost -s (\S+)/.exec(scene.pty.screenText()) ?? [];
    for (const args of [['-c'], ['-s', id]]) {
      const answer = `opened with ${args[0]}`;
      const { pty, main } = await chatWith({ main: [{ text: answer }], args, options: { home: scene.pty.home } });
      await pty.waitFor('remember me.');
      await pty.send('still there?\r');
      await pty.waitFor(answer);
      expect(JSON.stringify(main.chats[0]?.body?.messages)).toContain('a word to keep');
      await pty.send('\x04');
      await pty.exit();
    }
    const { pty } = await chatWith({ args: ['--resume'], options: { home: scene.pty.home } });
    await pty.waitFor('Which session?');
    await pty.send('word to');
    await pty.waitFor('❯ a word to keep');
    await pty.send('\r');
    await pty.waitFor('remember me.');
  });
});
