import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputHistory } from '../../src/sessions/input-history.js';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-input-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const history = (options: { most?: number; mask?: (text: string) => string } = {}) =>
  new InputHistory({ file: path.join(root, 'state/history.jsonl'), ...options });

describe('input history', () => {
  it('gives every chat what was typed in earlier ones, multi-line and Chinese too', () => {
    history().add('first\nsecond line');
    history().add('你好');
    expect(history().entries()).toEqual(['first\nsecond line', '你好']);
    expect(fs.statSync(path.join(root, 'state/history.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('has a text once, at its newest place, and no empty ones', () => {
    for (const text of ['a', 'b', ' ', 'a']) history().add(text);
    expect(history().entries()).toEqual(['b', 'a']);
  });

  it('keeps the newest and does not grow without end', () => {
    const small = history({ most: 10 });
    for (let i = 0; i < 55; i++) small.add(`entry ${i}`);
    expect(small.entries()).toEqual(Array.from({ length: 10 }, (_, i) => `entry ${45 + i}`));
    expect(fs.readFileSync(path.join(root, 'state/history.jsonl'), 'utf8').split('\n').length).toBeLessThanOrEqual(21);
  });

  it('passes over damaged lines, and a missing or unwritable file', () => {
    history().add('one');
    fs.appendFileSync(path.join(root, 'state/history.jsonl'), '{"text":"to');
    history().add('two');
    expect(history().entries()).toEqual(['one', 'two']);
    fs.writeFileSync(path.join(root, 'file'), '');
    const blocked = new InputHistory({ file: path.join(root, 'file/history.jsonl') });
    blocked.add('x');
    expect(blocked.entries()).toEqual([]);
  });

  it('masks keys', () => {
    history({ mask: (text) => text.replaceAll('sk-secret', '<KEY>') }).add('use sk-secret');
    expect(fs.readFileSync(path.join(root, 'state/history.jsonl'), 'utf8')).not.toContain('sk-secret');
  });
});
