/** `use_subagent`: the main agent's only entry to the specialists; dispatch goes by name over the map. */
import type { Specialist, SpecialistResult } from '../profiles/specialist.js';
import type { Tool, ToolContext, ToolResult } from '../profiles/tool.js';
import { firstLine } from '../text/truncate.js';
import { takingNames } from './field-names.js';

/** The dispatch manager's guiding prompt: the first thing the model reads of this tool. */
const MANAGER_PROMPT = 'You are the scheduling and management tool for sub-agents.';

/** The specialists an agent may call, by name. */
export type Roster = ReadonlyMap<string, Specialist>;

/** Calls a specialist on behalf of the tool call in `context`. */
export type Delegate = (specialist: Specialist, task: string, context: ToolContext) => Promise<SpecialistResult>;

const NAMES = takingNames({
  agent_name: 'subagent_name',
  subagent_type: 'subagent_name',
  agent: 'subagent_name',
  prompt: 'content',
  task: 'content',
});

/** The specialist meant by `name`: exact, or the only one that differs in upper and lower case. */
export function findSpecialist(roster: Roster, name: string): Specialist | undefined {
  const exact = roster.get(name);
  if (exact) return exact;
  const near = [...roster].filter(([known]) => known.toLowerCase() === name.trim().toLowerCase());
  return near.length === 1 ? near[0]?.[1] : undefined;
}

/**
 * The envelope that the parent model reads: one line of JSON facts (status, usage, cost, what was cut), then the text as it is.
 * A failure is an error result that leads with the reason and keeps the partial text.
 */
export function envelopeOf(result: SpecialistResult): ToolResult {
  const { name, status, text, structured, error, usage, cost, truncated } = result;
  const facts = {
    agent: name,
    status,
    ...(error && { error: error.message }),
    ...(usage && { usage }),
    ...(cost !== undefined && { cost_usd: cost }),
    ...(truncated && { truncated }),
  };
  const body = structured === undefined ? text : JSON.stringify(structured);
  const partial = status !== 'done' && body !== '' ? `Partial text, not a complete answer:\n${body}` : body;
  return {
    text: `${JSON.stringify(facts)}${partial === '' ? '' : `\n\n${partial}`}`,
    ...(status !== 'done' && { isError: true }),
    details: { kind: 'agent', run: result.run, name, status },
  };
}

function descriptionOf(roster: Roster): string {
  const lines = [...roster.values()].map(({ profile }) => `- ${profile.name}: ${profile.description}`);
  return [
    MANAGER_PROMPT,
    'Hands one task to one specialist, which works alone: it sees nothing of this conversation, so put everything it needs into content. Call send_message first, so that the user knows. Use its answer in your own final answer; if it failed, say so.',
    'Sub-agents:',
    ...lines,
  ].join('\n');
}

/** Tells the person of a delegation that the model kept to itself, so that there is never a silent pause. */
function announce(name: string, task: string, context: ToolContext): void {
  if (!context.hasSaid()) context.say([{ type: 'plain', text: `Delegating to ${name}: ${firstLine(task, 80)}` }], true);
}

/** The tool for one agent's roster. Its description is written from the map. */
export function subagentTool(roster: Roster, delegate: Delegate): Tool {
  return {
    name: 'use_subagent',
    description: descriptionOf(roster),
    parameters: {
      type: 'object',
      properties: {
        subagent_name: { type: 'string', description: 'Name of the sub-agent to call.' },
        content: { type: 'string', description: 'The task, with all the code and facts that it needs.' },
      },
      required: ['subagent_name', 'content'],
    },
    prepare: NAMES,
    endsInOrder: true,
    summary: (args) => `${args['subagent_name']}: ${firstLine(String(args['content'] ?? ''), 80)}`,
    async run(args, context) {
      const [name, content] = [String(args['subagent_name']), String(args['content'])];
      const found = findSpecialist(roster, name);
      if (!found) return { text: `There is no sub-agent «${name}». The sub-agents are: ${[...roster.keys()].join(', ')}.`, isError: true };
      if (content.trim() === '') return { text: `content is empty: write the task for ${found.profile.name} into it.`, isError: true };
      announce(found.profile.name, content, context);
      return envelopeOf(await delegate(found, content, context));
    },
  };
}
