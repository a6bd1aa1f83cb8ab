import path from 'node:path';
import type { Settings } from '../config/settings.js';
import type { SkillFolders } from './skills.js';

/** Where skills are looked for: the user's folder, and the project's as far as it is trusted. */
export function skillPlaces({ paths, trust }: Settings): SkillFolders {
  return {
    userDir: paths.skillsDir,
    projectDirs: ['.frost/skills', '.agents/skills', '.claude/skills'].map((folder) => path.join(trust.folder, folder)),
    allows: (file) => trust.allows(file),
  };
}
