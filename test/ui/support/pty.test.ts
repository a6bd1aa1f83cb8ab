import { afterEach, describe, expect, it } from 'vitest';
import { closeTerminals, runInTerminal } from './pty.js';

afterEach(closeTerminals);

describe('the test terminal', () => {
  it('shows what a program writes, takes keys, and tells its size, cursor and exit', async () => {
    const pty = runInTerminal('bash', ['--norc', '-c', 'printf "A中😀e\\u0301B"; read line; stty size; exit 3'], { cols: 40, rows: 10 });
    await pty.waitFor('B');
    expect(pty.cursor()).toEqual({ row: 0, column: 7 });
    pty.resize(50, 12);
    await pty.send('x\r');
    expect(await pty.exit()).toMatchObject({ code: 3 });
    expect(pty.screenText()).toContain('12 50');
    expect(pty.raw()).toContain('中😀');
  });

  it('gives the program a home of its own and nothing of this process', async () => {
    const pty = runInTerminal('bash', ['--norc', '-c', 'echo "$HOME|$CI|$VITEST|$XDG_STATE_HOME"']);
    await pty.exit();
    expect(pty.screenText()).toBe(`${pty.home}|||${pty.home}/.state`);
  });
});
