/** What a tool call is about to do, stated by the tool before it runs; `decide` judges it. */
export type Access =
  | { kind: 'none' }
  | { kind: 'read'; path: string }
  | { kind: 'write'; path: string }
  | { kind: 'run'; command: string; cwd?: string }
  | { kind: 'fetch'; url: string };

/** The verdict on one access. `rule` is the permission rule that an «always» grant would write. */
export type Verdict = { verdict: 'allow' } | { verdict: 'ask'; reason: string; rule?: string } | { verdict: 'deny'; reason: string };

/** `read`: look only. `ask`: changes and commands ask. `edit`: edits run, commands ask. `full`: everything runs. */
export type PermissionMode = 'read' | 'ask' | 'edit' | 'full';

/** A person's answer to a question. `always` is for the rule, written to the user's settings. */
export type ApprovalAnswer = { answer: 'once' | 'session' | 'always' } | { answer: 'no'; reason?: string };
