import { parse } from 'dotenv';
import { readSmallFile } from './small-file.js';

export interface Entry {
  value: string;
  line?: number;
}

export type Entries = ReadonlyMap<string, Entry>;

/** The last line that sets each variable: where a name is set twice, the last one counts. */
function linesOf(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    const name = /^\s*(?:export\s+)?([\w.-]+)\s*[=:]/.exec(line)?.[1];
    if (name !== undefined) lines.set(name, index + 1);
  }
  return lines;
}

/** The variables of an env file with their lines, or undefined where there is no such file. */
export function readEnvFile(file: string): Entries | undefined {
  const text = readSmallFile(file);
  if (text === undefined) return undefined;
  const lines = linesOf(text);
  const entries = new Map<string, Entry>();
  for (const [name, value] of Object.entries(parse(text))) {
    const line = lines.get(name);
    entries.set(name, { value, ...(line !== undefined && { line }) });
  }
  return entries;
}
