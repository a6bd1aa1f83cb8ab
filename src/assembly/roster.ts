/** Who can be called: the built-in map, the user's and a trusted folder's Markdown agents, and skills for those who name them. */
import fs from 'node:fs';
import path from 'node:path';
import { specialists } from '../../subagents/index.js';
import type { Settings } from '../config/settings.js';
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

/** All profiles in force, a user's before a built-in of the same name. Problems of files go to `warn`, one line each. */
export async function loadProfiles(settings: Settings, warn: (text: string) => void): Promise<readonly AgentProfile[]> {
  const places = agentPlaces(settings, builtinProfiles);
  if (![places.userDir, ...places.projectDirs].some(hasEntries)) return builtinProfiles;
  const { loadMarkdownAgents, mergeAgents } = await import('../profiles/markdown.js');
  const { profiles, problems } = await loadMarkdownAgents(places);
  for (const { file, line, message } of problems) warn(`${file}:${line}: ${message}`);
  return mergeAgents(builtinProfiles, profiles);
}

/** All skills that may speak. */
export async function findSkills(settings: Settings, warn: (text: string) => void): Promise<readonly Skill[]> {
  const places = skillPlaces(settings);
  if (![places.userDir, ...places.projectDirs].some(hasEntries)) return [];
  const { loadSkills } = await import('../skills/skills.js');
  const { skills, problems } = await loadSkills(places);
  for (const { file, line, message } of problems) warn(`${file}:${line}: ${message}`);
  return skills;
}

/** Changes whenever a file changes that agents are read from. */
export function rosterStamp(settings: Settings): string {
  const { userDir, projectDirs } = agentPlaces(settings, builtinProfiles);
  return [userDir, ...projectDirs].flatMap(stampsIn).join('\n');
}

function stampsIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).map((name) => {
      const { mtimeMs, size } = fs.statSync(path.join(folder, name));
      return `${folder}/${name} ${mtimeMs} ${size}`;
    });
  } catch {
    return [];
  }
}
