/** What an input means by its first characters. */
export type Submission =
  | { kind: 'prompt'; text: string }
  /** `hidden`: the model does not get the output (`!!`). */
  | { kind: 'shell'; command: string; hidden: boolean }
  | { kind: 'command'; name: string; rest: string };

/** `/name …`, `!command`, `!!command`, or a prompt. A path such as `/usr/bin` is a prompt. */
export function readSubmission(text: string): Submission {
  const trimmed = text.trim();
  const shell = /^(!!?)\s*([^!\s][\s\S]*)$/.exec(trimmed);
  if (shell) return { kind: 'shell', command: shell[2] ?? '', hidden: shell[1] === '!!' };
  const command = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(trimmed);
  if (command) return { kind: 'command', name: (command[1] ?? '').toLowerCase(), rest: command[2] ?? '' };
  return { kind: 'prompt', text: trimmed };
}
