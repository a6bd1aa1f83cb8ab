/** `task`: not a delegation to a specialist but a fresh child with the parent's whole configuration and an empty history. */
import type { SpecialistResult } from '../profiles/specialist.js';
import type { Tool, ToolContext } from '../profiles/tool.js';
import { firstLine } from '../text/truncate.js';
import { envelopeOf } from './use-subagent.js';

/** Runs a copy of the calling agent on `prompt`. */
export type RunCopy = (prompt: string, context: ToolContext) => Promise<SpecialistResult>;

export function taskTool(runCopy: RunCopy): Tool {
  return {
    name: 'task',
    description:
      'Runs a fresh copy of yourself, with your tools but none of this conversation, on one bounded piece of work; returns its answer. Keeps long side work out of your context.',
    parameters: {
      type: 'object',
      properties: { prompt: { type: 'string', description: 'The work, with everything it needs.' } },
      required: ['prompt'],
    },
    endsInOrder: true,
    summary: (args) => firstLine(String(args['prompt'] ?? ''), 80),
    async run(args, context) {
      const prompt = String(args['prompt']);
      if (prompt.trim() === '') return { text: 'prompt is empty: write the work into it.', isError: true };
      if (!context.hasSaid()) context.say([{ type: 'plain', text: `Starting a task: ${firstLine(prompt, 80)}` }], true);
      return envelopeOf(await runCopy(prompt, context));
    },
  };
}
