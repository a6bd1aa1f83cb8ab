import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trimHistory } from '../../src/agent/trim.js';
import type { Message } from '../../src/llm/messages.js';
import { latestSession } from '../../src/sessions/list.js';
import { loadSession } from '../../src/sessions/load.js';
import { openRecorder, type Recorder } from '../../src/sessions/recorder.js';
import { event } from '../support/record-session.js';

let root: string;
let dir: string;
let warnings: string[];
let open: Recorder[];

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-sessions-'));
  dir = path.join(root, 'state/frost/sessions');
  warnings = [];
  open = [];
});

afterEach(() => {
  for (const recorder of open) recorder.close();
  fs.rmSync(root, { recursive: true, force: true });
});

function record(options: { id?: string; cwd?: string; dir?: string; mask?: (text: string) => string } = {}): Recorder {
  const recorder = openRecorder({ dir, cwd: '/work', warn: (text) => warnings.push(text), ...options });
  open.push(recorder);
  return recorder;
}

const message = (content: string, role: 'user' | 'assistant' = 'user', agent?: string) => event.message({ role, content }, agent);
const { agentStart, agentEnd } = event;

const lines = (recorder: Recorder) => fs.readFileSync(recorder.path, 'utf8').split('\n');

describe('recording a session', () => {
  it('makes the file with the first record, for its user alone', () => {
    const recorder = record();
    expect(fs.existsSync(dir)).toBe(false);
    recorder.sink(message('hello'));
    expect(fs.statSync(recorder.path).mode & 0o777).toBe(0o600);
    expect(fs.statSync(dir).mode & 0o777).toBe(0o700);
    expect(JSON.parse(lines(recorder)[0] ?? '')).toMatchObject({ type: 'session', version: 1, id: recorder.id, cwd: '/work' });
  });

  it('gives back every message in order', () => {
    const recorder = record();
    for (const text of ['one', 'two', 'three']) recorder.sink(message(text));
    expect(
      loadSession(dir, recorder.id)
        .messagesAt()
        .map(({ content }) => content),
    ).toEqual(['one', 'two', 'three']);
    expect(loadSession(dir, recorder.id).leaf).toBe(recorder.leaf);
  });

  it('goes on where another process stopped', () => {
    const first = record();
    first.sink(message('one'));
    first.sink(agentStart('r1'));
    first.sink(message('child', 'assistant', 'r1'));
    first.close();
    const second = record({ id: first.id });
    expect(second.leaf).toBe(loadSession(dir, first.id).leaf);
    second.sink(message('two'));
    expect(
      loadSession(dir, first.id)
        .messagesAt()
        .map(({ content }) => content),
    ).toEqual(['one', 'two']);
    expect(latestSession(dir, '/work')).toBe(first.id);
    expect(latestSession(dir, '/elsewhere')).toBeUndefined();
  });

  it("L6: keeps the history of a child in its parent's session, apart from the conversation", () => {
    const recorder = record();
    recorder.sink(message('go'));
    recorder.sink(agentStart('r1'));
    recorder.sink(message('task', 'user', 'r1'));
    recorder.sink(agentStart('r2', 'r1'));
    recorder.sink(message('nested', 'assistant', 'r2'));
    recorder.sink(agentEnd('r2'));
    recorder.sink(message('answer', 'assistant', 'r1'));
    recorder.sink(agentEnd('r1'));
    recorder.sink(message('done', 'assistant'));
    const session = loadSession(dir, recorder.id);
    const texts = (messages: Message[]) => messages.map(({ content }) => content);
    expect(texts(session.messagesAt())).toEqual(['go', 'done']);
    expect(texts(session.messagesOf('r1'))).toEqual(['task', 'answer']);
    expect(texts(session.messagesOf('r2'))).toEqual(['nested']);
    expect(session.children()).toMatchObject([
      { run: 'r1', name: 'Coder', status: 'done' },
      { run: 'r2', parent: 'r1', status: 'done' },
    ]);
    expect(fs.readdirSync(dir).filter((name) => name.endsWith('.jsonl'))).toHaveLength(1);
  });

  it('rewinds by going on from an older record, and keeps what was left behind', () => {
    const recorder = record();
    recorder.sink(message('one'));
    const kept = recorder.leaf;
    recorder.sink(message('two'));
    const left = recorder.leaf;
    recorder.rewind(kept);
    recorder.sink(message('three'));
    const session = loadSession(dir, recorder.id);
    expect(session.messagesAt().map(({ content }) => content)).toEqual(['one', 'three']);
    expect(session.messagesAt(left).map(({ content }) => content)).toEqual(['one', 'two']);
    recorder.rewind(null);
    expect(loadSession(dir, recorder.id).messagesAt()).toEqual([]);
  });

  it('reads of a long session only what requests within the limits could carry, and never less than they would', () => {
    const recorder = record();
    for (let i = 0; i < 3000; i++) recorder.sink(message(`${i} ${'word '.repeat(i % 7)}`, i % 2 ? 'assistant' : 'user'));
    const session = loadSession(dir, recorder.id);
    const all = session.messagesAt();
    expect(all).toHaveLength(3000);
    for (const limits of [
      { maxMessages: 40 },
      { maxMessages: 1400 },
      { maxChars: 5000 },
      { maxMessages: 2000, maxChars: 9000 },
      { maxChars: 40_000 },
    ]) {
      const read = session.messagesAt(session.leaf, limits);
      expect(trimHistory(read, limits)).toEqual(trimHistory(all, limits));
      if (limits.maxMessages === 40) expect(read).toHaveLength(1000);
    }
  });

  it('masks keys in what is written', () => {
    const recorder = record({ mask: (text) => text.replaceAll('sk-secret', '<CODER_API_KEY>') });
    recorder.sink(message('the key is sk-secret'));
    expect(fs.readFileSync(recorder.path, 'utf8')).not.toContain('sk-secret');
    expect(loadSession(dir, recorder.id).messagesAt()[0]?.content).toBe('the key is <CODER_API_KEY>');
  });

  it('gives 1,000 sessions ids that differ and sort by age', () => {
    const ids = Array.from({ length: 1000 }, () => record().id);
    expect(new Set(ids).size).toBe(1000);
    expect([...ids].map((id) => id.slice(0, 10))).toEqual(ids.map((id) => id.slice(0, 10)).sort());
  });
});

describe('a session that cannot be saved', () => {
  it('D03: an unwritable home costs the recording, with one warning that says why', () => {
    fs.writeFileSync(path.join(root, 'file'), '');
    const recorder = record({ dir: path.join(root, 'file/sessions') });
    recorder.sink(message('one'));
    recorder.sink(message('two'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/not saved.*not a folder/);
    expect(recorder.saving).toBe(false);
  });

  it.runIf(fs.existsSync('/dev/full'))('D03: so does a disk that is full', () => {
    fs.mkdirSync(dir, { recursive: true });
    const first = record();
    first.sink(message('one'));
    first.close();
    const before = fs.readFileSync(first.path);
    fs.renameSync(first.path, `${first.path}.kept`);
    fs.symlinkSync('/dev/full', path.join(root, 'full'));
    expect(() => fs.writeFileSync(path.join(root, 'full'), 'x')).toThrow('ENOSPC');
    const recorder = record({ dir: path.join(root, 'full') });
    recorder.sink(message('two'));
    expect(warnings).toHaveLength(1);
    expect(fs.readFileSync(`${first.path}.kept`)).toEqual(before);
  });
});

describe('a session that was damaged', () => {
  function recorded(...texts: string[]): Recorder {
    const recorder = record();
    for (const text of texts) recorder.sink(message(text));
    recorder.close();
    return recorder;
  }

  it('skips a torn last line and never glues the next record to it', () => {
    const { id, path: file } = recorded('one', 'two', 'three');
    fs.truncateSync(file, fs.statSync(file).size - 20);
    expect(
      loadSession(dir, id)
        .messagesAt()
        .map(({ content }) => content),
    ).toEqual(['one', 'two']);
    expect(loadSession(dir, id).warnings).toEqual(['line 4, the last of the session, is cut off and was skipped']);
    const again = record({ id });
    again.sink(message('four'));
    expect(
      loadSession(dir, id)
        .messagesAt()
        .map(({ content }) => content),
    ).toEqual(['one', 'two', 'four']);
    expect(loadSession(dir, id).warnings).toEqual(['line 4 of the session is damaged and was skipped']);
  });

  it('reports a damaged line with its number and loads what comes after it', () => {
    const { id, path: file } = recorded('one', 'two', 'three');
    const text = fs.readFileSync(file, 'utf8').split('\n');
    fs.writeFileSync(file, [text[0], text[1], `\u0000garbage${text[2]?.slice(30)}`, text[3], ''].join('\n'));
    const session = loadSession(dir, id);
    expect(session.messagesAt().map(({ content }) => content)).toEqual(['one', 'three']);
    expect(session.warnings).toEqual(['line 3 of the session is damaged and was skipped']);
  });

  it('reports damage inside a line when the line is needed', () => {
    const { id, path: file } = recorded('one', 'two', 'three');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"content":"two"', '"content":"t\u0001wo'));
    const session = loadSession(dir, id);
    expect(session.messagesAt().map(({ content }) => content)).toEqual(['one', 'three']);
    expect(session.warnings).toEqual(['line 3 of the session is damaged and was skipped']);
  });

  it.each([
    ['a newer version', '{"type":"session","version":2,"id":"x","cwd":"/work","new":true}\n', /newer frost \(format 2/],
    ['no readable header', 'not json\n', /no readable header/],
    ['nothing in it', '', /no readable header/],
  ])('refuses a file of %s by name, leaves it untouched, and still opens the others', (_, content, reason) => {
    const other = recorded('one');
    const file = path.join(dir, 'strange.jsonl');
    fs.writeFileSync(file, content);
    expect(() => loadSession(dir, 'strange')).toThrow(reason);
    expect(() => record({ id: 'strange' })).toThrow(/strange/);
    expect(fs.readFileSync(file, 'utf8')).toBe(content);
    expect(fs.readdirSync(dir).sort()).toEqual([`${other.id}.jsonl`, 'strange.jsonl']);
    expect(loadSession(dir, other.id).messagesAt()).toHaveLength(1);
  });

  it('keeps and passes over records and fields it does not know', () => {
    const recorder = recorded('one');
    const again = record({ id: recorder.id });
    again.record('hologram', { depth: 3 });
    again.sink(message('two'));
    const session = loadSession(dir, recorder.id);
    expect(session.messagesAt().map(({ content }) => content)).toEqual(['one', 'two']);
    expect([...session.records()].find(({ type }) => type === 'hologram')).toMatchObject({ depth: 3 });
  });

  it('names a session that does not exist', () => {
    expect(() => loadSession(dir, 'nowhere')).toThrow(/no session nowhere/);
  });
});

describe('two writers', () => {
  it('D02: the second is told, with the pid, and nothing of the first is lost', () => {
    const first = record();
    first.sink(message('one'));
    expect(() => record({ id: first.id })).toThrow(new RegExp(`in use by process ${process.pid}`));
    first.sink(message('two'));
    first.close();
    const second = record({ id: first.id });
    second.sink(message('three'));
    expect(loadSession(dir, first.id).messagesAt()).toHaveLength(3);
  });

  it('takes over the lock of a process that is gone, at once', () => {
    const first = record();
    first.sink(message('one'));
    first.close();
    fs.writeFileSync(`${first.path}.lock`, JSON.stringify({ pid: 2 ** 22 - 7, host: os.hostname() }));
    record({ id: first.id }).sink(message('two'));
    expect(loadSession(dir, first.id).messagesAt()).toHaveLength(2);
  });

  it('takes over the lock of a pid that was given to another process', () => {
    const first = record();
    first.sink(message('one'));
    first.close();
    fs.writeFileSync(`${first.path}.lock`, JSON.stringify({ pid: process.ppid, host: os.hostname(), started: '1' }));
    record({ id: first.id }).sink(message('two'));
    expect(loadSession(dir, first.id).messagesAt()).toHaveLength(2);
  });

  it('leaves the lock of another machine alone, and says how to free it', () => {
    const first = record();
    first.sink(message('one'));
    first.close();
    fs.writeFileSync(`${first.path}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere' }));
    expect(() => record({ id: first.id })).toThrow(/process 1 on elsewhere.*delete/);
  });
});
