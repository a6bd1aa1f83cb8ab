import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeEndpoints, startEndpoint } from '../support/endpoint.js';
import { runFrost } from '../support/run-frost.js';
import { type TempHome, tempHome } from '../support/temp-home.js';
import { closeTerminals, frostInTerminal } from '../ui/support/pty.js';

const USER_AGENT =
  '---\nname: reviewer\ndescription: Reviews a diff.\ntools: read_file\nmodel: qwen\nendpoint: http://127.0.0.1:9/v1\n---\nYou review.';

let machine: TempHome;

beforeEach(() => {
  machine = tempHome();
});

afterEach(async () => {
  await closeEndpoints();
  machine.remove();
});

const main = { UPSTREAM_ENDPOINT: 'http://127.0.0.1:9/v1', UPSTREAM_API_KEY: 'sk-main-TEST', MODEL_NAME: 'mock' };
const frost = (args: string[], more: Record<string, string> = main) =>
  runFrost(args, { cwd: machine.cwd, env: { ...machine.env, ...more } });

describe('frost agents', () => {
  it('F8: lists every specialist with its model, host and key variable', async () => {
    machine.write('~/.config/frost/agents/reviewer.md', USER_AGENT.replace('reviewer', 'auditor').replace(':9/', ':99/'));
    const { code, stdout } = await frost(['agents'], { ...main, AUDITOR_API_KEY: 'sk-secret-AUDITOR', CODER_MODEL: 'codestral' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +FROM +MODEL +HOST +KEY +TOOLS +STATE\n/);
    expect(stdout).toMatch(/^Coder +built in +codestral +127\.0\.0\.1:9 +UPSTREAM_API_KEY +- +ready$/m);
    expect(stdout).toMatch(/^auditor +user +qwen +127\.0\.0\.1:99 +AUDITOR_API_KEY +read_file +ready$/m);
    expect(stdout).not.toContain('sk-');
  });

  it('shows all that a specialist is made of, and which variable is missing', async () => {
    machine.write('~/.config/frost/agents/reviewer.md', USER_AGENT.replace(':9/', ':99/'));
    const { stdout } = await frost(['agents', 'show', 'Reviewer']);
    expect(stdout).toMatch(/^from +user: .*\/reviewer\.md$/m);
    expect(stdout).toMatch(/^cannot be called +.*REVIEWER_API_KEY/m);
    expect(stdout).toContain('You review.');
    const { resolved, error, origin } = JSON.parse((await frost(['agents', 'show', 'Coder', '--json'])).stdout);
    expect({ resolved, error, origin }).toEqual({
      resolved: { model: 'mock', endpoint: main.UPSTREAM_ENDPOINT, host: '127.0.0.1:9', keyName: 'UPSTREAM_API_KEY' },
      error: undefined,
      origin: { level: 'builtin' },
    });
  });

  it("gives a terminal no control sequence of a file's text, and a pipe the text as it is", async () => {
    machine.write('~/.config/frost/agents/reviewer.md', `${USER_AGENT}\u001b]52;c;ZXZpbA==\u0007 Go on.`);
    const pty = frostInTerminal(['agents', 'show', 'reviewer'], {
      home: machine.home,
      cwd: machine.cwd,
      env: { ...main, REVIEWER_API_KEY: 'sk-TEST' },
    });
    await pty.waitFor('Go on.');
    expect(pty.raw()).not.toContain('\u001b]52');
    await closeTerminals();
    machine.write('~/.config/frost/agents/reviewer.md', `${USER_AGENT}\u001b]52;c;ZXZpbA==\u0007 Go on.`);
    expect((await frost(['agents', 'show', 'reviewer'])).stdout).toContain('\u001b]52');
  });

  it('names what there is where a name is not', async () => {
    expect(await frost(['agents', 'show', 'codre'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining("did you mean 'Coder'?"),
    });
  });

  it('shows one where only its name is given, and says why none can be called where nothing is set', async () => {
    expect((await frost(['agents', 'coder'])).stdout).toMatch(/^name +Coder$/m);
    const { code, stdout, stderr } = await frost(['agents'], {});
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Coder +built in +- +- +- +- +cannot be called$/m);
    expect(stderr).toContain('UPSTREAM_ENDPOINT');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('writes a new agent that checks as ready', async () => {
    const { code, stdout } = await frost(['agents', 'new', 'helper', '--description', 'Helps.', '--tools', 'read_file,list_files']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${path.join(machine.home, '.config/frost/agents/helper.md')}\n` });
    expect(await frost(['agents', 'check', 'helper'])).toMatchObject({
      code: 0,
      stdout: 'helper: ready, mock at 127.0.0.1:9 with UPSTREAM_API_KEY\n',
    });
    expect(await frost(['agents', 'new', 'helper'])).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already') });
  });

  it('checks all files: every problem with file and line, and a status for a script', async () => {
    machine.write('~/.config/frost/agents/good.md', USER_AGENT.replace('reviewer', 'good').replace('read_file', 'Read, WebSearch'));
    const bad = machine.write('~/.config/frost/agents/bad.md', '---\nname: bad\ndescription: x\nmax_costs: 1\n---\nHi.');
    const { code, stdout } = await frost(['agents', 'check']);
    expect(code).toBe(78);
    expect(stdout).toContain(`${bad}:4: error: unknown key 'max_costs'; did you mean 'max_cost'?`);
    expect(stdout).toMatch(/good\.md:4: note: the tool 'WebSearch' is left out/);
    expect(stdout).toContain('good: ready, qwen at 127.0.0.1:9');
  });

  it('lets nothing of an untrusted folder in, and says so', async () => {
    machine.write('.frost/agents/evil.md', USER_AGENT.replace('reviewer', 'evil'));
    const { stdout, stderr } = await frost(['agents']);
    expect(stdout).not.toContain('evil');
    expect(stderr).toContain('frost trust');
  });
});

describe('frost agents test', () => {
  const agentFile = (endpoint: string) =>
    USER_AGENT.replace('http://127.0.0.1:9/v1', endpoint).replace('---\nYou', 'api_key_env: AUDIT_KEY\n---\nYou');

  it("calls a Markdown agent at its own endpoint with its own key: model, host, key's name, time, tokens and cost", async () => {
    const own = await startEndpoint([{ text: 'Two findings.', usage: { prompt_tokens: 1000, completion_tokens: 500 } }]);
    const other = await startEndpoint([]);
    machine.write('~/.config/frost/agents/reviewer.md', agentFile(own.url));
    machine.write('~/.config/frost/settings.json', JSON.stringify({ prices: { qwen: { input: 2, output: 4 } } }));
    const env = { ...main, UPSTREAM_ENDPOINT: other.url, AUDIT_KEY: 'sk-audit-TEST' };
    const { code, stdout, stderr } = await frost(['agents', 'test', 'reviewer', 'Review: a = b'], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const host = new URL(own.url).host;
    for (const row of [
      /^agent +reviewer$/m,
      /^model +qwen$/m,
      /^key +AUDIT_KEY$/m,
      /^time +.* s, 1 model/m,
      /^tokens +1,000 in, 500 out$/m,
      /^cost +\$0\.0040$/m,
    ]) {
      expect(stdout).toMatch(row);
    }
    expect(stdout).toContain(`host     ${host}`);
    expect(stdout.endsWith('\n\nTwo findings.\n')).toBe(true);
    expect(own.chats[0]?.headers.authorization).toBe('Bearer sk-audit-TEST');
    expect(own.chats[0]?.body?.messages).toEqual([
      { role: 'system', content: expect.stringContaining('You review.') },
      { role: 'user', content: 'Review: a = b' },
    ]);
    expect(other.requests).toEqual([]);
  });

  it('says that a cost is unknown, and gives a program the same facts', async () => {
    const own = await startEndpoint([{ text: 'Fine.' }]);
    machine.write('~/.config/frost/agents/reviewer.md', agentFile(own.url));
    const { stdout } = await frost(['agents', 'test', 'reviewer', 'x', '--json'], { ...main, AUDIT_KEY: 'sk-audit-TEST' });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ agent: 'reviewer', model: 'qwen', key: 'AUDIT_KEY', outcome: 'done', answer: 'Fine.', turns: 1 });
    expect(report).not.toHaveProperty('cost');
  });

  it('names the variable where the key is missing, before any request', async () => {
    const own = await startEndpoint([]);
    machine.write('~/.config/frost/agents/reviewer.md', agentFile(own.url));
    const { code, stderr } = await frost(['agents', 'test', 'reviewer', 'x']);
    expect(code).toBe(77);
    expect(stderr).toContain('AUDIT_KEY');
    expect(own.requests).toEqual([]);
  });

  it('does not start an agent whose cost limit could not be kept, and says what price to add', async () => {
    const own = await startEndpoint([{ text: 'Fine.', usage: { prompt_tokens: 10, completion_tokens: 5 } }]);
    machine.write('~/.config/frost/agents/reviewer.md', agentFile(own.url).replace('api_key_env', 'max_cost: 0.05\napi_key_env'));
    const env = { ...main, AUDIT_KEY: 'sk-audit-TEST' };
    const refused = await frost(['agents', 'test', 'reviewer', 'x'], env);
    expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining('"prices": {"qwen": {"input": …, "output": …}}') });
    expect((await frost(['agents', 'check', 'reviewer'], env)).stdout).toContain('the price of qwen is not known');
    expect(own.requests).toEqual([]);
    machine.write('~/.config/frost/settings.json', JSON.stringify({ prices: { qwen: { input: 0, output: 0 } } }));
    expect((await frost(['agents', 'test', 'reviewer', 'x'], env)).stdout).toMatch(/^cost +\$0$/m);
  });

  it('names the place where an endpoint was set, where nothing listens there', async () => {
    const file = machine.write('~/.config/frost/agents/reviewer.md', agentFile('http://127.0.0.1:9/v1'));
    const env = { ...main, AUDIT_KEY: 'sk-audit-TEST', FROST_MAX_ATTEMPTS: '1' };
    expect(await frost(['agents', 'test', 'reviewer', 'x'], env)).toMatchObject({
      code: 69,
      stderr: expect.stringContaining(`endpoint in ${file}`),
    });
    expect(await frost(['agents', 'test', 'Coder', 'x'], env)).toMatchObject({
      code: 69,
      stderr: expect.stringContaining('UPSTREAM_ENDPOINT'),
    });
  });

  it('leaves no trace of a key in what it prints or writes', async () => {
    const own = await startEndpoint([{ text: 'The key is sk-audit-TEST, I was told.' }]);
    machine.write('~/.config/frost/agents/reviewer.md', agentFile(own.url));
    const { stdout, stderr } = await frost(['agents', 'test', 'reviewer', 'x'], { ...main, AUDIT_KEY: 'sk-audit-TEST' });
    expect(stdout + stderr).not.toContain('sk-audit-TEST');
    expect(stdout).toContain('<AUDIT_KEY>');
    expect(fs.existsSync(path.join(machine.home, '.local/state/frost/sessions'))).toBe(false);
  });
});
