/** The readers of the event stream that `frost ask` attaches: the answer or the events on stdout, progress on stderr. */
import { isatty } from 'node:tty';
import { Chalk } from 'chalk';
import type { AgentEvent } from '../agent/events.js';
import type { Assembled } from '../assembly/assemble.js';
import { colorAllowed, isDumbTerminal } from '../config/terminal.js';
import { AnswerStream } from '../print/answer-stream.js';
import { Feedback } from '../print/feedback.js';
import type { AgentProfile } from '../profiles/profile.js';
import type { AskRequest } from './ask-flags.js';
import type { Output } from './output.js';

/** Draws over one line of the terminal. */
function liveLine(output: Output): (text: string) => void {
  let isDrawn = false;
  return (text) => {
    if (text === '' && !isDrawn) return;
    isDrawn = text !== '';
    const columns = process.stderr.columns ?? 80;
    output.error(
      `\r\x1b[K${Array.from(text)
        .slice(0, columns - 1)
        .join('')}`,
    );
  };
}

/** Whether a specialist may call tools before it answers. */
function hasTools(profile: AgentProfile | undefined): boolean {
  return profile !== undefined && profile.tools.length + profile.skills.length + profile.subagents.length > 0;
}

export const readers = {
  feedback({ flags }: AskRequest, output: Output): Feedback {
    // Asked of the descriptor: the stream itself would be opened before the request is on its way.
    const isTerminal = isatty(2);
    const canMove = isTerminal && !isDumbTerminal();
    const dim = new Chalk({ level: isTerminal && colorAllowed() && !isDumbTerminal() ? 1 : 0 }).dim;
    return new Feedback({
      line: (text) => output.error(text),
      ...(canMove && !flags.quiet && { live: liveLine(output) }),
      dim: (text) => dim(text),
      progress: !flags.quiet && (isTerminal || flags.verbose === true),
      verbose: flags.verbose === true,
      isTerminal,
    });
  },

  subscribe({ flags, code, agent }: AskRequest, { agent: runner, profiles }: Assembled, output: Output, feedback: Feedback): void {
    runner.subscribe(feedback.sink);
    if (flags.output === 'stream-json') runner.subscribe((event: AgentEvent) => output.write(`${JSON.stringify(event)}\n`));
    const isStreamed =
      flags.output === 'text' && flags.out === undefined && code === undefined && flags.schema === undefined && !flags.dryRun;
    if (!isStreamed) return;
    const stream = new AnswerStream({
      write: (text) => output.write(text),
      preamble: (text) => feedback.say(text.trim()),
      isTerminal: isatty(1),
      hasTools: flags.tools && (agent === undefined || hasTools(profiles.find(({ name }) => name.toLowerCase() === agent.toLowerCase()))),
      follow: agent === undefined ? 'main' : 'child',
    });
    runner.subscribe(stream.sink);
  },
};
