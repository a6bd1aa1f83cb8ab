/** `frost` alone: the chat on a terminal, a sentence elsewhere. */
import type { Command } from 'commander';
import { FrostError } from '../errors.js';

export function registerChat(program: Command): void {
  program.action(async () => {
    throw new FrostError(
      'usage',
      'the chat needs a terminal on stdin and stdout. For one question: frost ask "…", also in a pipe: cat FILE | frost ask "…"',
    );
  });
}
