/** `--agent-file`: a main agent from a TypeScript, JavaScript or Markdown file that the user named. */
import fs from 'node:fs';
import path from 'node:path';
import type { Settings } from '../config/settings.js';
import { FrostError } from '../errors.js';
import { type AgentDefinition, defineAgent } from '../profiles/define-agent.js';
import type { MarkdownProblem } from '../profiles/markdown.js';
import type { AgentProfile } from '../profiles/profile.js';
import { profileSource, toldProblems } from './roster.js';

export interface AgentFile {
  definition: AgentDefinition;
  /** Absolute path. */
  file: string;
  problems: readonly MarkdownProblem[];
}

/** The definition in the file of `--agent-file`; what is odd in a Markdown file goes to `warn`, one line each. */
export async function definitionFrom(
  given: string,
  { settings, cwd, warn }: { settings: Settings; cwd: string; warn(text: string): void },
): Promise<AgentDefinition> {
  const { profiles } = await profileSource(settings, warn)();
  const { definition, problems } = await loadAgentFile(given, cwd, profiles);
  for (const text of toldProblems(problems)) warn(text);
  return definition;
}

const MODULES = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];

/**
 * Loads an agent file. A module's default export is what `defineAgent` made, or an object, a function or a promise that leads
 * to it; its `import 'frost-agent'` is this very frost, wherever the file lies.
 * @param visible the agents that a Markdown file's `subagents` may name.
 * @throws {FrostError} `input_missing` where there is no such file, else `usage` or `config`, naming the file.
 */
export async function loadAgentFile(given: string, cwd: string, visible: readonly AgentProfile[]): Promise<AgentFile> {
  const file = path.resolve(cwd, given);
  const extension = path.extname(file).toLowerCase();
  if (!fs.existsSync(file)) throw new FrostError('input_missing', `The agent file ${file} does not exist.`, { file });
  if (extension === '.md') {
    const { mainAgentFromMarkdown } = await import('../profiles/markdown-main.js');
    return { file, ...(await mainAgentFromMarkdown(file, fs.readFileSync(file, 'utf8'), visible)) };
  }
  if (!MODULES.includes(extension)) {
    throw new FrostError('usage', `An agent file ends in ${MODULES.join(', ')} or .md; ${file} does not.`, { file });
  }
  return { file, definition: await definitionOf(file, await loadModule(file)), problems: [] };
}

async function loadModule(file: string): Promise<unknown> {
  const [{ createJiti }, { publicApi }] = await Promise.all([import('jiti/static'), import('./public-api.js')]);
  // No cache on disk: a shared temporary folder is a place where somebody else could leave code.
  const jiti = createJiti(file, { fsCache: false, interopDefault: false, virtualModules: { 'frost-agent': publicApi } });
  try {
    return await jiti.import(file);
  } catch (error) {
    throw inFile(file, error);
  }
}

async function definitionOf(file: string, loaded: unknown): Promise<AgentDefinition> {
  const isModule = typeof loaded === 'object' && loaded !== null && ('default' in loaded || '__esModule' in loaded);
  const exported = isModule ? (loaded as { default?: unknown }).default : loaded;
  if (exported === undefined) {
    throw new FrostError('config', `${file} has no default export. End it with: export default defineAgent({ … })`, { file });
  }
  try {
    return await defineAgent((await exported) as AgentDefinition);
  } catch (error) {
    throw inFile(file, error);
  }
}

/** The error with the file in its sentence, once. */
function inFile(file: string, error: unknown): FrostError {
  const message = error instanceof Error ? error.message.trim().replace(/\s*\n\s*/g, ' ') : String(error);
  const text = message.includes(file) ? message : `${file}: ${message}`;
  return new FrostError('config', `The agent file cannot be used. ${text}`, { file }, { cause: error });
}
