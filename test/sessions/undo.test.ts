import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UndoStore, undoLastTurn } from '../../src/sessions/undo.js';
import { event } from '../support/record-session.js';

let root: string;
let store: UndoStore;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-undo-'));
  fs.mkdirSync(path.join(root, 'sessions'));
  store = new UndoStore({ dir: path.join(root, 'sessions'), session: 's1', warn: (text) => expect.unreachable(text) });
});
afterEach(() => {
  store.close();
  fs.rmSync(root, { recursive: true, force: true });
});

const at = (name: string) => path.join(root, name);
const read = (name: string) => (fs.existsSync(at(name)) ? fs.readFileSync(at(name), 'utf8') : undefined);

/** A change as the workspace makes one. */
function change(name: string, content: string): void {
  store.beforeChange(at(name), fs.existsSync(at(name)) ? fs.readFileSync(at(name)) : undefined);
  fs.writeFileSync(at(name), content);
  store.afterChange(at(name), Buffer.from(content));
}
const nextTurn = () => store.sink(event.runStart());

describe('undo', () => {
  it('takes back a whole turn: changed files get their content and mode back, new ones go', () => {
    fs.writeFileSync(at('script'), 'old\r\n', { mode: 0o755 });
    change('script', 'first');
    change('script', 'second');
    change('new', 'x');
    expect(store.undo()).toEqual({ restored: [at('script'), at('new')], refused: [] });
    expect(read('script')).toBe('old\r\n');
    expect(fs.statSync(at('script')).mode & 0o777).toBe(0o755);
    expect(read('new')).toBeUndefined();
    expect(store.undo()).toBeUndefined();
  });

  it('goes back turn by turn', () => {
    change('a', 'one');
    nextTurn();
    change('a', 'two');
    nextTurn();
    nextTurn();
    change('a', 'three');
    store.undo();
    expect(read('a')).toBe('two');
    store.undo();
    expect(read('a')).toBe('one');
    store.undo();
    expect(read('a')).toBeUndefined();
    expect(store.undo()).toBeUndefined();
  });

  it('works from outside, after the process that made the changes is gone', () => {
    change('a', 'one');
    store.close();
    expect(undoLastTurn(at('sessions'), 's1')).toEqual({ restored: [at('a')], refused: [] });
    expect(undoLastTurn(at('sessions'), 's1')).toBeUndefined();
    expect(undoLastTurn(at('sessions'), 'other')).toBeUndefined();
  });

  it('leaves a file alone that somebody else changed since, and restores the others', () => {
    fs.writeFileSync(at('a'), 'old');
    change('a', 'frost');
    change('b', 'frost');
    fs.writeFileSync(at('a'), 'mine');
    expect(store.undo()).toEqual({ restored: [at('b')], refused: [{ path: at('a'), reason: 'it was changed since' }] });
    expect(read('a')).toBe('mine');
  });

  it('does not bring back what somebody deleted, nor write through a link that took the place', () => {
    fs.writeFileSync(at('gone'), 'old');
    fs.writeFileSync(at('linked'), 'old');
    fs.writeFileSync(at('elsewhere'), 'frost');
    change('gone', 'frost');
    change('linked', 'frost');
    fs.rmSync(at('gone'));
    fs.rmSync(at('linked'));
    fs.symlinkSync(at('elsewhere'), at('linked'));
    expect(store.undo()?.refused.map(({ reason }) => reason)).toEqual(['it was deleted since', 'it is no longer a regular file']);
    expect(read('elsewhere')).toBe('frost');
  });

  it('names where the former content is when frost was stopped in the middle of a change', () => {
    fs.writeFileSync(at('a'), 'old');
    store.beforeChange(at('a'), Buffer.from('old'));
    fs.writeFileSync(at('a'), 'half');
    const [refused] = store.undo()?.refused ?? [];
    const kept = /kept in (\S+)$/.exec(refused?.reason ?? '')?.[1] ?? '';
    expect(fs.readFileSync(kept, 'utf8')).toBe('old');
    expect(read('a')).toBe('half');
  });

  it('keeps former contents for the user alone', () => {
    fs.writeFileSync(at('a'), 'old');
    change('a', 'new');
    expect(fs.statSync(at('sessions/s1.undo')).mode & 0o777).toBe(0o700);
    for (const name of fs.readdirSync(at('sessions/s1.undo'))) expect(fs.statSync(at(`sessions/s1.undo/${name}`)).mode & 0o777).toBe(0o600);
  });

  it('says once that changes cannot be undone, and does not stand in their way', () => {
    const warnings: string[] = [];
    fs.writeFileSync(at('file'), '');
    const blocked = new UndoStore({ dir: at('file'), session: 's1', warn: (text) => warnings.push(text) });
    blocked.beforeChange(at('a'), Buffer.from('old'));
    blocked.beforeChange(at('b'), undefined);
    blocked.afterChange(at('a'), Buffer.from('new'));
    expect(warnings).toEqual([expect.stringContaining('cannot be undone')]);
  });
});
