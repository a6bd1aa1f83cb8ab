/** Shares out the rows of the window: the live part is always shorter than the window, down to a handful of rows. */

export interface Wanted {
  /** Rows that each part would like. */
  answer: number;
  tools: number;
  agents: number;
  waiting: number;
  step: number;
  overlay: number;
  prompt: number;
  menu: number;
  hint: number;
  status: number;
}

export type Rows = Wanted;

/** The streamed rest stays low: what a shrinking window pushes out of sight cannot be taken back. */
const TALLEST_ANSWER = 12;
const TALLEST_PROMPT = 8;

/** Gives rows in the order of what a person can least do without. */
export function shareRows(wanted: Wanted, windowRows: number): Rows {
  let left = Math.max(1, windowRows - 1);
  const given: Rows = { answer: 0, tools: 0, agents: 0, waiting: 0, step: 0, overlay: 0, prompt: 0, menu: 0, hint: 0, status: 0 };
  const give = (part: keyof Wanted, most: number): void => {
    const rows = Math.max(0, Math.min(wanted[part] - given[part], most - given[part], left));
    given[part] += rows;
    left -= rows;
  };
  give('prompt', 1);
  give('overlay', Math.max(3, windowRows - 2));
  give('step', 2);
  give('agents', 1);
  give('status', 1);
  give('menu', 3);
  give('answer', 2);
  give('hint', 1);
  give('prompt', Math.min(TALLEST_PROMPT, Math.ceil(windowRows / 3)));
  give('agents', Math.ceil(windowRows / 3));
  give('menu', 6);
  give('tools', 4);
  give('waiting', 3);
  give('answer', TALLEST_ANSWER);
  return given;
}
