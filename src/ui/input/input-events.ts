/** What the terminal tells: keys, pastes, and whether its window is looked at. */
export interface KeyEvent {
  kind: 'key';
  /** `enter`, `tab`, `backspace`, `delete`, `escape`, `up` … `f12`, `space`, or the character itself in lower case. */
  name: string;
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
  /** What the key types; absent for a key that types nothing. One code point. */
  text?: string;
}

export type InputEvent = KeyEvent | { kind: 'paste'; text: string } | { kind: 'focus' } | { kind: 'blur' };
