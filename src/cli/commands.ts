/** All commands but the chat. Each one's module is loaded only when it is named. */
import type { Command } from 'commander';

export interface CommandEntry {
  name: string;
  description: string;
  /** Adds the command to the program. */
  register(program: Command): Promise<void>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'ask',
    description: 'Ask one question; the answer goes to stdout and nothing else does',
    register: async (program) => (await import('./ask.js')).registerAsk(program),
  },
  {
    name: 'agents',
    description: 'List, show, write, check and try out the specialists',
    register: async (program) => (await import('./agents.js')).registerAgents(program),
  },
  {
    name: 'config',
    description: 'Every setting with its value and where it comes from',
    register: async (program) => (await import('./config.js')).registerConfig(program),
  },
  {
    name: 'trust',
    description: 'Let the settings and agents of a folder speak',
    register: async (program) => (await import('./trust.js')).registerTrust(program),
  },
];
