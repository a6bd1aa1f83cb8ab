import { FrostError } from '../errors.js';
import { readFrontMatter } from '../text/front-matter.js';
import { type AgentDefinition, defineAgent } from './define-agent.js';
import type { MarkdownProblem } from './markdown.js';
import { readMarkdownFields } from './markdown-fields.js';
import type { AgentProfile } from './profile.js';

/**
 * A Markdown agent as the main agent: the same keys, none of them required. `visible` are the agents that its `subagents` may
 * name. What was read but not understood comes back in `problems`.
 * @throws {FrostError} of the kind `config`, with file and line.
 */
export async function mainAgentFromMarkdown(
  file: string,
  text: string,
  visible: readonly AgentProfile[],
): Promise<{ definition: AgentDefinition; problems: MarkdownProblem[] }> {
  const fail = (line: number, message: string): never => {
    throw new FrostError('config', `${file}:${line}: ${message}`, { file, line });
  };
  const problems: MarkdownProblem[] = [];
  const matter = await readFrontMatter(text);
  if (!matter) return { definition: define(file, { instructions: text.trim() }, () => 1), problems };
  if (matter.problem) fail(matter.problem.line, matter.problem.message);
  const { input, subagents, lines } = readMarkdownFields(matter.fields, (severity, line, message) => {
    if (severity === 'error') fail(line, message);
    problems.push({ file, line, message, severity });
  });
  input['subagents'] = subagents.map(({ name, line }) => {
    const names = visible.map((profile) => profile.name).join(', ') || 'none';
    return visible.find((profile) => profile.name === name) ?? fail(line, `there is no agent '${name}' for 'subagents'. Agents: ${names}`);
  });
  if (matter.body !== '') input.instructions = matter.body;
  return { definition: define(file, input, (field) => lines.get(field) ?? 1), problems };
}

function define(file: string, input: Record<string, unknown>, lineOf: (field: string) => number): AgentDefinition {
  try {
    return defineAgent(input);
  } catch (error) {
    if (!(error instanceof FrostError)) throw error;
    const line = lineOf(String(error.facts['field']));
    throw new FrostError('config', `${file}:${line}: ${error.message}`, { file, line });
  }
}
