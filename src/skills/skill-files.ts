import fs from 'node:fs';
import path from 'node:path';
import { changedText, type Skill } from './skills.js';

const MOST_FILES = 200;

/** Paths of the files beside SKILL.md, relative to the skill's folder, sorted; at most 200. */
export function listSkillFiles(skill: Skill): string[] {
  const found: string[] = [];
  const visit = (folder: string, prefix: string) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.name.localeCompare(b.name))) {
      const name = prefix + entry.name;
      if (found.length >= MOST_FILES || entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) visit(path.join(folder, entry.name), `${name}/`);
      else if (name !== 'SKILL.md') found.push(name);
    }
  };
  visit(skill.folder, '');
  return found;
}

/**
 * The text of a file beside SKILL.md.
 * @throws {Error} where there is none, or where its real path leads out of the skill's folder.
 */
export function readSkillFile(skill: Skill, relative: string): string {
  const root = fs.realpathSync(skill.folder);
  const target = path.resolve(skill.folder, relative);
  const real = fs.existsSync(target) ? fs.realpathSync(target) : path.resolve(root, relative);
  if (!real.startsWith(root + path.sep)) throw new Error(`'${relative}' is outside of the skill '${skill.name}'.`);
  if (!fs.existsSync(real) || !fs.statSync(real).isFile()) {
    throw new Error(`The skill '${skill.name}' has no file '${relative}'. It has: ${listSkillFiles(skill).join(', ') || 'none'}.`);
  }
  if (!skill.mayRead(target)) throw new Error(changedText(target));
  return fs.readFileSync(real, 'utf8');
}
