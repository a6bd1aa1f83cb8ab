/** Who can be called: the built-in map, the user's and a trusted folder's Markdown agents, and skills for those who name them. */
import fs from 'node:fs';
import { specialists } from '../../subagents/index.js';
import type { Settings } from '../config/settings.js';
import type { AgentFolders } from '../profiles/agent-folders.js';
import { agentPlaces } from '../profiles/agent-places.js';
import type { AgentProfile } from '../profiles/profile.js';
import { type Specialist, specialist } from '../profiles/specialist.js';
import { skillPlaces } from '../skills/skill-places.js';
import type { Skill } from '../skills/skills.js';
import type { Roster } from '../tools/use-subagent.js';

const hasEntries = (dir: string) => {
  try {
    return fs.readdirSync(dir).length > 0;
  } catch {
    return false;
  }
};

export const rosterFrom = (profiles: readonly AgentProfile[]): Roster =>
  new Map<string, Specialist>(profiles.map((profile) => [profile.name, specialist(profile)]));

/** The specialists that come with frost. */
export const builtinProfiles: readonly AgentProfile[] = Object.values(specialists).map(({ profile }) => profile);

/** The profiles in force now; `changed` where they differ from the last look. */
export type ProfileSource = () => Promise<{ profiles: readonly AgentProfile[]; changed: boolean }>;

/**
 * All profiles in force, a user's in the place of the built-in of its name. Problems of files go to `warn`, one line each, and
 * again only after a file has changed.
 */
export function profileSource(settings: Settings, warn: (text: string) => void): ProfileSource {
  const places = agentPlaces(settings, builtinProfiles);
  let folders: AgentFolders | undefined;
  return async () => {
    if (!folders && ![places.userDir, ...places.projectDirs].some(hasEntries)) return { profiles: builtinProfiles, changed: false };
    const [{ AgentFolders }, { mergeAgents }] = await Promise.all([
      import('../profiles/agent-folders.js'),
      import('../profiles/markdown.js'),
    ]);
    folders ??= new AgentFolders(places);
    const { profiles, problems, changed } = await folders.current();
    if (changed) for (const text of toldProblems(problems)) warn(text);
    return { profiles: mergeAgents(builtinProfiles, profiles), changed };
  };
}

/** What of files' problems a person hears of while they want something else, a line each. */
export function toldProblems(problems: readonly { file: string; line: number; message: string; severity: string }[]): string[] {
  return problems.filter(({ severity }) => severity !== 'note').map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

/** All skills that may speak. */
export async function findSkills(settings: Settings, warn: (text: string) => void): Promise<readonly Skill[]> {
  const places = skillPlaces(settings);
  if (![places.userDir, ...places.projectDirs].some(hasEntries)) return [];
  const { loadSkills } = await import('../skills/skills.js');
  const { skills, problems } = await loadSkills(places);
  for (const text of toldProblems(problems)) warn(text);
  return skills;
}
