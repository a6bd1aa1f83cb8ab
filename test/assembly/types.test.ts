import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TempHome, tempHome } from '../support/temp-home.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

let machine: TempHome;

beforeAll(() => {
  machine = tempHome();
});

afterAll(() => machine.remove());

function tsc(args: string[], cwd: string): string {
  try {
    return execFileSync(process.execPath, [TSC, ...args], { cwd, encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout: unknown }).stdout);
  }
}

it('a TypeScript project of somebody else has the types of the package, and is told of a wrong field', () => {
  const installed = path.join(machine.cwd, 'node_modules/frost-agent');
  fs.mkdirSync(installed, { recursive: true });
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(installed, 'package.json'));
  expect(tsc(['-p', 'build/tsconfig.types.json', '--outDir', path.join(installed, 'dist/types')], ROOT)).toBe('');
  machine.write('package.json', '{ "type": "module" }');
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', noEmit: true, types: [], lib: ['es2023', 'dom'] };
  machine.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  machine.write(
    'right.ts',
    `import { type AgentEvent, createAgent, defineAgent, defineAgentProfile, defineTool, RunError } from 'frost-agent';
     const lookup = defineTool({ name: 'lookup', description: 'Looks up.', run: async (args, { signal }) => ({ args, stopped: signal.aborted }) });
     const helper = defineAgentProfile({ name: 'helper', description: 'Helps.', instructions: 'Help.', tools: [lookup, 'read_file'], thinkingLevel: 'low' });
     const session = createAgent(defineAgent(() => ({ model: 'm', subagents: [helper], compaction: false }))).session();
     session.subscribe((event: AgentEvent) => { if (event.type === 'text_delta') event.text.trim(); });
     const answer = await session.prompt<{ late: boolean }>('x', { result: { type: 'object' } });
     export const late: boolean | undefined = answer.data?.late;
     export const partial = (error: unknown): string => (error instanceof RunError ? error.run.answer : '');`,
  );
  expect(tsc(['-p', '.'], machine.cwd)).toBe('');
  machine.write(
    'wrong.ts',
    `import { defineAgentProfile } from 'frost-agent';
     defineAgentProfile({ name: 'a', description: 'b', instructions: 'c', durability: {} });`,
  );
  expect(tsc(['-p', '.'], machine.cwd)).toMatch(/wrong\.ts.*durability/);
}, 60_000);
