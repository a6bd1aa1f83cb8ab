import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forkSession, removeSession } from '../../src/sessions/fork.js';
import { findSession, latestSession, listSessions } from '../../src/sessions/list.js';
import { loadSession } from '../../src/sessions/load.js';
import { openRecorder, type Recorder } from '../../src/sessions/recorder.js';
import { event, recordDelegation } from '../support/record-session.js';

let dir: string;
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-list-'));
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

function record(work: (recorder: Recorder) => void, options: { cwd?: string; id?: string } = {}): string {
  const recorder = openRecorder({ dir, cwd: '/work', warn: (text) => expect.unreachable(text), ...options });
  work(recorder);
  recorder.close();
  return recorder.id;
}

const say =
  (...texts: string[]) =>
  (recorder: Recorder) => {
    for (const text of texts) recorder.sink(event.user(text));
  };
/** Makes `id` the session that was used last, whatever the clock's resolution. */
const touch = (id: string, s: number) => fs.utimesSync(path.join(dir, `${id}.jsonl`), s, s);

describe('listing sessions', () => {
  it('tells the newest first, with first and last prompt and name', () => {
    const a = record(say('one', 'two'));
    const b = record(say('three'), { cwd: '/other' });
    touch(a, 1000);
    touch(b, 2000);
    expect(listSessions(dir)).toMatchObject([
      { id: b, cwd: '/other', firstPrompt: 'three', lastPrompt: 'three' },
      { id: a, cwd: '/work', firstPrompt: 'one', lastPrompt: 'two', updated: 1_000_000 },
    ]);
    expect(listSessions(dir, '/work').map(({ id }) => id)).toEqual([a]);
    record((recorder) => recorder.rename('The name'), { id: a });
    expect(listSessions(dir, '/work')[0]).toMatchObject({ title: 'The name' });
  });

  it('still knows the name after many more runs', () => {
    const id = record((recorder) => {
      recorder.rename('The name');
      for (let i = 0; i < 300; i++)
        for (const one of [event.user(`prompt ${i}`), event.says('x'.repeat(2000)), event.runEnd()]) recorder.sink(one);
    });
    record(
      (recorder) => {
        for (const one of [event.user('more'), event.runEnd()]) recorder.sink(one);
      },
      { id },
    );
    expect(listSessions(dir)[0]).toMatchObject({ title: 'The name', firstPrompt: 'prompt 0', lastPrompt: 'more' });
    expect(loadSession(dir, id).title).toBe('The name');
  });

  it('continues the last session of the same folder, not of another', () => {
    const a = record(say('one'));
    const b = record(say('two'));
    const c = record(say('three'), { cwd: '/other' });
    for (const [i, id] of [a, b, c].entries()) touch(id, 1000 - i);
    expect(latestSession(dir, '/work')).toBe(a);
    expect(latestSession(dir, '/other')).toBe(c);
    expect(latestSession(dir, '/nowhere')).toBeUndefined();
    expect(latestSession(path.join(dir, 'missing'), '/work')).toBeUndefined();
  });

  it('lists a session that cannot be opened with the reason, beside the others', () => {
    const a = record(say('one'));
    fs.writeFileSync(path.join(dir, 'future.jsonl'), '{"type":"session","version":9,"id":"future","cwd":"/work"}\n');
    fs.writeFileSync(path.join(dir, 'not-a-session.txt'), '');
    touch(a, 1000);
    expect(listSessions(dir)).toMatchObject([{ id: 'future', problem: expect.stringContaining('newer frost') }, { id: a }]);
  });

  it('finds a session by the beginning or the end of its id', () => {
    const a = record(say('one'));
    const b = record(say('two'));
    expect(findSession(dir, a)).toBe(a);
    expect(findSession(dir, a.slice(-6))).toBe(a);
    expect(() => findSession(dir, b.slice(0, 4))).toThrow(/2 sessions fit/);
    expect(() => findSession(dir, 'xx')).toThrow(/no session xx/);
    expect(() => findSession(dir, '../../etc/passwd')).toThrow(/no session/);
  });
});

describe('forking a session', () => {
  it('goes on by itself from any record, with the children on the way, and leaves the first as it was', () => {
    let leaf: string | null = null;
    const id = record((recorder) => {
      recordDelegation(recorder);
      leaf = recorder.leaf;
      recorder.sink(event.user('AFTERWARDS'));
      recorder.sink(event.agentStart('run_late'));
      recorder.sink(event.user('late', 'run_late'));
    });
    const before = fs.readFileSync(path.join(dir, `${id}.jsonl`));
    const fork = forkSession(dir, id, leaf);
    const session = loadSession(dir, fork);
    expect(session.header.forked).toEqual({ session: id, record: leaf });
    expect(session.messagesAt()).toEqual(loadSession(dir, id).messagesAt(leaf));
    expect(session.children().map(({ run }) => run)).toEqual(['run_coder']);
    expect(session.messagesOf('run_coder')).toHaveLength(2);
    record(say('in the fork'), { id: fork });
    expect(loadSession(dir, fork).messagesAt().at(-1)?.content).toBe('in the fork');
    expect(fs.readFileSync(path.join(dir, `${id}.jsonl`))).toEqual(before);
    expect(() => forkSession(dir, id, 'nowhere')).toThrow(/no record nowhere/);
  });
});

describe('deleting a session', () => {
  it('takes all that belongs to it, and nothing else', () => {
    const a = record(say('one'));
    const b = record(say('two'));
    fs.mkdirSync(path.join(dir, `${a}.undo`));
    fs.writeFileSync(path.join(dir, `${a}.undo/journal.jsonl`), '');
    removeSession(dir, a);
    expect(fs.readdirSync(dir)).toEqual([`${b}.jsonl`]);
    expect(() => removeSession(dir, a)).toThrow(/no session/);
  });

  it('is refused while a process writes it', () => {
    const recorder = openRecorder({ dir, cwd: '/work', warn: (text) => expect.unreachable(text) });
    recorder.sink(event.user('one'));
    expect(() => removeSession(dir, recorder.id)).toThrow(/in use/);
    recorder.close();
    expect(fs.existsSync(recorder.path)).toBe(true);
  });
});
