import { existsSync } from 'node:fs';
import type { Tool, ToolResult } from '../profiles/tool.js';
import type { CommandResult } from '../workspace/command.js';
import type { Sandbox } from '../workspace/sandbox.js';
import type { Workspace } from '../workspace/workspace.js';
import { takingNames } from './field-names.js';
import { JudgedPlaces } from './judged-places.js';

const NAMES = takingNames({ cmd: 'command', script: 'command', workdir: 'cwd' } as const);

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 3600;

export interface RunCommandOptions {
  workspace: Workspace;
  /** All that the command's environment has: no key is ever in it. */
  env: Readonly<Record<string, string>>;
  /** Resolves to undefined where this machine has no sandbox. */
  sandbox: () => Promise<Sandbox | undefined>;
  network: () => boolean;
}

export function runCommandTool({ workspace, env, sandbox, network }: RunCommandOptions): Tool {
  const places = new JudgedPlaces(workspace);
  return {
    name: 'run_command',
    description: 'Run a shell command in the workspace. Its processes end with it.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string' },
        cwd: { type: 'string' },
        timeout_s: { type: 'integer', minimum: 1, maximum: MAX_TIMEOUT_S },
      },
      required: ['command'],
    },
    prepare: NAMES,
    access: async (args) => ({
      kind: 'run',
      command: String(args['command']),
      ...(args['cwd'] !== undefined && { cwd: (await places.of(args, args['cwd'])).name }),
    }),
    exclusive: true,
    summary: (args) => String(args['command']),
    async run(args, { signal, update }) {
      const command = String(args['command']);
      const cwd = await workspace.folder(await places.of(args, args['cwd'] ?? '.'));
      const timeoutS = Math.min(typeof args['timeout_s'] === 'number' ? args['timeout_s'] : DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S);
      const shell = existsSync('/bin/bash') ? ['/bin/bash', '--noprofile', '--norc', '-c', command] : ['/bin/sh', '-c', command];
      const box = await sandbox();
      const argv = box ? await box.wrap(shell, { cwd, network: network() }) : shell;
      const { runCommand } = await import('../workspace/command.js');
      const result = await runCommand({
        argv,
        cwd,
        env,
        timeoutMs: timeoutS * 1000,
        signal,
        update,
        logFolder: () => workspace.outputFolder(),
      });
      return resultOf(command, result, timeoutS);
    },
  };
}

function resultOf(command: string, result: CommandResult, timeoutS: number): ToolResult {
  const ending =
    result.ended === 'timeout'
      ? `ended after ${timeoutS} s`
      : result.ended === 'aborted'
        ? 'stopped'
        : result.signal
          ? `ended by ${result.signal}`
          : `exit code ${result.exitCode}`;
  const output = withoutColours(result.output).trimEnd();
  return {
    text: result.exitCode === 0 && !result.ended ? output || '[no output]' : `${output}${output && '\n'}[${ending}]`,
    ...(result.ended && { isError: true }),
    details: {
      kind: 'command',
      command,
      exitCode: result.exitCode,
      ...(result.signal && { signal: result.signal }),
      ...(result.log && { log: result.log }),
    },
  };
}

/** The model has no use for colours and cursor movements. */
const withoutColours = (text: string) =>
  text.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g, '').replace(/\r\n/g, '\n');
