/** What could stand where the cursor is: a command after `/`, a file or a specialist after `@`. Pure. */

export interface Token {
  kind: 'command' | 'mention';
  /** What was typed behind the sign. */
  query: string;
  /** The stretch of the text that a choice takes the place of, the sign included. */
  from: number;
  to: number;
}

/** Between quotes a mention may hold spaces. */
const MENTION = /(?:^|[\s([{,;:])@(?:"([^"\n]*)|([^\s"@,;]*))$/;
const COMMAND = /^\/([^\s/]*)$/;
/** A longer word is no name. */
const REACH = 512;

/** What is being typed before the cursor, where it can be completed. */
export function tokenAt(text: string, cursor: number): Token | undefined {
  const from = Math.max(0, cursor - REACH);
  const before = text.slice(from, cursor);
  const command = from === 0 ? COMMAND.exec(before) : null;
  if (command) return { kind: 'command', query: command[1] ?? '', from: 0, to: cursor };
  const mention = MENTION.exec(before);
  if (!mention) return undefined;
  const query = mention[1] ?? mention[2] ?? '';
  return { kind: 'mention', query, from: cursor - query.length - (mention[1] === undefined ? 1 : 2), to: cursor };
}

/** How well a label answers a query: smaller is better; undefined where it does not. */
function distance(label: string, query: string): number | undefined {
  if (query === '') return 0;
  const [text, wanted] = [label.toLowerCase(), query.toLowerCase()];
  const name = text.slice(text.replace(/\/$/, '').lastIndexOf('/') + 1);
  if (text === wanted || name === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  if (name.startsWith(wanted)) return 2;
  const at = name.indexOf(wanted);
  if (at >= 0) return 3 + at / 100;
  if (text.includes(wanted)) return 5;
  const gaps = spread(text, wanted);
  return gaps === undefined ? undefined : 6 + gaps / 100;
}

/** Characters skipped where the query's letters stand in this order in the text. */
function spread(text: string, query: string): number | undefined {
  let [at, gaps] = [-1, 0];
  for (const letter of query) {
    const found = text.indexOf(letter, at + 1);
    if (found < 0) return undefined;
    if (at >= 0) gaps += found - at - 1;
    at = found;
  }
  return gaps;
}

/** The labels that answer a query, the best first; among equals the shorter, then the order given. */
export function ranked<T>(items: readonly T[], query: string, labelOf: (item: T) => string, most: number): T[] {
  const found: { item: T; rank: number; length: number }[] = [];
  for (const item of items) {
    const label = labelOf(item);
    const rank = distance(label, query);
    if (rank !== undefined) found.push({ item, rank, length: query === '' ? 0 : label.length });
  }
  found.sort((a, b) => a.rank - b.rank || a.length - b.length);
  return found.slice(0, most).map(({ item }) => item);
}
