import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { CLEARS, chatWith, countLines, delegation } from './support/chat-scene.js';
import { closeTerminals, runInTerminal } from './support/pty.js';

afterEach(async () => {
  await closeTerminals();
  await closeEndpoints();
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

  it.each([
    ['prose', (at: number) => `${['alpha', 'beta', 'gamma', 'delta'][at % 4]} `, ''],
    ['Chinese', (at: number) => ['流式输出', '的句子', '，一直', '继续'][at % 4] ?? '', ''],
    ['code', (at: number) => (at % 6 === 5 ? 'x)\n' : 'call('), '```py\n'],
  ])('gets at most eight times the bytes of %s paced at a word each 10 ms', async (_, wordAt, start) => {
    const words = [start, ...Array.from({ length: 250 }, (_, at) => wordAt(at)), '\n\nTHE END'];
    const { pty } = await chatWith({ main: [{ text: words, paceMs: 10 }] });
    const before = pty.raw().length;
    await pty.send('slowly\r');
    await pty.waitFor('THE END', 20_000);
    await pty.waitFor('Ask frost');
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

  it('keeps what of an answer was on the screen when the program is ended in its middle, and says that it was broken off', async () => {
    const { pty } = await chatWith({ main: [{ text: 'Half of a sentence that', end: 'hang' }] });
    await pty.send('x\r');
    await pty.waitFor('Half of a sentence that');
    pty.kill('SIGTERM');
    expect((await pty.exit()).code).toBe(143);
    const shown = pty.logicalLines().join('\n');
    expect(shown.match(/Half of a sentence that/g)).toHaveLength(1);
    expect(shown).toContain('(broken off)');
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
