import { describe, expect, it } from 'vitest';
import type { Access, ApprovalAnswer } from '../../src/permissions/access.js';
import { demandFullAllowed } from '../../src/permissions/full-mode.js';
import { Gate, type GateOptions, type GateQuestion } from '../../src/permissions/gate.js';
import { parseRules } from '../../src/permissions/rules.js';
import { secretTest } from '../../src/permissions/secrets.js';

function gateOf(options: Partial<GateOptions> = {}): Gate {
  return new Gate({ mode: 'ask', root: '/ws', isSecret: secretTest(), ...options });
}

/** A person who gives these answers, one a question. */
function person(...answers: ApprovalAnswer[]) {
  const asked: GateQuestion[] = [];
  return {
    asked,
    ask: async (question: GateQuestion): Promise<ApprovalAnswer> => {
      asked.push(question);
      return answers[asked.length - 1] ?? { answer: 'no', reason: 'not expected' };
    },
  };
}

const write = (path: string, agentName?: string) => ({
  tool: 'write_file',
  access: { kind: 'write', path } as Access,
  callId: 'c',
  ...(agentName && { agentName }),
});
const run = (command: string) => ({ tool: 'run_command', access: { kind: 'run', command } as Access, callId: 'c' });

describe('the gate', () => {
  it('denies where nobody can be asked, and says which flag would let it', async () => {
    expect(await gateOf().check(run('npm test'))).toEqual({
      allowed: false,
      reason: "«npm test» would run without a sandbox, and nobody can be asked here; --allow 'run_command(npm test)' would let it",
    });
  });

  it('asks each time for «once», and not again for «session»', async () => {
    const { ask, asked } = person({ answer: 'once' }, { answer: 'session' });
    const gate = gateOf({ ask });
    for (let i = 0; i < 4; i++) expect(await gate.check(write('a.txt'))).toEqual({ allowed: true });
    expect(asked).toHaveLength(2);
    expect(await gate.check(write('b.txt'))).toEqual({ allowed: false, reason: 'not expected' });
  });

  it('writes the rule for «always»', async () => {
    const remembered: string[] = [];
    const gate = gateOf({ ask: person({ answer: 'always' }).ask, remember: (rule) => void remembered.push(rule) });
    expect(await gate.check(run('npm test'))).toEqual({ allowed: true });
    expect(remembered).toEqual(['run_command(npm test)']);
    expect(await gate.check(run('npm test'))).toEqual({ allowed: true });
  });

  it('grants a command that cannot be judged for the session, word by word', async () => {
    const { ask, asked } = person({ answer: 'session' });
    const gate = gateOf({ ask });
    expect(await gate.check(run('echo $(date)'))).toEqual({ allowed: true });
    expect(await gate.check(run('echo $(date)'))).toEqual({ allowed: true });
    expect((await gate.check(run('echo $(rm x)'))).allowed).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it('hands the no and its reason on', async () => {
    const gate = gateOf({ ask: person({ answer: 'no', reason: 'use the staging folder' }).ask });
    expect(await gate.check(write('a'))).toEqual({ allowed: false, reason: 'use the staging folder' });
  });

  it('asks one question at a time, and an answer counts for those that wait', async () => {
    let open = 0;
    const gate = gateOf({
      ask: async () => {
        expect(++open).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        open--;
        return { answer: 'session' };
      },
    });
    const answers = await Promise.all([1, 2, 3].map(() => gate.check(write('a'))));
    expect(answers).toEqual([{ allowed: true }, { allowed: true }, { allowed: true }]);
  });

  it('takes an open question back when the turn is stopped', async () => {
    const stop = new AbortController();
    const gate = gateOf({ ask: () => new Promise(() => {}) });
    const waiting = gate.check({ ...write('a'), signal: stop.signal });
    setTimeout(() => stop.abort(), 5);
    expect(await waiting).toEqual({ allowed: false, reason: 'the turn was stopped' });
    expect(await gate.check({ ...write('a'), signal: stop.signal })).toEqual({ allowed: false, reason: 'the turn was stopped' });
  });

  it('no answer lifts a deny rule or the boundary', async () => {
    const { ask, asked } = person();
    const gate = gateOf({ mode: 'full', ask, rules: parseRules({ deny: ['write_file(x)'] }) });
    expect((await gate.check(write('x'))).allowed).toBe(false);
    expect((await gate.check(write('/etc/passwd'))).allowed).toBe(false);
    expect(asked).toEqual([]);
  });
});

describe('L7: a child passes its own gate and its parent’s', () => {
  it('gets nothing that the parent has not', async () => {
    const parent = gateOf({ mode: 'read', rules: parseRules({ deny: ['read_file(private/**)'] }) });
    const child = parent.child({ mode: 'full', rules: parseRules({ allow: ['write_file(**)', 'read_file(private/**)'] }) });
    expect((await child.check(write('a'))).allowed).toBe(false);
    const reading = { tool: 'read_file', access: { kind: 'read', path: 'private/x' } as Access, callId: 'c' };
    expect((await child.check(reading)).allowed).toBe(false);
  });

  it('gets less where its own gate says so', async () => {
    const parent = gateOf({ mode: 'full' });
    expect((await parent.child({ mode: 'read' }).check(write('a'))).allowed).toBe(false);
    expect((await parent.child({ rules: parseRules({ deny: ['write_file'] }) }).check(write('a'))).allowed).toBe(false);
    expect((await parent.child().child({ mode: 'read' }).child().check(write('a'))).allowed).toBe(false);
    expect((await parent.child().check(write('a'))).allowed).toBe(true);
  });

  it('asks under its own name; what was granted for the session counts for all', async () => {
    const { ask, asked } = person({ answer: 'session' });
    const parent = gateOf({ ask });
    expect((await parent.child().child().check(write('a', 'Coder'))).allowed).toBe(true);
    expect((await parent.child().check(write('a', 'Researcher'))).allowed).toBe(true);
    expect((await parent.check(write('a'))).allowed).toBe(true);
    expect(asked.map(({ agentName }) => agentName)).toEqual(['Coder']);
  });
});

it('refuses the mode full as root without a sandbox, unless confirmed', () => {
  const refused = { isRoot: true, isSandboxed: false, isConfirmed: false };
  expect(() => demandFullAllowed(refused)).toThrow('--yes-full');
  for (const change of [{ isRoot: false }, { isSandboxed: true }, { isConfirmed: true }]) demandFullAllowed({ ...refused, ...change });
});
