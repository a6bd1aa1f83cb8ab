/**
 * Agent Skills: a folder with a SKILL.md whose front matter (name, description) the model always sees, and whose body it
 * reads when it needs it. Scripts, references and assets lie beside it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { FrostError } from '../errors.js';
import { type FrontMatterField, readFrontMatter } from '../text/front-matter.js';

export interface Skill {
  readonly name: string;
  /** What it does and when to use it; the model reads this. */
  readonly description: string;
  /** Absolute path of the skill's folder. */
  readonly folder: string;
  readonly level: 'user' | 'project';
  /** False where the model is not to choose it by itself; a profile may still name it. */
  readonly offered: boolean;
  /** False for a file of a project that has changed since its folder was trusted. */
  readonly mayRead: (file: string) => boolean;
}

export interface SkillProblem {
  file: string;
  line: number;
  message: string;
  /** `error`: the skill is left out. */
  severity: 'error' | 'warning';
}

export interface SkillFolders {
  userDir: string;
  /** Strongest first. */
  projectDirs: readonly string[];
  /** Whether a project's file may speak: only as it was when the folder was trusted. Any other is not even read. */
  allows: (file: string) => boolean;
}

export interface LoadedSkills {
  skills: readonly Skill[];
  problems: readonly SkillProblem[];
}

/** Keys of the standard and of programs that extend it. */
const KEYS = new Set(
  (
    'name description license compatibility metadata allowed-tools when_to_use argument-hint arguments disable-model-invocation ' +
    'user-invocable disallowed-tools model effort context agent background hooks paths shell version'
  ).split(' '),
);

/** Finds all skills. One that is wrong is reported and left out; of two with one name the stronger folder's is kept. */
export async function loadSkills({ userDir, projectDirs, allows }: SkillFolders): Promise<LoadedSkills> {
  const places = [{ dir: userDir, level: 'user' as const }, ...projectDirs.map((dir) => ({ dir, level: 'project' as const }))];
  const skills = new Map<string, Skill>();
  const problems: SkillProblem[] = [];
  for (const { dir, level } of places) {
    const mayRead = level === 'user' ? () => true : allows;
    for (const folder of foldersIn(dir)) {
      const skill = mayRead(path.join(folder, 'SKILL.md')) ? await readSkill(folder, level, mayRead, problems) : undefined;
      if (skill && !skills.has(skill.name)) skills.set(skill.name, skill);
    }
  }
  return { skills: [...skills.values()], problems };
}

/**
 * The skills of one agent: those it names, or, for a main agent that names none, all that are on offer.
 * @throws {FrostError} of the kind `config` for a name that is not there, with the names that are.
 */
export function chooseSkills(skills: readonly Skill[], agent: string, names?: readonly string[]): Skill[] {
  if (!names) return skills.filter(({ offered }) => offered);
  return names.map((name) => {
    const skill = skills.find((other) => other.name === name);
    if (skill) return skill;
    const known = skills.map((other) => other.name).join(', ') || 'none';
    throw new FrostError('config', `${agent} names the skill '${name}', which does not exist here. Skills: ${known}.`, { agent });
  });
}

/** The instructions of a skill, read now. */
export async function readSkillBody(skill: Skill): Promise<string> {
  const file = path.join(skill.folder, 'SKILL.md');
  if (!skill.mayRead(file)) throw new Error(changedText(file));
  const matter = await readFrontMatter(fs.readFileSync(file, 'utf8'));
  return matter?.body ?? '';
}

export function changedText(file: string): string {
  return `${file} was changed since the folder was trusted. Look at it, then run: frost trust`;
}

function foldersIn(dir: string): string[] {
  try {
    return fs
      .readdirSync(dir)
      .sort()
      .map((name) => path.join(dir, name))
      .filter((folder) => fs.existsSync(path.join(folder, 'SKILL.md')));
  } catch {
    return [];
  }
}

async function readSkill(
  folder: string,
  level: Skill['level'],
  mayRead: Skill['mayRead'],
  problems: SkillProblem[],
): Promise<Skill | undefined> {
  const file = path.join(folder, 'SKILL.md');
  let failed = false;
  const report = (line: number, message: string, severity: SkillProblem['severity'] = 'error') => {
    failed ||= severity === 'error';
    problems.push({ file, line, message, severity });
  };
  const matter = await readFrontMatter(textOf(file, report));
  if (failed) return undefined;
  if (!matter) report(1, "a SKILL.md begins with front matter: '---', name, description, '---'");
  else if (matter.problem) report(matter.problem.line, matter.problem.message);
  else checkFields(matter.fields, path.basename(folder), report);
  if (failed || !matter) return undefined;
  const { fields } = matter;
  return {
    name: String(fields.get('name')?.value),
    description: String(fields.get('description')?.value).trim(),
    folder: path.resolve(folder),
    level,
    mayRead,
    offered: fields.get('disable-model-invocation')?.value !== true,
  };
}

type Report = (line: number, message: string, severity?: SkillProblem['severity']) => void;

function textOf(file: string, report: Report): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    report(1, `the file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return '';
  }
}

function checkFields(fields: ReadonlyMap<string, FrontMatterField>, folderName: string, report: Report): void {
  const lineOf = (key: string) => fields.get(key)?.line ?? 1;
  const name = fields.get('name')?.value;
  if (typeof name !== 'string' || name.length > 64 || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    report(lineOf('name'), "'name' must be 1 to 64 of a-z, 0-9 and single hyphens between them");
  } else if (name !== folderName) {
    report(lineOf('name'), `'name' must be the folder's name: '${folderName}', not '${name}'`);
  }
  const description = fields.get('description')?.value;
  if (typeof description !== 'string' || description.trim() === '')
    report(lineOf('description'), "'description' must be a text that is not empty");
  else if (description.length > 1024) report(lineOf('description'), "'description' is longer than 1024 characters");
  const compatibility = fields.get('compatibility')?.value;
  if (compatibility !== undefined && (typeof compatibility !== 'string' || compatibility.length > 500)) {
    report(lineOf('compatibility'), "'compatibility' must be a text of 500 characters at most", 'warning');
  }
  const metadata = fields.get('metadata')?.value;
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))) {
    report(lineOf('metadata'), "'metadata' must be a list of `key: value` lines", 'warning');
  }
  for (const [key, { line }] of fields) if (!KEYS.has(key)) report(line, `unknown key '${key}'`, 'warning');
}
