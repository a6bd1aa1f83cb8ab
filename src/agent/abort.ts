import { setMaxListeners } from 'node:events';

/** An AbortController whose signal many may listen to: Node would print a warning about a leak at the eleventh. */
export function abortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
