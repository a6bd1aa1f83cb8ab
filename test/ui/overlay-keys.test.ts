import { describe, expect, it } from 'vitest';
import type { InputEvent } from '../../src/ui/input/input-events.js';
import { lineAfter, pickerKey, questionKey } from '../../src/ui/overlay-keys.js';
import type { Overlay } from '../../src/ui/ui-state.js';

const key = (name: string, more: Partial<Extract<InputEvent, { kind: 'key' }>> = {}): InputEvent => ({
  kind: 'key',
  name,
  ctrl: false,
  alt: false,
  shift: false,
  ...more,
});
const typed = (text: string) => key(text, { text });
const choices = ['alpha', 'beta', 'gamma'].map((label) => ({ id: label, label }));
const picker = (more: Partial<Extract<Overlay, { kind: 'picker' }>> = {}) =>
  ({ kind: 'picker', title: 't', choices, search: '', chosen: 0, canSearch: false, ...more }) as const;

describe('picking', () => {
  it('moves, stays inside the list, and takes the chosen one', () => {
    expect(pickerKey(picker(), key('down'))).toMatchObject({ overlay: { chosen: 1 } });
    expect(pickerKey(picker({ chosen: 2 }), key('down'))).toMatchObject({ overlay: { chosen: 2 } });
    expect(pickerKey(picker({ chosen: 1 }), key('enter'))).toEqual({ picked: choices[1] });
    expect(pickerKey(picker(), key('escape'))).toEqual({ picked: undefined });
  });

  it('takes a number at once, where nothing is searched', () => {
    expect(pickerKey(picker(), typed('3'))).toEqual({ picked: choices[2] });
    expect(pickerKey(picker({ canSearch: true }), typed('3'))).toMatchObject({ overlay: { search: '3' } });
  });

  it('narrows by what is typed, and Enter with nothing found does nothing', () => {
    expect(pickerKey(picker({ canSearch: true, search: 'gam' }), key('enter'))).toEqual({ picked: choices[2] });
    expect(pickerKey(picker({ canSearch: true, search: 'none' }), key('enter'))).toMatchObject({ overlay: { search: 'none' } });
  });
});

describe('filling in a line', () => {
  const question = { kind: 'question', title: 't', text: 'sk-1', secret: true } as const;

  it('types, pastes on one line, deletes whole characters, and gives the text without spaces around it', () => {
    expect(lineAfter('a', typed('b'))).toBe('ab');
    expect(lineAfter('a', { kind: 'paste', text: ' x\ny \n' })).toBe('ax y');
    expect(lineAfter('a😀', key('backspace'))).toBe('a');
    expect(lineAfter('abc', key('u', { ctrl: true }))).toBe('');
    expect(questionKey({ ...question, text: ' sk ' }, key('enter'))).toEqual({ answer: 'sk' });
    expect(questionKey(question, key('escape'))).toEqual({ answer: undefined });
  });
});
