import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseSkills, loadSkills, type SkillFolders } from '../../src/skills/skills.js';
import { skillTools } from '../../src/tools/skill.js';

let root: string;
let folders: SkillFolders;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'frost-skills-'));
  folders = { userDir: path.join(root, 'user'), projectDirs: [path.join(root, 'a'), path.join(root, 'b')], allows: () => true };
});

afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), text);
}

const skill = (name: string, more = '', body = 'Step one.') =>
  `---\nname: ${name}\ndescription: Fills forms. Use it for PDF.\n${more}---\n\n${body}\n`;
const context = { signal: new AbortController().signal, callId: '1', update() {}, say() {}, hasSaid: () => false };

describe('skills', () => {
  it('are found by name and description, in the user folder and in trusted project folders', async () => {
    write('user/pdf/SKILL.md', skill('pdf', 'license: MIT\nallowed-tools: Read Bash\nmetadata:\n  author: me\n'));
    write('a/tables/SKILL.md', skill('tables'));
    write('b/hidden/SKILL.md', skill('hidden', 'disable-model-invocation: true\n'));
    write('b/empty/readme.md', '# nothing');
    const { skills, problems } = await loadSkills(folders);
    expect(problems).toEqual([]);
    expect(skills.map(({ name, level, offered }) => [name, level, offered])).toEqual([
      ['pdf', 'user', true],
      ['tables', 'project', true],
      ['hidden', 'project', false],
    ]);
    expect(skills[0]).toMatchObject({ description: 'Fills forms. Use it for PDF.', folder: path.join(root, 'user/pdf') });
  });

  it('of a project that is not trusted are not read', async () => {
    write('a/tables/SKILL.md', skill('tables'));
    write('a/broken/SKILL.md', 'no front matter');
    expect(await loadSkills({ ...folders, allows: () => false })).toEqual({ skills: [], problems: [] });
  });

  it("of the user win over a project's of the same name", async () => {
    write('user/pdf/SKILL.md', skill('pdf'));
    write('a/pdf/SKILL.md', skill('pdf'));
    expect((await loadSkills(folders)).skills.map(({ level }) => level)).toEqual(['user']);
  });

  it.each<[title: string, folder: string, text: string, line: number, says: RegExp]>([
    ['a name in capitals', 'PDF', skill('PDF'), 2, /a-z, 0-9/],
    ['a double hyphen', 'a--b', skill('a--b'), 2, /single hyphens/],
    ['a hyphen at the end', 'a-', skill('a-'), 2, /single hyphens/],
    ["a name that is not the folder's", 'pdf', skill('docx'), 2, /folder's name: 'pdf', not 'docx'/],
    ['no name', 'pdf', '---\ndescription: x\n---\nBody', 1, /'name' must be/],
    ['no description', 'pdf', '---\nname: pdf\n---\nBody', 1, /'description' must be/],
    ['a long description', 'pdf', `---\nname: pdf\ndescription: ${'x'.repeat(1025)}\n---\nBody`, 3, /1024/],
    ['no front matter', 'pdf', '# PDF', 1, /begins with front matter/],
    ['broken YAML', 'pdf', '---\nname: [\n---\n', 2, /not valid YAML/],
  ])('with %s are reported with file and line, and the others still load', async (_title, folder, text, line, says) => {
    write(`user/${folder}/SKILL.md`, text);
    write('user/good/SKILL.md', skill('good'));
    const { skills, problems } = await loadSkills(folders);
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toEqual([
      { file: path.join(root, `user/${folder}/SKILL.md`), line, severity: 'error', message: expect.stringMatching(says) },
    ]);
  });

  it('L8: are chosen by name for a specialist; the main agent has all that are on offer', async () => {
    write('user/pdf/SKILL.md', skill('pdf'));
    write('user/tables/SKILL.md', skill('tables'));
    write('user/hidden/SKILL.md', skill('hidden', 'disable-model-invocation: true\n'));
    const { skills } = await loadSkills(folders);
    const names = (wanted?: string[]) => chooseSkills(skills, 'Coder', wanted).map(({ name }) => name);
    expect(names()).toEqual(['pdf', 'tables']);
    expect(names(['hidden'])).toEqual(['hidden']);
    expect(names([])).toEqual([]);
    expect(() => names(['docx'])).toThrow("Coder names the skill 'docx', which does not exist here. Skills: hidden, pdf, tables.");
  });

  it('with unknown or odd keys load with a warning', async () => {
    write('user/pdf/SKILL.md', skill('pdf', `tea: green\ncompatibility: ${'x'.repeat(501)}\nmetadata: none\n`));
    const { skills, problems } = await loadSkills(folders);
    expect(skills).toHaveLength(1);
    expect(problems.map(({ line, severity }) => `${severity} ${line}`).sort()).toEqual(['warning 4', 'warning 5', 'warning 6']);
  });
});

describe('the skill tool', () => {
  const toolOf = async () => {
    const [tool] = skillTools((await loadSkills(folders)).skills, 'main');
    if (!tool) throw new Error('there is no skill');
    return tool;
  };

  it('is not there where there is no skill', async () => {
    expect(skillTools((await loadSkills(folders)).skills, 'main')).toEqual([]);
  });

  it('shows names and descriptions at once and the body on demand', async () => {
    write('user/pdf/SKILL.md', skill('pdf', '', 'Run scripts/fill.py, see references/fields.md.'));
    write('user/pdf/scripts/fill.py', 'print(1)');
    write('user/pdf/references/fields.md', 'Field list');
    const tool = await toolOf();
    expect(tool.description).toContain('- pdf: Fills forms. Use it for PDF.');
    expect(tool.description).not.toContain('scripts/fill.py');
    const text = await tool.run({ name: 'pdf' }, context);
    expect(text).toContain(path.join(root, 'user/pdf'));
    expect(text).toContain('references/fields.md, scripts/fill.py');
    expect(text).toContain('Run scripts/fill.py, see references/fields.md.');
    expect(await tool.run({ name: 'pdf', file: 'references/fields.md' }, context)).toBe('Field list');
  });

  it.each(['../../secret.txt', '/etc/hostname', 'link.txt'])('does not read %s, outside of the skill', async (file) => {
    write('user/pdf/SKILL.md', skill('pdf'));
    write('secret.txt', 'secret');
    fs.symlinkSync(path.join(root, 'secret.txt'), path.join(root, 'user/pdf/link.txt'));
    const tool = await toolOf();
    await expect(tool.run({ name: 'pdf', file }, context)).rejects.toThrow(/outside of the skill 'pdf'/);
  });

  it('does not read a file of a project that changed after it was trusted', async () => {
    write('a/pdf/SKILL.md', skill('pdf'));
    write('a/pdf/notes.md', 'new');
    const trusted = new Set([path.join(root, 'a/pdf/SKILL.md')]);
    folders.allows = (file) => trusted.has(file);
    const tool = await toolOf();
    await expect(tool.run({ name: 'pdf', file: 'notes.md' }, context)).rejects.toThrow(/frost trust/);
    trusted.clear();
    await expect(tool.run({ name: 'pdf' }, context)).rejects.toThrow(/frost trust/);
  });

  it('names what there is where a file or a skill does not exist', async () => {
    write('user/pdf/SKILL.md', skill('pdf'));
    write('user/pdf/notes.md', 'x');
    const tool = await toolOf();
    await expect(tool.run({ name: 'pdf', file: 'nots.md' }, context)).rejects.toThrow(/has no file 'nots.md'. It has: notes.md/);
    expect(await tool.run({ name: 'docx' }, context)).toEqual({ text: "There is no skill 'docx'. Skills: pdf.", isError: true });
  });
});
