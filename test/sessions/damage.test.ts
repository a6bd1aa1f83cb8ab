import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSessions } from '../../src/sessions/list.js';
import { loadSession } from '../../src/sessions/load.js';
import { markdownOf } from '../../src/sessions/markdown.js';
import { openRecorder } from '../../src/sessions/recorder.js';
import { event, recordDelegation } from '../support/record-session.js';

let dir: string;
let whole: Buffer;
let id: string;

beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-damage-'));
  const recorder = openRecorder({ dir, cwd: '/work', warn: (text) => expect.unreachable(text) });
  recordDelegation(recorder);
  for (const text of ['你好', 'two\nlines', 'three']) recorder.sink(event.user(text));
  recorder.close();
  id = recorder.id;
  whole = fs.readFileSync(recorder.path);
});
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

const linesOf = (bytes: Buffer) => bytes.toString().split('\n').slice(1).filter(Boolean);
const headerEnd = () => whole.indexOf('\n') + 1;
const write = (bytes: Buffer) => fs.writeFileSync(path.join(dir, `${id}.jsonl`), bytes);

describe('a session file with any damage', () => {
  it('cut off anywhere: loads, goes on, and what was whole before the cut is there', () => {
    fc.assert(
      fc.property(fc.integer({ min: headerEnd(), max: whole.length }), (cut) => {
        write(whole.subarray(0, cut));
        const before = loadSession(dir, id).messagesAt();
        const recorder = openRecorder({ dir, cwd: '/work', id, warn: (text) => expect.unreachable(text) });
        recorder.sink(event.user('AFTER'));
        recorder.close();
        expect(loadSession(dir, id).messagesAt()).toEqual([...before, { role: 'user', content: 'AFTER' }]);
      }),
      { numRuns: 100 },
    );
  });

  it('bytes overwritten anywhere after the header: loads, and every line that is whole is there', () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(damage, (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[headerEnd() + (at % (whole.length - headerEnd()))] = byte;
        write(bytes);
        const session = loadSession(dir, id);
        const sound = linesOf(bytes).filter((line) => linesOf(whole).includes(line)).length;
        expect([...session.records()].length).toBeGreaterThanOrEqual(sound);
        expect([...markdownOf(session, { full: true })].length).toBeGreaterThan(0);
        expect(session.messagesAt().length).toBeLessThanOrEqual(9);
        expect(listSessions(dir)[0]?.problem).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});
