/** The command line: which command, and how a failure leaves the process. A command's module is loaded when it is named. */
import { Command, CommanderError } from 'commander';
import { exitCodeOf, FrostError, toFailure } from '../errors.js';
import { resultObject } from '../print/result-object.js';
import { COMMANDS } from './commands.js';

const EXAMPLES = `
Examples:
  frost                                          open the chat
  frost ask "Why is the sky blue?"               one question, the answer on stdout
  cat build.log | frost ask "What failed?"       a pipe as context
  frost ask --demo "Write a hello world in Go"   without a key
  frost ask --output json "…"                    one JSON object

Exit status: 0 answer, 1 failed, 2 usage, 3 wrong form, 4 denied, 5 limit, 6 a specialist failed, 65/66 input,
69/75 endpoint, 77 key, 78 configuration, 124 timeout, 130/143/141 stopped.`;

function program(): Command {
  return new Command('frost')
    .description('A terminal agent whose specialists each have their own model, endpoint, key, tools, limits and bill.')
    .version(FROST_VERSION)
    .addHelpText('after', EXAMPLES)
    .showSuggestionAfterError()
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
}

async function parsed(argv: string[]): Promise<void> {
  const root = program();
  const named = COMMANDS.find(({ name }) => name === argv[0]);
  if (named) {
    await named.register(root.command(named.name).description(named.description));
    await root.parseAsync(argv, { from: 'user' });
    return;
  }
  const [first] = argv;
  if (first !== undefined && !first.startsWith('-') && first !== 'help') {
    const { closest } = await import('../text/closest.js');
    const near = closest(
      first,
      COMMANDS.map(({ name }) => name),
    );
    throw new FrostError(
      'usage',
      `There is no command «${first}»${near ? `; did you mean «${near}»?` : '.'} To ask a question: frost ask "…"`,
    );
  }
  for (const { name, description } of COMMANDS) root.command(name).description(description);
  const { registerChat } = await import('./chat-command.js');
  registerChat(root);
  await root.parseAsync(argv, { from: 'user' });
}

/** A listing whose reader went away ends without a word; `ask` and the chat listen for themselves. */
function readerGone(error: NodeJS.ErrnoException): void {
  if (process.stdout.listenerCount('error') > 1) return;
  process.exit(exitCodeOf(error.code === 'EPIPE' ? 'broken_pipe' : 'failed'));
}

/** Runs one command line; sets the exit status of the process. */
export async function main(argv: string[]): Promise<void> {
  process.stdout.on('error', readerGone);
  try {
    await parsed(argv);
  } catch (thrown) {
    await fail(argv, thrown);
  }
}

async function fail(argv: string[], thrown: unknown): Promise<void> {
  if (thrown instanceof CommanderError && thrown.exitCode === 0) {
    process.exitCode = 0;
    return;
  }
  const failure = thrown instanceof CommanderError ? { kind: 'usage' as const, message: usageText(thrown) } : toFailure(thrown);
  const exit = exitCodeOf(failure.kind);
  process.exitCode = exit;
  if (wantsJson(argv)) process.stdout.write(`${JSON.stringify(resultObject({ verdict: { exit, error: failure }, ms: 0 }))}\n`);
  if (failure.message !== '') process.stderr.write(`frost: ${failure.message}\n`);
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  return flags.includes('--output=json') || flags[flags.indexOf('--output') + 1] === 'json';
}

function usageText({ message, code }: CommanderError): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ');
  const hint = code === 'commander.unknownOption' ? ' Put -- before a prompt that begins with dashes.' : '';
  return `${text}${/[.?!)]$/.test(text) ? '' : '.'}${hint} See: frost --help`;
}
