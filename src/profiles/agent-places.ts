import path from 'node:path';
import type { Settings } from '../config/settings.js';
import type { MarkdownFolders } from './markdown.js';
import type { AgentProfile } from './profile.js';

/** Where Markdown agents are looked for, and what the settings say of each place. */
export function agentPlaces(settings: Settings, builtins: readonly AgentProfile[]): MarkdownFolders {
  const { paths, trust } = settings;
  return {
    userDir: paths.agentsDir,
    projectDirs: ['.frost/agents', '.claude/agents'].map((folder) => path.join(trust.folder, folder)),
    allows: (file) => trust.allows(file),
    builtins,
    isUserVariable: (name) => settings.resolve(name, 'user') !== undefined && settings.resolve(name, 'project') === undefined,
  };
}
