/** The `skill` tool: names and descriptions are in its description, bodies come on demand. */
import type { Tool } from '../profiles/tool.js';
import { listSkillFiles, readSkillFile } from '../skills/skill-files.js';
import { chooseSkills, readSkillBody, type Skill } from '../skills/skills.js';

/**
 * The tool for one agent, where it has skills: those it names, or, where it names none, all on offer.
 * @throws {FrostError} of the kind `config` for a skill that is not there.
 */
export function skillTools(skills: readonly Skill[], agent: string, names?: readonly string[]): Tool[] {
  const own = chooseSkills(skills, agent, names);
  return own.length > 0 ? [skillTool(own)] : [];
}

function skillTool(skills: readonly Skill[]): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const names = [...byName.keys()];
  return {
    name: 'skill',
    description: [
      'Reads the instructions of a skill. Use it before you begin on a task that one of these fits, then follow what it says:',
      ...skills.map(({ name, description }) => `- ${name}: ${description}`),
    ].join('\n'),
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: names, description: 'Which skill.' },
        file: { type: 'string', description: 'A file of the skill to read instead of its instructions, by the path they give.' },
      },
      required: ['name'],
    },
    summary: ({ name, file }) => [name, file].filter(Boolean).join('/'),
    async run({ name, file }) {
      const skill = byName.get(String(name));
      if (!skill) return { text: `There is no skill '${String(name)}'. Skills: ${names.join(', ')}.`, isError: true };
      return typeof file === 'string' && file !== '' ? readSkillFile(skill, file) : instructionsOf(skill);
    },
  };
}

async function instructionsOf(skill: Skill): Promise<string> {
  const files = listSkillFiles(skill);
  const about = [`Skill '${skill.name}', in the folder ${skill.folder}.`];
  if (files.length > 0) {
    about.push(`Its files, to read with this tool ('file') or to run by their path in that folder: ${files.join(', ')}`);
  }
  return `${about.join('\n')}\n\n${await readSkillBody(skill)}`;
}
