/** All commands but the chat. Each one's module is loaded only when it is named. */
import type { Command } from 'commander';

export interface CommandEntry {
  name: string;
  description: string;
  /** Gives the command its arguments, flags and action. */
  register(command: Command): Promise<void>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'ask',
    description: 'Ask one question; the answer goes to stdout and nothing else does',
    register: async (command) => (await import('./ask.js')).registerAsk(command),
  },
  {
    name: 'agents',
    description: 'List, show, write, check and try out the specialists',
    register: async (command) => (await import('./agents.js')).registerAgents(command),
  },
  {
    name: 'sessions',
    description: 'List, show, export, rename and delete recorded conversations; take back changes to files',
    register: async (command) => (await import('./sessions.js')).registerSessions(command),
  },
  {
    name: 'config',
    description: 'Every setting with its value and where it comes from',
    register: async (command) => (await import('./config.js')).registerConfig(command),
  },
  {
    name: 'trust',
    description: 'Let the settings and agents of a folder speak',
    register: async (command) => (await import('./trust.js')).registerTrust(command),
  },
  {
    name: 'endpoints',
    description: 'Try what an endpoint understands; list its models',
    register: async (command) => (await import('./endpoints.js')).registerEndpoints(command),
  },
  {
    name: 'doctor',
    description: 'Check Node, terminal, endpoints, models, keys, folder and sessions; exit 0 where the main agent could answer',
    register: async (command) => (await import('./doctor.js')).registerDoctor(command),
  },
];
