import fs from 'node:fs';
import path from 'node:path';
import { specialistVariable } from '../config/table.js';
import { FrostError } from '../errors.js';
import { defineAgentProfile } from './define.js';

export interface NewAgent {
  name: string;
  description?: string;
  model?: string;
  endpoint?: string;
  apiKeyEnv?: string;
  tools?: readonly string[];
}

/**
 * Writes the file of a new agent into a folder and returns its path. What is not given stands in it as a comment to fill in.
 * @throws {FrostError} `config` for values that no agent may have, `usage` where the file exists already.
 */
export function writeNewAgent(folder: string, agent: NewAgent): string {
  const { name, description = PLACEHOLDER, model, endpoint, apiKeyEnv, tools } = agent;
  const given = { ...(model && { model }), ...(endpoint && { endpoint }), ...(apiKeyEnv && { apiKeyEnv }), ...(tools && { tools }) };
  defineAgentProfile({ name, description, instructions: BODY, ...given });
  const file = path.join(folder, `${name}.md`);
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(file, textOf({ ...agent, description }), { flag: 'wx' });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EEXIST') throw new FrostError('usage', `${file} exists already; edit it, or choose another name.`, { file });
    throw new FrostError('config', `${file} cannot be written (${code ?? String(error)}).`, { file });
  }
  return file;
}

const PLACEHOLDER = 'Say when to call this agent and what answer to expect; the main model reads this line.';
const BODY = 'You are a specialist. Say here how it works, what it must not do, and what its answer looks like.';

function textOf({ name, description = PLACEHOLDER, model, endpoint, apiKeyEnv, tools }: NewAgent): string {
  const line = (key: string, value: string | undefined, example: string) => (value ? `${key}: ${value}` : `# ${key}: ${example}`);
  return [
    '---',
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    line('tools', tools?.join(', '), 'read_file, search_files    (omitted: none)'),
    line('model', model, "qwen3-coder    (omitted: the main agent's)"),
    line('endpoint', endpoint, "https://models.example.com/v1    (omitted: the main agent's)"),
    line('api_key_env', apiKeyEnv, `${specialistVariable(name, 'API_KEY')}    (the variable that holds its key)`),
    '# max_cost: 0.25    (USD)',
    '# timeout_s: 120',
    '---',
    '',
    BODY,
    '',
  ].join('\n');
}
