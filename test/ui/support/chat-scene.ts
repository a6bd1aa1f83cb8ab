/** A chat for a test: the built program in a terminal, with scripted endpoints for the main agent and Coder. */
import { type Endpoint, type Reply, startEndpoint } from '../../support/endpoint.js';
import { frostInTerminal, type Pty, type PtyOptions } from './pty.js';

export const CLEARS = /\x1b\[[23]J/;
export const SIZES = [
  [80, 24],
  [40, 10],
  [200, 60],
] as const;

export interface ChatScene {
  main?: Reply[];
  coder?: Reply[];
  args?: string[];
  options?: PtyOptions;
}

/** The chat against scripted endpoints for the main agent and Coder. */
export async function chatWith({
  main = [],
  coder = [],
  args = [],
  options = {},
}: ChatScene): Promise<{ pty: Pty; main: Endpoint; coder: Endpoint }> {
  const [mainEndpoint, coderEndpoint] = await Promise.all([startEndpoint(main, 'big'), startEndpoint(coder, 'small')]);
  const env = {
    UPSTREAM_ENDPOINT: mainEndpoint.url,
    UPSTREAM_API_KEY: 'sk-main-0123456789',
    MODEL_NAME: 'big',
    CODER_ENDPOINT: coderEndpoint.url,
    CODER_API_KEY: 'sk-coder-0123456789',
    CODER_MODEL: 'small',
    TERM_PROGRAM: 'vscode',
    ...options.env,
  };
  const pty = frostInTerminal(args, { ...options, env });
  await pty.waitFor('big @');
  return { pty, main: mainEndpoint, coder: coderEndpoint };
}

export const delegation = (...tasks: string[]): Reply => ({
  calls: tasks.map((content, at) => ({ id: `call_${at}`, name: 'use_subagent', arguments: { subagent_name: 'Coder', content } })),
});

/** How often a line stands in everything that was ever on the screen. */
export const countLines = (pty: Pty, text: string) => pty.logicalLines().filter((line) => line.includes(text)).length;
