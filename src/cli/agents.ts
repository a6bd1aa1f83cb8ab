/** `frost agents`: the specialists, what they are and whether they work. */
import path from 'node:path';
import type { Command } from 'commander';
import type { ListedAgent } from '../assembly/agent-list.js';
import { processEnvironment } from '../config/environment.js';
import { loadSettings, type Settings } from '../config/settings.js';
import { exitCodeOf, FrostError } from '../errors.js';
import type { MarkdownProblem } from '../profiles/markdown.js';
import { closest } from '../text/closest.js';
import { forTerminal, lineForTerminal } from '../text/sanitize.js';

interface Roster {
  settings: Settings;
  agents: ListedAgent[];
  problems: readonly MarkdownProblem[];
}

interface Shared {
  envFile?: string;
  json?: boolean;
}

/** Adds `frost agents …` to the command line. */
export function registerAgents(agents: Command): void {
  const shared = (command: Command) =>
    command.option('--env-file <file>', 'read variables from this file too').option('--json', 'for a program');
  shared(
    agents
      .command('list', { isDefault: true })
      .argument('[name]', 'the same as show')
      .description('Every specialist with its model, host and key variable'),
  ).action((name: string | undefined, options: Shared) => (name === undefined ? list(options) : show(name, options)));
  shared(agents.command('show').argument('<name>').description('All that one specialist is made of')).action(show);
  agents
    .command('new')
    .argument('<name>')
    .description('Write the Markdown file of a new specialist')
    .option('--description <text>', 'when to call it, what it answers')
    .option('-m, --model <name>')
    .option('--endpoint <url>')
    .option('--key-env <variable>', 'name of the variable that holds its key')
    .option('--tools <names>', 'built-in tools, with commas')
    .option('--project', 'into .frost/agents of this folder, instead of your own folder')
    .action(create);
  shared(
    agents.command('check').argument('[names...]').description('Read all agent files and say what is wrong, with file and line'),
  ).action(check);
  shared(
    agents
      .command('test')
      .argument('<name>')
      .argument('<task>')
      .description('One real call: model, host, key variable, answer, time, cost'),
  ).action(async (name: string, task: string, options: Shared) => (await import('./try-agent.js')).tryAgent(name, task, options));
}

async function rosterOf({ envFile }: Shared): Promise<Roster> {
  const settings = loadSettings({ env: processEnvironment(), cwd: process.cwd(), ...(envFile !== undefined && { envFile }) });
  const { listAgents } = await import('../assembly/agent-list.js');
  return { settings, ...(await listAgents(settings)) };
}

function print({ settings }: Roster, text: string): void {
  const masked = settings.mask.mask(text);
  process.stdout.write(`${process.stdout.isTTY ? forTerminal(masked) : masked}\n`);
}

function tell({ settings }: Roster, lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`frost: ${lineForTerminal(settings.mask.mask(line))}\n`);
}

/** What a list must not keep silent about: files that did not load, and a folder that does not speak. */
async function tellProblems(roster: Roster): Promise<void> {
  const { problemText } = await import('./agent-text.js');
  const { settings, problems } = roster;
  tell(roster, [
    ...(settings.trust.hint ? [settings.trust.hint] : []),
    ...problems.filter(({ severity }) => severity !== 'note').map(problemText),
  ]);
}

async function list(options: Shared): Promise<void> {
  const roster = await rosterOf(options);
  const { listedData, listText } = await import('./agent-text.js');
  if (options.json) print(roster, JSON.stringify({ agents: roster.agents.map(listedData), problems: roster.problems }, null, 2));
  else print(roster, listText(roster.agents));
  if (!options.json) tell(roster, [...new Set(roster.agents.flatMap(({ failure }) => failure?.message ?? []))]);
  await tellProblems(roster);
}

function named({ agents }: Roster, name: string): ListedAgent {
  const same = (text: string) => text.toLowerCase() === name.toLowerCase();
  const found = agents.find(({ profile }) => same(profile.name));
  if (found) return found;
  const names = agents.map(({ profile }) => profile.name);
  const near = closest(name, names);
  throw new FrostError(
    'usage',
    `There is no specialist '${name}'${near ? `; did you mean '${near}'?` : '.'} Specialists: ${names.join(', ')}.`,
  );
}

async function show(name: string, options: Shared): Promise<void> {
  const roster = await rosterOf(options);
  const agent = named(roster, name);
  const { listedData, showText } = await import('./agent-text.js');
  print(roster, options.json ? JSON.stringify(listedData(agent), null, 2) : showText(agent));
  await tellProblems(roster);
}

interface NewOptions {
  description?: string;
  model?: string;
  endpoint?: string;
  keyEnv?: string;
  tools?: string;
  project?: boolean;
}

async function create(name: string, options: NewOptions): Promise<void> {
  const { description, model, endpoint, keyEnv, tools, project } = options;
  const settings = loadSettings({ env: processEnvironment(), cwd: process.cwd() });
  const { writeNewAgent } = await import('../profiles/new-agent.js');
  const file = writeNewAgent(project ? path.join(process.cwd(), '.frost/agents') : settings.paths.agentsDir, {
    name,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(endpoint !== undefined && { endpoint }),
    ...(keyEnv !== undefined && { apiKeyEnv: keyEnv }),
    ...(tools !== undefined && {
      tools: tools
        .split(',')
        .map((tool) => tool.trim())
        .filter(Boolean),
    }),
  });
  process.stdout.write(`${file}\n`);
  const next = project ? 'frost trust, then: ' : '';
  process.stderr.write(`frost: edit its description and instructions; then: ${next}frost agents check ${name}\n`);
}

async function check(names: string[], options: Shared): Promise<void> {
  const roster = await rosterOf(options);
  const { problemText } = await import('./agent-text.js');
  const chosen = names.length > 0 ? names.map((name) => named(roster, name)) : roster.agents;
  const files = new Set(chosen.flatMap(({ profile: { origin } }) => ('file' in origin ? [origin.file] : [])));
  const problems =
    names.length > 0 ? roster.problems.filter(({ file, severity }) => severity === 'error' || files.has(file)) : roster.problems;
  const failed = chosen.filter(({ failure }) => failure);
  if (options.json) {
    print(
      roster,
      JSON.stringify(
        { problems, agents: chosen.map(({ profile, failure }) => ({ name: profile.name, ...(failure && { error: failure }) })) },
        null,
        2,
      ),
    );
  } else {
    print(roster, [...problems.map(problemText), ...chosen.map(verdictText)].join('\n'));
  }
  if (roster.settings.trust.hint) tell(roster, [roster.settings.trust.hint]);
  const isWrong = problems.some(({ severity }) => severity === 'error') || failed.some(({ profile }) => profile.origin.level !== 'builtin');
  if (isWrong) process.exitCode = exitCodeOf('config');
}

function verdictText({ profile, principal, failure }: ListedAgent): string {
  if (!principal) return `${profile.name}: ${failure?.message ?? 'cannot be called'}`;
  const tools = profile.tools.length === 0 && 'file' in profile.origin ? '; no tools (omitted means none)' : '';
  return `${profile.name}: ready, ${principal.model ?? "the endpoint's only model"} at ${principal.host} with ${principal.key?.name ?? 'no key'}${tools}`;
}
