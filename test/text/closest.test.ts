import { describe, expect, it } from 'vitest';
import { closest } from '../../src/text/closest.js';

describe('the nearest of some names', () => {
  it.each<[word: string, candidates: string[], nearest: string | undefined]>([
    ['red_file', ['read_file', 'write_file'], 'read_file'],
    ['ReadFile', ['read_file', 'write_file'], 'read_file'],
    ['max_cots', ['max_cost', 'max_tokens'], 'max_cost'],
    ['max-Costs', ['max_cost', 'max_tokens'], 'max_cost'],
    ['coder', ['Coder', 'Reviewer'], 'Coder'],
    ['tea', ['name', 'tools'], undefined],
    ['x', ['a', 'b'], undefined],
    ['anything', [], undefined],
  ])('to %s of %j is %s', (word, candidates, nearest) => {
    expect(closest(word, candidates)).toBe(nearest);
  });
});
