import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { summaryMessage } from '../../src/agent/summary.js';
import { loadSession } from '../../src/sessions/load.js';
import { openRecorder } from '../../src/sessions/recorder.js';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-compacted-'));
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

it('resumes a compacted conversation from its summary, and keeps the original records', () => {
  const recorder = openRecorder({ dir, cwd: '/work', warn: (text) => expect.unreachable(text) });
  const say = (content: string) => recorder.sink({ type: 'message', ts: 1, id: content, message: { role: 'user', content } });
  const compacted = (summary: string | undefined, kept: number) =>
    recorder.sink({
      type: 'compaction',
      ts: 1,
      state: 'end',
      trigger: 'auto',
      tokensBefore: 9,
      kept,
      ...(summary !== undefined && { summary }),
    });
  const texts = (leaf?: string | null) =>
    loadSession(dir, recorder.id)
      .messagesAt(leaf)
      .map(({ content }) => content);
  for (const text of ['one', 'two', 'three']) say(text);
  const before = recorder.leaf;
  compacted('FIRST', 1);
  say('four');
  expect(texts()).toEqual([summaryMessage('FIRST').content, 'three', 'four']);
  compacted(undefined, 0);
  expect(texts()).toEqual([summaryMessage('FIRST').content, 'three', 'four']);
  compacted('SECOND', 0);
  say('five');
  expect(texts()).toEqual([summaryMessage('SECOND').content, 'five']);
  expect(texts(before)).toEqual(['one', 'two', 'three']);
  expect([...loadSession(dir, recorder.id).records()].filter(({ type }) => type === 'message')).toHaveLength(5);
  recorder.close();
});
