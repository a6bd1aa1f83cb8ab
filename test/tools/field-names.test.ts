import { describe, expect, it } from 'vitest';
import { takingNames } from '../../src/tools/field-names.js';

describe('field names of other agents', () => {
  const take = takingNames({ file_path: 'path', old_string: 'old' });

  it('are taken for the same fields', () => {
    expect(take({ file_path: 'a', old_string: 'x', new: 'y' })).toEqual({ path: 'a', old: 'x', new: 'y' });
  });

  it("never replace a field that has the tool's own name", () => {
    expect(take({ file_path: 'a', path: 'b' })).toEqual({ path: 'b' });
  });

  it('leave everything else for the validation, prototype names included', () => {
    const args = { toString: 1, other: 2 };
    expect(take(args)).toBe(args);
  });
});
