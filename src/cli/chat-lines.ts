/** The chat line by line, for a terminal that cannot move its cursor: lines go down, nothing is drawn again. */
import readline from 'node:readline/promises';
import type { AgentEvent } from '../agent/events.js';
import { processEnvironment } from '../config/environment.js';
import { FrostError } from '../errors.js';
import { forTerminal, lineForTerminal, TerminalText } from '../text/sanitize.js';
import type { Say } from '../ui/lang/lang.js';
import type { ChatFlags } from './chat-command.js';
import { assembleChat, plainSettings, sessionOf } from './chat-setup.js';
import type { settingFlags } from './setting-flags.js';

const write = (text: string) => process.stdout.write(text);

/** Prints a run as it happens: the answer's text as it comes, everything else on lines of its own. */
class LinePrinter {
  readonly #say: Say;
  #text = new TerminalText();
  #isOpen = false;

  constructor(say: Say) {
    this.#say = say;
  }

  #line(text: string): void {
    if (this.#isOpen) write('\n');
    this.#isOpen = false;
    write(`${text}\n`);
  }

  readonly sink = (event: AgentEvent): void => {
    const say = this.#say;
    if (event.type === 'text_delta' && event.agent === undefined) {
      const text = this.#text.push(event.text);
      write(text);
      this.#isOpen ||= text !== '';
    } else if (event.type === 'message' && event.message.role === 'assistant' && event.agent === undefined) {
      write(this.#text.end());
      if (this.#isOpen) this.#line('');
      else if (event.message.content !== '' && !event.message.toolCalls) this.#line(forTerminal(event.message.content));
      this.#text = new TerminalText();
    } else if (event.type === 'said')
      this.#line(`* ${forTerminal(event.parts.map((part) => ('text' in part ? (part.text ?? '') : '')).join(''))}`);
    else if (event.type === 'agent_start') this.#line(lineForTerminal(`+ ${event.name} · ${event.model} @ ${event.host}`));
    else if (event.type === 'agent_end')
      this.#line(lineForTerminal(`- ${event.name}: ${say(`agent.${event.status}`)}${event.error ? ` · ${event.error.message}` : ''}`));
    else if (event.type === 'tool_end' && event.agent === undefined && !event.ok)
      this.#line(lineForTerminal(`! ${event.name}: ${event.preview ?? say('tool.failed')}`));
    else if (event.type === 'warning') this.#line(lineForTerminal(`! ${event.text}`));
    else if (event.type === 'run_end' && event.outcome !== 'done')
      this.#line(lineForTerminal(`! ${event.error?.message ?? say(`agent.${event.outcome}`)}`));
  };
}

/** Reads, asks, prints, until an empty line or the end of the input. */
export async function chatByLines(flags: ChatFlags, given: ReturnType<typeof settingFlags>): Promise<void> {
  const env = processEnvironment();
  const controller = new AbortController();
  const settings = await plainSettings(flags, given, (text) => write(`${text}\n`));
  const { languageOf, sayIn } = await import('../ui/lang/lang.js');
  const say = sayIn(languageOf(settings.choice('FROST_LANG'), env['LC_ALL'], env['LANG']));
  const setup = { settings, flags, notices: [], signal: controller.signal };
  const assembled = await assembleChat(setup, sessionOf(flags), (text) => write(`${lineForTerminal(text)}\n`), false);
  const { agent, main } = assembled;
  agent.subscribe(new LinePrinter(say).sink);
  write(`${say('app.hello', { version: FROST_VERSION, model: main.model, host: main.host })}\n${say('line.usage')}\n`);
  const lines = readline.createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  lines.on('SIGINT', () => (agent.running ? agent.stop() : lines.close()));
  try {
    write('> ');
    for await (const line of lines) {
      if (line.trim() === '' || /^\/(quit|exit)\b/.test(line)) break;
      await turn(assembled, line.trim());
      write('> ');
    }
  } finally {
    lines.close();
    controller.abort();
    assembled.close();
  }
  process.exit(0);
}

async function turn({ agent }: Awaited<ReturnType<typeof assembleChat>>, line: string): Promise<void> {
  const [, name = '', task = ''] = /^@([A-Za-z][\w-]*)\s+(.+)$/.exec(line) ?? [];
  if (name !== '') await agent.refresh();
  const isSpecialist = [...agent.setup.roster.keys()].includes(name);
  try {
    await (isSpecialist ? agent.delegate(name, task) : agent.prompt(line));
  } catch (thrown) {
    if (!(thrown instanceof FrostError)) throw thrown;
    write(`! ${thrown.message}\n`);
  }
}
