import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, cutRows, cutWhole, finish, NEW_CUTTER, openRest, type Piece } from '../../src/ui/blocks.js';

const SAMPLE = [
  '# Title',
  '',
  'First paragraph,',
  'two lines.',
  '- one',
  '- two',
  '  goes on',
  '  - nested',
  '',
  '1. first',
  '2. second',
  '',
  '| a | b |',
  '|---|---|',
  '| 1 | 2 |',
  '',
  '> quoted',
  '> text',
  '',
  '---',
  '```ts',
  'const a = 1;',
  '',
  '  two();',
  '```',
  'After.',
].join('\n');

const kinds = (pieces: Piece[]) => pieces.map(({ kind }) => kind);

/** Pieces whatever the cuts were: runs of code lines belong together. */
function joined(pieces: Piece[]): unknown[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (piece.kind === 'code' && last?.kind === 'code') all[all.length - 1] = { ...last, code: last.code + piece.code };
    else all.push(piece);
  }
  return all;
}

describe('an answer that streams', () => {
  it('is cut into blocks that will not change', () => {
    expect(kinds(cutWhole(SAMPLE))).toEqual([
      'heading',
      'paragraph',
      'item',
      'item',
      'item',
      'item',
      'item',
      'table',
      'quote',
      'rule',
      'fence',
      'code',
      'fence_end',
      'paragraph',
    ]);
  });

  it('gives the same blocks however the network cut it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 60 }), (sizes) => {
        let [at, cutter]: [number, typeof NEW_CUTTER] = [0, NEW_CUTTER];
        const all: Piece[] = [];
        for (let turn = 0; at < SAMPLE.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          const step = cut(cutter, SAMPLE.slice(at, at + size));
          all.push(...step.pieces);
          [at, cutter] = [at + size, step.cutter];
        }
        expect(joined([...all, ...finish(cutter)])).toEqual(joined(cutWhole(SAMPLE)));
      }),
    );
  });

  it('commits a line of code as soon as it has ended, and knows the code above it', () => {
    const first = cut(NEW_CUTTER, '```py\na = 1\nb =');
    expect(first.pieces).toEqual([
      { kind: 'fence', lang: 'py' },
      { kind: 'code', lang: 'py', before: '', code: 'a = 1\n' },
    ]);
    expect(cut(first.cutter, ' 2\n').pieces).toEqual([{ kind: 'code', lang: 'py', before: 'a = 1\n', code: 'b = 2\n' }]);
  });

  it('keeps the open rest short: many lines without an empty one are committed too', () => {
    const { pieces, cutter } = cut(NEW_CUTTER, 'row of the answer\n'.repeat(200));
    expect(pieces.length).toBeGreaterThan(40);
    expect(cutter.lines.length).toBeLessThan(5);
  });

  it('does not cut where bold text or code is open', () => {
    const { pieces } = cut(NEW_CUTTER, '**bold\ntext\nover\nmany\nlines** and on\n');
    expect(pieces).toHaveLength(1);
    expect(pieces[0]).toMatchObject({ kind: 'paragraph', continues: true });
  });

  it('ends fenced code that was broken off', () => {
    const { cutter } = cut(NEW_CUTTER, '```\nhalf a li');
    expect(kinds(finish(cutter))).toEqual(['code', 'fence_end']);
    expect(openRest(cutter)).toMatchObject([{ kind: 'code', code: 'half a li\n' }]);
  });

  it('takes a fence inside a list item, without its indentation', () => {
    const code = cutWhole('- run\n  ```sh\n  ls\n    -l\n  ```\n').find((piece) => piece.kind === 'code');
    expect(code).toMatchObject({ lang: 'sh', code: 'ls\n  -l\n' });
  });

  it('reads an underlined heading', () => {
    expect(cutWhole('Title\n=====\ntext')).toMatchObject([{ kind: 'heading', depth: 1, markdown: 'Title' }, { kind: 'paragraph' }]);
  });

  it('gives away the first rows of a long paragraph where its line breaks anyhow, and reads what follows as the same paragraph', () => {
    const rowsOf = (piece: Piece) => ('markdown' in piece ? Math.ceil(piece.markdown.length / 10) : 1);
    const { cutter } = cut(NEW_CUTTER, 'aaaa bbbb cccc dddd - not an item, # not a heading');
    const found = cutRows(cutter, 3, rowsOf);
    expect(found?.piece).toEqual({ kind: 'paragraph', indent: 0, markdown: 'aaaa bbbb cccc dddd', continues: true });
    const rest = found ? finish(found.cutter) : [];
    expect(rest).toEqual([{ kind: 'paragraph', indent: 0, markdown: '- not an item, # not a heading' }]);
  });

  it('gives nothing away inside bold text, nor where the rest is short', () => {
    const rowsOf = (piece: Piece) => ('markdown' in piece ? Math.ceil(piece.markdown.length / 10) : 1);
    expect(cutRows(cut(NEW_CUTTER, `**${'bold '.repeat(20)}`).cutter, 3, rowsOf)).toBeUndefined();
    expect(cutRows(cut(NEW_CUTTER, 'short').cutter, 3, rowsOf)).toBeUndefined();
  });

  it('hangs what follows of a long list item under its text', () => {
    const rowsOf = (piece: Piece) => ('markdown' in piece ? Math.ceil(piece.markdown.length / 10) : 1);
    const found = cutRows(cut(NEW_CUTTER, `  - ${'word '.repeat(20)}`).cutter, 4, rowsOf);
    expect(found?.piece).toMatchObject({ kind: 'item', indent: 2, marker: '-', continues: true });
    expect(found && openRest(found.cutter)).toMatchObject([{ kind: 'paragraph', indent: 4 }]);
  });
});
