import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeEndpoints, type Endpoint, type Reply, type ScriptedCall, startEndpoint } from '../support/endpoint.js';
import { Machine } from '../support/frost.js';

const machines: Machine[] = [];

afterEach(async () => {
  await closeEndpoints();
  for (const machine of machines.splice(0)) machine.remove();
});

async function scene(
  main: Reply[] | ((n: number) => Reply),
  coder: Reply[] = [],
): Promise<{ machine: Machine; main: Endpoint; coder: Endpoint }> {
  const endpoints = await Promise.all([startEndpoint(Array.isArray(main) ? main : (_, n) => main(n)), startEndpoint(coder)]);
  const machine = new Machine(...endpoints);
  machines.push(machine);
  return { machine, main: endpoints[0], coder: endpoints[1] };
}

const delegate = (content: string): ScriptedCall[] => [{ name: 'use_subagent', arguments: { subagent_name: 'Coder', content } }];
const failure = (status: number, message: string, headers = {}): Reply => ({ status, body: { error: { message } }, headers });

describe('frost ask: what a script sees', () => {
  it('prints the answer with one final newline, nothing on stderr, exit 0', async () => {
    const { machine } = await scene([{ text: ['Hello', ' there'] }]);
    expect(await machine.ask('hi')).toMatchObject({ stdout: 'Hello there\n', stderr: '', status: 0 });
  });

  it('F1–F8: delegates over HTTP to another endpoint with another key, each key seen only by its own endpoint', async () => {
    const { machine, main, coder } = await scene(
      [
        { calls: [{ name: 'send_message', arguments: { text: 'Asking Coder.' } }] },
        { calls: delegate('write hello') },
        { text: 'Here it is: CODE' },
      ],
      [{ text: 'CODE' }],
    );
    const ended = await machine.ask('-v', 'please');
    expect(ended).toMatchObject({ stdout: 'Here it is: CODE\n', status: 0 });
    expect(ended.stderr).toContain('Asking Coder.');
    expect(ended.stderr).toMatch(/→ Coder \(mock @ 127\.0\.0\.1:\d+, key CODER_API_KEY\): write hello/);
    expect(main.chats.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer sk-main-0123456789'));
    expect(coder.chats.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-coder-0123456789']);
    expect(JSON.stringify(coder.chats[0]?.body)).not.toContain('please');
    expect(JSON.stringify(main.chats[2]?.body)).toContain('CODE');
  });

  it('streams into a pipe before the answer is whole, once no tool call can follow', async () => {
    const { machine } = await scene([{ text: ['a'.repeat(450), 'b'.repeat(10)], paceMs: 400 }]);
    const { child, ended } = machine.start(['ask', 'x']);
    const first = await new Promise<number>((resolve) => child.stdout?.once('data', () => resolve(Date.now())));
    await ended;
    expect(Date.now() - first).toBeGreaterThan(500);
  });

  it('keeps a short text before a tool call off stdout', async () => {
    const { machine } = await scene([{ text: 'Let me ask.', calls: delegate('x') }, { text: 'done' }], [{ text: 'C' }]);
    const ended = await machine.ask('-v', 'x');
    expect(ended.stdout).toBe('done\n');
    expect(ended.stderr).toContain('Let me ask.');
  });

  it('leaves stdout empty where the run fails before any text', async () => {
    const { machine } = await scene([failure(401, 'bad key')]);
    const ended = await machine.ask('x');
    expect(ended).toMatchObject({ stdout: '', status: 77 });
    expect(ended.stderr).toMatch(/^frost: .*401.*\n$/);
  });

  it('lets nothing out of a short answer that broke off', async () => {
    const { machine } = await scene([
      { text: 'The result is', end: 'reset' },
      { text: 'The result is', end: 'reset' },
      { text: 'The result is', end: 'reset' },
    ]);
    const ended = await machine.ask('x');
    expect(ended.stdout).toBe('');
    expect(ended.status).not.toBe(0);
  });

  it('keeps the session for -c, with every message', async () => {
    const { machine, main } = await scene([{ text: 'noted' }, { text: 'PINEAPPLE' }]);
    await machine.ask('remember PINEAPPLE');
    expect(await machine.ask('-c', 'what was it?')).toMatchObject({ stdout: 'PINEAPPLE\n', status: 0 });
    expect(main.chats[1]?.body?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(machine.sessionFiles).toHaveLength(1);
  });

  it('records nothing with --no-session', async () => {
    const { machine } = await scene([{ text: 'ok' }]);
    expect((await machine.ask('--no-session', 'x')).status).toBe(0);
    expect(machine.sessionFiles).toEqual([]);
  });

  it('writes a file whole or not at all (-o)', async () => {
    const { machine } = await scene([{ text: 'answer' }, failure(400, 'no')]);
    const file = path.join(machine.home.cwd, 'out.md');
    expect(await machine.ask('-o', 'out.md', 'x')).toMatchObject({ stdout: '', status: 0 });
    expect(fs.readFileSync(file, 'utf8')).toBe('answer\n');
    expect((await machine.ask('-o', 'out.md', 'x')).status).toBe(1);
    expect(fs.readFileSync(file, 'utf8')).toBe('answer\n');
  });

  it('prints only the first code block of a language (-x), exit 3 where there is none', async () => {
    const text = 'Two:\n```sh\necho hi\n```\n```go\npackage main\n```\n';
    const { machine } = await scene([{ text }, { text }, { text: 'no code' }]);
    expect(await machine.ask('-x', 'write it')).toMatchObject({ stdout: 'echo hi\n', status: 0 });
    expect(await machine.ask('-x', 'go', 'write it')).toMatchObject({ stdout: 'package main\n', status: 0 });
    const none = await machine.ask('-x', 'rust', 'write it');
    expect(none).toMatchObject({ stdout: '', status: 3 });
    expect(none.stderr).toContain('no rust code block');
  });

  it('validates an answer against --schema, with one repair try', async () => {
    const schema = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}';
    const { machine, main } = await scene([{ text: '{"n":"x"}' }, { text: '{"n": 5}' }, { text: 'no' }, { text: 'never' }]);
    expect(await machine.ask('--schema', schema, 'count')).toMatchObject({ stdout: '{"n":5}\n', status: 0 });
    expect(JSON.stringify(main.chats[0]?.body)).toContain('response_format');
    expect(await machine.ask('--schema', schema, 'count')).toMatchObject({ stdout: '', status: 3 });
  });

  it('prints exactly one JSON object, whose is_error agrees with the exit code', async () => {
    const usage = { prompt_tokens: 30, completion_tokens: 10 };
    const { machine } = await scene(
      [{ calls: delegate('x'), usage }, { text: 'ok', usage }, failure(404, 'model mock not found')],
      [{ text: 'C', usage: { prompt_tokens: 1000, completion_tokens: 500 } }],
    );
    const good = await machine.ask('--output', 'json', 'x');
    expect(JSON.parse(good.stdout)).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'ok',
      num_turns: 2,
      usage: { input_tokens: 60, output_tokens: 20 },
      modelUsage: { mock: { input_tokens: 1060, output_tokens: 520 } },
      principals: [
        { principal: 'main', requests: 2 },
        { principal: 'Coder', requests: 1, usage: { input_tokens: 1000, output_tokens: 500 } },
      ],
    });
    expect(good.stdout.split('\n')).toHaveLength(2);
    const bad = await machine.ask('--output', 'json', 'x');
    expect(JSON.parse(bad.stdout)).toMatchObject({ is_error: true, exit_code: bad.status, subtype: 'error_during_execution' });
    expect(bad.status).toBe(78);
    const wrong = await machine.ask('--output', 'json', '--nonsense');
    expect(JSON.parse(wrong.stdout)).toMatchObject({ is_error: true, exit_code: 2 });
  });

  it('prints the events, one JSON object a line, run_end last', async () => {
    const { machine } = await scene([{ text: 'ok' }]);
    const lines = (await machine.ask('--output', 'stream-json', 'x')).stdout.trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { type: string });
    expect(events[0]?.type).toBe('run_start');
    expect(events.at(-1)).toMatchObject({ type: 'run_end', outcome: 'done', answer: 'ok' });
  });

  it('shows the exact request with --dry-run, keys as names, and sends nothing', async () => {
    const { machine, main } = await scene([]);
    const ended = await machine.ask('--dry-run', 'x');
    expect(ended.status).toBe(0);
    const shown = JSON.parse(ended.stdout);
    expect(shown).toMatchObject({ method: 'POST', body: { model: 'mock', stream: true } });
    expect(ended.stdout).toContain('UPSTREAM_API_KEY');
    expect(ended.stdout).not.toContain('sk-main');
    expect(main.chats).toEqual([]);
  });

  it('--dry-run of a specialist shows its request and tells of no failure', async () => {
    const { machine, coder } = await scene([], []);
    const ended = await machine.ask('--dry-run', '--agent', 'Coder', 'x');
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(ended.stdout).toContain('<CODER_API_KEY>');
    expect(coder.chats).toEqual([]);
  });

  it('holds one specialist to a schema (--agent with --schema), with one more try, else exit 3', async () => {
    const schema = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}';
    const { machine, coder } = await scene([], [{ text: 'three' }, { text: '{"n": 3}' }, { text: 'no' }, { text: 'no' }]);
    const asked = ['--agent', 'Coder', '--schema', schema, '--output', 'json', 'x'];
    const met = await machine.ask(...asked);
    expect(JSON.parse(met.stdout)).toMatchObject({ is_error: false, structured_output: { n: 3 } });
    expect(met.status).toBe(0);
    expect(coder.chats[0]?.body?.['response_format']).toMatchObject({ type: 'json_schema' });
    const unmet = await machine.ask(...asked);
    expect(JSON.parse(unmet.stdout)).toMatchObject({ is_error: true, exit_code: 3 });
    expect(unmet.status).toBe(3);
  });

  it.each([
    [
      'nowhere/answer.md',
      /^frost: The answer could not be written to nowhere\/answer\.md: there is no folder .*nowhere\. Name another file with -o\.\n$/,
    ],
    ['.', /it is a folder/],
  ])('-o %s is refused before anything is asked and paid for', async (file, reason) => {
    const { machine, main } = await scene([{ text: 'dear' }]);
    const ended = await machine.ask('-o', file, 'x');
    expect(ended).toMatchObject({ stdout: '', status: 1 });
    expect(ended.stderr).toMatch(reason);
    expect(main.requests).toEqual([]);
  });

  it('goes straight to one specialist (--agent), streaming its words', async () => {
    const { machine, main } = await scene([], [{ text: 'CODE' }, { text: 'AGAIN' }]);
    expect(await machine.ask('--agent', 'Coder', 'write')).toMatchObject({ stdout: 'CODE\n', status: 0 });
    expect(main.chats).toEqual([]);
    const nobody = { UPSTREAM_ENDPOINT: undefined, UPSTREAM_API_KEY: undefined, MODEL_NAME: undefined };
    expect(await machine.run(['ask', '--agent', 'Coder', 'write'], { env: nobody })).toMatchObject({ stdout: 'AGAIN\n', status: 0 });
    const without = await machine.run(['ask', '--agent', 'Reviewer', 'x'], { env: nobody });
    if (!without.stderr.includes('taking the local')) expect(without).toMatchObject({ stdout: '', status: 77 });
    expect((await machine.ask('--agent', 'Nobody', 'write')).status).toBe(2);
  });
});

describe('frost ask: the question', () => {
  it('takes a pipe after the prompt, in a fence', async () => {
    const { machine, main } = await scene([{ text: 'ok' }]);
    await machine.run(['ask', 'what is this?'], { stdin: 'some\n```\nlog\n' });
    expect(main.userText(0)).toBe('what is this?\n\n````\nsome\n```\nlog\n````');
  });

  it('takes stdin as the prompt with -, or without any prompt', async () => {
    const { machine, main } = await scene([{ text: 'ok' }, { text: 'ok' }]);
    await machine.run(['ask', '-'], { stdin: 'from stdin' });
    await machine.run(['ask'], { stdin: 'from stdin' });
    expect([main.userText(0), main.userText(1)]).toEqual(['from stdin', 'from stdin']);
  });

  it('is wrong usage without a prompt: exit 2', async () => {
    const { machine } = await scene([]);
    const ended = await machine.ask();
    expect(ended).toMatchObject({ stdout: '', status: 2 });
    expect(ended.stderr).toContain('no prompt');
  });

  it('says to put -- before a prompt that begins with dashes', async () => {
    const { machine, main } = await scene([{ text: 'ok' }]);
    const wrong = await machine.ask('--what is this');
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain('Put --');
    expect((await machine.ask('--', '--what is this')).status).toBe(0);
    expect(main.userText(0)).toBe('--what is this');
  });

  it('loses nothing of a slow producer, and says that it waits', async () => {
    const { machine, main } = await scene([{ text: 'ok' }]);
    const ended = await machine.run([], { script: "(sleep 4; printf 'LATE-DATA') | $FROST ask 'repeat'" });
    expect(ended).toMatchObject({ stdout: 'ok\n', status: 0 });
    expect(ended.stderr).toMatch(/waiting for stdin.*--no-stdin.*<\/dev\/null/);
    expect(main.userText(0)).toContain('LATE-DATA');
  });

  it('goes on without a stdin that its starter holds open, and ends with 65 when a byte comes after all', async () => {
    const { machine } = await scene([{ text: 'ok' }, { text: ['a', 'b'], paceMs: 1500 }]);
    const ended = await machine.run(['ask', 'hi'], { stdin: 'open' });
    expect(ended).toMatchObject({ stdout: 'ok\n', status: 0 });
    const { child, ended: late } = machine.start(['ask', 'hi'], { stdin: 'open' });
    setTimeout(() => child.stdin?.write('surprise'), 2000);
    expect(await late).toMatchObject({ stdout: '', status: 65 });
  });

  it('replaces bytes that are not UTF-8, refuses NUL bytes with 65, unless --force-text', async () => {
    const { machine, main } = await scene([{ text: 'ok' }, { text: 'ok' }]);
    const odd = await machine.run(['ask', 'x'], { stdin: Buffer.from([0x61, 0xff, 0x62]) });
    expect(odd.status).toBe(0);
    expect(odd.stderr.trim().split('\n')).toHaveLength(1);
    expect(main.userText(0)).toContain('a\ufffdb');
    const binary = Buffer.from([0x61, 0, 0x62]);
    expect(await machine.run(['ask', 'x'], { stdin: binary })).toMatchObject({ stdout: '', status: 65 });
    expect((await machine.run(['ask', '--force-text', 'x'], { stdin: binary })).status).toBe(0);
  });

  it('refuses more than 10 MB with 65 and the size', async () => {
    const { machine } = await scene([]);
    machine.home.write('big.txt', 'x'.repeat(11 * 1024 * 1024));
    const file = await machine.ask('-f', 'big.txt', 'x');
    expect(file).toMatchObject({ status: 65 });
    expect(file.stderr).toContain('11.0 MB');
    expect((await machine.run([], { script: '$FROST ask x < big.txt' })).stderr).toContain('11.0 MB');
    expect((await machine.run([], { script: 'cat big.txt | $FROST ask x' })).status).toBe(65);
  });

  it('adds files and images, and names one that is missing with 66', async () => {
    const { machine, main } = await scene([{ text: 'ok' }]);
    machine.home.write('a.ts', 'const a = 1;\n');
    machine.home.write('p.png', 'PNG');
    await machine.ask('-f', 'a.ts', '-f', 'p.png', 'look');
    expect(main.userText(0)).toBe('look\n\na.ts:\n```ts\nconst a = 1;\n```');
    expect(JSON.stringify(main.chats[0]?.body)).toContain('data:image/png;base64,UE5H');
    const missing = await machine.ask('-f', 'none.txt', 'x');
    expect(missing).toMatchObject({ stdout: '', status: 66 });
  });
});

describe('frost ask: exit codes', () => {
  it('1: the run failed for another reason', async () => {
    const { machine } = await scene([failure(400, 'bad request')]);
    expect((await machine.ask('x')).status).toBe(1);
  });

  it('3: an empty answer', async () => {
    const { machine } = await scene([{}]);
    expect(await machine.ask('x')).toMatchObject({ stdout: '', status: 3 });
  });

  it('4: a needed permission was denied', async () => {
    const { machine } = await scene([
      { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] },
      { text: 'I may not write.' },
    ]);
    const ended = await machine.ask('--output', 'json', 'write');
    expect(ended.status).toBe(4);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      is_error: true,
      result: 'I may not write.',
      permission_denials: [{ tool_name: 'write_file' }],
    });
    expect(fs.existsSync(path.join(machine.home.cwd, 'a.txt'))).toBe(false);
  });

  it('5: a limit was hit', async () => {
    const { machine } = await scene((n) => ({ calls: [{ name: 'send_message', arguments: { text: 'x'.repeat(n + 1) } }] }));
    const ended = await machine.ask('--max-turns', '2', 'x');
    expect(ended).toMatchObject({ stdout: '', status: 5 });
    expect(ended.stderr).toContain('2 model requests');
  });

  it('6: the main agent answered, but a specialist failed', async () => {
    const { machine } = await scene([{ calls: delegate('x') }, { text: 'without Coder' }], [failure(401, 'nope')]);
    const ended = await machine.ask('x');
    expect(ended).toMatchObject({ stdout: 'without Coder\n', status: 6 });
    expect(ended.stderr).toMatch(/Coder.*401/);
  });

  it('69: nobody listens', async () => {
    const { machine } = await scene([]);
    const ended = await machine.run(['ask', 'x'], { env: { UPSTREAM_ENDPOINT: 'http://127.0.0.1:1/v1' } });
    expect(ended).toMatchObject({ stdout: '', status: 69 });
    expect(ended.stderr).toContain('ECONNREFUSED');
  });

  it('75: rate-limited beyond the cap', async () => {
    const { machine, main } = await scene([failure(429, 'slow down', { 'retry-after': '3600' })]);
    expect(await machine.ask('x')).toMatchObject({ stdout: '', status: 75 });
    expect(main.chats).toHaveLength(1);
  });

  it('77: no key anywhere names the ways to start', async () => {
    const { machine } = await scene([]);
    const ended = await machine.run(['ask', 'x'], { env: { UPSTREAM_ENDPOINT: undefined, UPSTREAM_API_KEY: undefined } });
    expect([0, 77]).toContain(ended.status);
    if (ended.status === 77) expect(ended.stderr).toMatch(/UPSTREAM_ENDPOINT.*--demo/s);
  });

  it('78: a setting that cannot be used', async () => {
    const { machine } = await scene([]);
    expect((await machine.run(['ask', 'x'], { env: { MAX_ITERATIONS: 'many' } })).status).toBe(78);
  });

  it('124: --timeout', async () => {
    const { machine, main } = await scene([{ text: 'half', end: 'hang' }]);
    expect((await machine.ask('--timeout', '0.5', 'x')).status).toBe(124);
    expect(main.chats[0]?.abortedAt).toBeDefined();
  });

  it.each([
    ['130', 'SIGINT', 130],
    ['143', 'SIGTERM', 143],
    ['129', 'SIGHUP', 129],
  ] as const)('%s: %s closes the request and ends within a second', async (_, signal, status) => {
    const { machine, main } = await scene([{ text: 'x'.repeat(500), end: 'hang' }]);
    const { child, ended } = machine.start(['ask', 'x']);
    await new Promise<void>((resolve) => child.stdout?.once('data', () => resolve()));
    const at = Date.now();
    child.kill(signal);
    expect((await ended).status).toBe(status);
    expect(Date.now() - at).toBeLessThan(1000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(main.chats[0]?.abortedAt).toBeDefined();
  });

  it('141: the reader of the pipe went away; no stack trace, the request is closed', async () => {
    const { machine, main } = await scene([{ text: Array.from({ length: 3000 }, (_, n) => `item ${n} ${'.'.repeat(60)}\n`), paceMs: 1 }]);
    const ended = await machine.run([], { script: '$FROST ask x 2>err.txt | head -n 1; echo "${PIPESTATUS[0]}"' });
    expect(ended.stdout).toMatch(/^item 0 \.+\n141\n$/);
    expect(fs.readFileSync(path.join(machine.home.cwd, 'err.txt'), 'utf8')).toBe('');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(main.chats[0]?.abortedAt).toBeDefined();
  });
});

describe('frost ask: a full disk', () => {
  it('says that stdout could not be written, and exits with 1', async () => {
    const { machine } = await scene([{ text: 'ok' }]);
    const ended = await machine.run([], { script: '$FROST ask x > /dev/full' });
    expect(ended.status).toBe(1);
    expect(ended.stderr).toContain('no space left');
  });
});

describe('frost ask --demo', () => {
  it('runs the whole path on a machine without a key and says what it is', async () => {
    const machine = new Machine();
    machines.push(machine);
    const ended = await machine.ask('--demo', '-v', 'Write a hello world in Go');
    expect(ended.status).toBe(0);
    expect(ended.stdout).toContain('```go\npackage main');
    expect(ended.stderr).toContain('demo: a few rules inside frost answer');
    expect(ended.stderr).toContain('I am handing this to Coder.');
    expect(ended.stderr).toMatch(/→ Coder \(demo-coder @ 127\.0\.0\.1:\d+, key CODER_API_KEY\)/);
  });
});
