import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type Reply, startEndpoint } from '../support/endpoint.js';
import { closeTerminals, frostInTerminal, type Pty, type PtyOptions, runInTerminal } from './support/pty.js';

afterEach(async () => {
  await closeTerminals();
  await closeEndpoints();
});

const CLEARS = /\x1b\[[23]J/;
const SIZES = [
  [80, 24],
  [40, 10],
  [200, 60],
] as const;

interface Scene {
  main?: Reply[];
  coder?: Reply[];
  args?: string[];
  options?: PtyOptions;
}

/** The chat against scripted endpoints for the main agent and Coder. */
async function chatWith({ main = [], coder = [], args = [], options = {} }: Scene) {
  const [mainEndpoint, coderEndpoint] = await Promise.all([startEndpoint(main, 'big'), startEndpoint(coder, 'small')]);
  const env = {
    UPSTREAM_ENDPOINT: mainEndpoint.url,
    UPSTREAM_API_KEY: 'sk-main-0123456789',
    MODEL_NAME: 'big',
    CODER_ENDPOINT: coderEndpoint.url,
    CODER_API_KEY: 'sk-coder-0123456789',
    CODER_MODEL: 'small',
    TERM_PROGRAM: 'vscode',
    ...options.env,
  };
  const pty = frostInTerminal(args, { ...options, env });
  await pty.waitFor('big @');
  return { pty, main: mainEndpoint, coder: coderEndpoint };
}

const delegation = (...tasks: string[]): Reply => ({
  calls: tasks.map((content, at) => ({ id: `call_${at}`, name: 'use_subagent', arguments: { subagent_name: 'Coder', content } })),
});

/** How often a line stands in everything that was ever on the screen. */
const countLines = (pty: Pty, text: string) => pty.logicalLines().filter((line) => line.includes(text)).length;

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

  it('asks before a folder speaks, and shows what it would change', async () => {
    const endpoint = await startEndpoint([], 'm1');
    const home = fs.mkdtempSync('/tmp/frost-trust-');
    fs.mkdirSync(path.join(home, 'work'));
    fs.writeFileSync(path.join(home, 'work/.env'), `MODEL_NAME=folder-model\n`);
    const pty = frostInTerminal([], { home, env: { UPSTREAM_ENDPOINT: endpoint.url, UPSTREAM_API_KEY: 'sk-0123456789' } });
    await pty.waitFor('MODEL_NAME = folder-model');
    await pty.send('3');
    await pty.waitFor('folder-model @');
    expect(fs.existsSync(path.join(home, '.state/frost/trust.json'))).toBe(false);
  });
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

describe('the terminal', () => {
  it('gets at most four times the bytes of a burst of 2,000 chunks, no clear, and each line once', async () => {
    const lines = Array.from({ length: 400 }, (_, at) => `line ${at} of an answer that came in a burst of chunks`);
    const text = lines.flatMap((line) => [...(`${line}\n`.match(/.{1,11}|\n/gs) ?? [])]);
    const { pty } = await chatWith({ main: [{ text }] });
    const before = pty.raw().length;
    await pty.send('burst\r');
    await pty.waitFor('line 399');
    await pty.waitFor('Ask frost');
    await pty.settled();
    const bytes = Buffer.byteLength(pty.raw().slice(before));
    expect(text.length).toBeGreaterThanOrEqual(2000);
    expect(bytes).toBeLessThan(4 * Buffer.byteLength(lines.join('\n')));
    expect(pty.raw()).not.toMatch(CLEARS);
    for (const line of [0, 57, 200, 399]) expect(countLines(pty, `line ${line} of`)).toBe(1);
  });

  it('gets at most eight times the bytes of an answer paced at a word each 10 ms', async () => {
    const words = Array.from({ length: 300 }, (_, at) => `${['alpha', 'beta', 'gamma', 'delta'][at % 4]} `);
    const { pty } = await chatWith({ main: [{ text: words, paceMs: 10 }] });
    const before = pty.raw().length;
    await pty.send('slowly\r');
    await pty.waitFor((terminal) => /delta\s*$/m.test(terminal.screenText()) && terminal.screenText().includes('Ask frost'), 20_000);
    await pty.settled();
    const bytes = Buffer.byteLength(pty.raw().slice(before));
    expect(bytes).toBeLessThan(8 * Buffer.byteLength(words.join('')));
    expect(pty.raw()).not.toMatch(CLEARS);
  });

  it('U06: keeps every answer once while its window changes size, down to 8 × 5, also while one streams', async () => {
    const filler = 'lorem ipsum '.repeat(20);
    const { pty } = await chatWith({
      main: [{ text: `ANSWER-ONE ${filler}` }, { text: ['ANSWER-TWO ', ...filler.split(/(?<= )/)], paceMs: 40 }, { text: 'ANSWER-THREE' }],
      options: { cols: 100, rows: 30 },
    });
    await pty.send('one\r');
    await pty.waitFor('ANSWER-ONE');
    await pty.send('two\r');
    await pty.waitFor('ANSWER-TWO');
    for (const [cols, rows] of [
      [60, 30],
      [100, 30],
      [30, 10],
      [8, 5],
      [100, 30],
    ] as const) {
      pty.resize(cols, rows);
      await pty.settled(200);
    }
    await pty.send('three\r');
    await pty.waitFor('ANSWER-THREE');
    await pty.settled();
    for (const answer of ['ANSWER-ONE', 'ANSWER-TWO', 'ANSWER-THREE']) expect(countLines(pty, answer), answer).toBe(1);
    expect(pty.raw()).not.toMatch(/\x1b\[3J/);
  });

  it('U07: leaves what stood there before, and the whole answer stands in the scrollback once', async () => {
    const rows = Array.from({ length: 200 }, (_, at) => `row ${at} of the streamed answer\n`);
    const { pty } = await chatWith({ main: [{ text: rows, paceMs: 3 }] });
    await pty.send('long\r');
    await pty.waitFor('row 199');
    await pty.settled();
    expect(countLines(pty, 'big @')).toBeGreaterThan(0);
    for (let row = 0; row < 200; row += 1) expect(countLines(pty, `row ${row} of`), `row ${row}`).toBe(1);
    expect(pty.raw()).not.toMatch(CLEARS);
  });

  it('U09: gets nothing of the model, a tool or an error but visible text', async () => {
    const evil =
      'A\x1b]0;pwned\x07B\x1b]52;c;aGFja2Vk\x07C\x1b]8;;http://evil.test\x07link\x1b]8;;\x07D\x1b[2J\x1b[1;1HE\x1b[31mred\rOVER\x9b2JF\u202egnp.exe';
    const { pty } = await chatWith({
      main: [
        { text: ['A\x1b', ']52;c;aGFja2Vk\x07Bcut'], calls: [{ name: `use_subagent`, arguments: { subagent_name: evil, content: evil } }] },
        { calls: [{ name: evil, arguments: {} }] },
        delegation(evil),
        { text: `${evil}\n\n\`\`\`${evil}\n${evil}\n\`\`\`\n` },
        { status: 400, body: { error: { message: evil } } },
      ],
      coder: [{ text: evil, calls: [{ name: 'send_message', arguments: { text: evil } }] }, { text: evil }],
    });
    await pty.send('x\r');
    await pty.waitFor('gnp.exe');
    await pty.waitFor('Ask frost');
    await pty.send('y\r');
    await pty.waitFor('The turn failed');
    const raw = pty.raw();
    for (const sign of ['\x1b]0;pwned', '\x1b]52', '\x1b]8;;http://evil', '\x1b[2J', '\x1b[1;1H', '\x9b', '\u202e', '\x1b[31mred'])
      expect(raw.includes(sign), JSON.stringify(sign)).toBe(false);
    expect(raw).toMatch(/Bcut/);
  });

  it('U11: shows code that can be copied: from the first column, unbroken, with nothing beside it', async () => {
    const url = 'curl https://example.test/a/very/long/path/that/is/longer/than/sixty/columns/index.html';
    const code = `cat > f.txt <<'EOF'\n  two\nEOF\n${url}`;
    const { pty } = await chatWith({ main: [{ text: `Run:\n\n\`\`\`sh\n${code}\n\`\`\`\n` }], options: { cols: 60, rows: 30 } });
    await pty.send('x\r');
    await pty.waitFor('index.html');
    await pty.waitFor('Ask frost');
    await pty.settled();
    const lines = pty.logicalLines();
    for (const line of code.split('\n')) expect(lines).toContain(line);
  });

  it('draws in a real terminal where CI is set', async () => {
    const { pty } = await chatWith({ main: [{ text: 'fine.' }], options: { env: { CI: '1' } } });
    await pty.send('hi\r');
    await pty.waitFor('fine.');
  });

  it('goes line by line where the terminal cannot move its cursor', async () => {
    const endpoint = await startEndpoint([{ text: 'plain answer' }], 'm1');
    const env = { UPSTREAM_ENDPOINT: endpoint.url, UPSTREAM_API_KEY: 'sk-0123456789' };
    const pty = runInTerminal('env', ['TERM=dumb', process.execPath, path.resolve('bin/frost.js')], { env });
    await pty.waitFor('>');
    await pty.send('hi\r');
    await pty.waitFor('plain answer');
    expect(pty.raw()).not.toContain('\x1b[');
    await pty.send('\r');
    expect((await pty.exit()).code).toBe(0);
  });

  it('opens a session of 10,000 messages and shows its end', async () => {
    const scene = await chatWith({ main: [{ text: 'seed.' }] });
    await scene.pty.send('begin\r');
    await scene.pty.waitFor('seed.');
    await scene.pty.send('\x04');
    await scene.pty.exit();
    const folder = path.join(scene.pty.home, '.state/frost/sessions');
    const [name = ''] = fs.readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
    const file = path.join(folder, name);
    const messages = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
    let parent = (JSON.parse(messages.at(-1) ?? '{}') as { id: string }).id;
    const more = Array.from({ length: 10_000 }, (_, at) => {
      const id = `m${at}`.padStart(12, '0');
      const message = at % 2 === 0 ? { role: 'user', content: `question ${at}` } : { role: 'assistant', content: `answer ${at}` };
      const line = JSON.stringify({ type: 'message', id, parent, ts: at + 1, message });
      parent = id;
      return line;
    });
    fs.appendFileSync(file, `${more.join('\n')}\n`);
    const { pty } = await chatWith({ args: ['-c'], options: { home: scene.pty.home } });
    await pty.waitFor('answer 9999');
    await pty.send('/rewind\r');
    await pty.waitFor('question 9998');
  });

  it('gives the terminal back and says why in one line when the program breaks', async () => {
    const fault = "setTimeout(()=>{throw new Error('made to break')},2500)";
    const { pty } = await chatWith({
      main: [{ end: 'hang' }],
      options: { env: { NODE_OPTIONS: `--import=data:text/javascript,${fault.replaceAll(' ', '%20')}` } },
    });
    await pty.send('x\r');
    expect((await pty.exit()).code).toBe(1);
    expect(pty.screenText()).toContain('frost: the chat broke off (made to break). Go on with: frost -c');
    expect(pty.screenText()).not.toMatch(/\n\s+at /);
    const raw = pty.raw();
    expect(raw.lastIndexOf('\x1b[?2004l')).toBeGreaterThan(raw.lastIndexOf('\x1b[?2004h'));
    expect(raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(raw.lastIndexOf('\x1b[?25l'));
  });

  it('U08: gives the terminal back at SIGTERM while an answer streams', async () => {
    const { pty } = await chatWith({ main: [{ end: 'hang' }] });
    await pty.send('x\r');
    pty.kill('SIGTERM');
    expect((await pty.exit()).code).toBe(143);
    const raw = pty.raw();
    expect(raw).toContain('\x1b[?2004l');
    expect(raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(raw.lastIndexOf('\x1b[?25l'));
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
    expect(pty.screenText()).toMatch(/You: hi/);
    expect(pty.raw()).not.toMatch(/[⠋⠙⠹⠸]/);
  });
});
