/** What the environment says of the terminal. */
import { processEnvironment } from './environment.js';

/** NO_COLOR (not empty) switches colours off, https://no-color.org. */
export function colorAllowed(): boolean {
  return !processEnvironment()['NO_COLOR'];
}

/** A terminal that cannot move its cursor. */
export function isDumbTerminal(): boolean {
  return processEnvironment()['TERM'] === 'dumb';
}
