/** What a command of the chat is. */
import type { Chat } from '../chat.js';
import type { Key } from '../lang/en.js';

export interface Command {
  readonly name: string;
  /** What may follow, as `/help` shows it. */
  readonly takes?: string;
  /** Its line in `/help`. */
  readonly help: Key;
  /** May run while a turn runs. */
  readonly whileRunning?: true;
  /** Kept out of `/help`: a key has it. */
  readonly hidden?: true;
  /** A throw is shown as one line. */
  run(chat: Chat, argument: string): void | Promise<void>;
}
