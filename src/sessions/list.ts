import fs from 'node:fs';
import path from 'node:path';
import { FrostError } from '../errors.js';
import { type Message, textOf } from '../llm/messages.js';
import { recordOf, type SessionHeader } from './record.js';
import { isSessionId } from './session-id.js';
import { firstLine, headerOf, recordsBackwards, withFile } from './tail.js';

/** One session in a list, told from both ends of its file. */
export interface SessionInfo {
  id: string;
  path: string;
  cwd: string;
  /** ms since the epoch. */
  created: number;
  updated: number;
  bytes: number;
  /** The name the user gave it. */
  title?: string;
  firstPrompt?: string;
  lastPrompt?: string;
  /** Why it cannot be opened; the other fields are then what the file system knows. */
  problem?: string;
}

interface Found {
  id: string;
  file: string;
  updated: number;
  bytes: number;
}

/** The sessions of a folder, the newest first; none where there is no such folder. */
function sessionFiles(dir: string): Found[] {
  let names: string[];
  try {
    names = fs.readdirSync(dir);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.jsonl') && isSessionId(name.slice(0, -'.jsonl'.length)))
    .flatMap((name) => {
      const file = path.join(dir, name);
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ id: path.basename(name, '.jsonl'), file, updated: stat.mtimeMs, bytes: stat.size }] : [];
    })
    .sort((a, b) => b.updated - a.updated || (a.id < b.id ? 1 : -1));
}

const HEAD = 64 * 1024;
/** How far back from the end a list looks for the last prompt and the name. */
const MOST_RECORDS = 40;

function promptOf(message: Message | undefined): string | undefined {
  return message?.role === 'user' ? textOf(message).trim() || undefined : undefined;
}

function firstPrompt(fd: number): string | undefined {
  const block = Buffer.alloc(HEAD);
  const lines = block
    .subarray(0, fs.readSync(fd, block, 0, HEAD, 0))
    .toString()
    .split('\n')
    .slice(1);
  for (const line of lines) {
    if (!line.includes('"role":"user"')) continue;
    try {
      const record = recordOf(JSON.parse(line));
      const prompt = record?.agent === undefined ? promptOf(record?.message) : undefined;
      if (prompt) return prompt;
    } catch {
      // A prompt longer than the block: what is there of it is enough for a list.
      return /"content":"((?:[^"\\]|\\.){1,200})/.exec(line)?.[1]?.replace(/\\n/g, ' ');
    }
  }
  return undefined;
}

function lastOnes(fd: number): { title?: string; lastPrompt?: string } {
  const found: { title?: string; lastPrompt?: string } = {};
  let seen = 0;
  for (const record of recordsBackwards(fd)) {
    if (record.agent !== undefined) continue;
    const prompt = promptOf(record.message);
    if (prompt) found.lastPrompt ??= prompt;
    if (typeof record['title'] === 'string') found.title ??= record['title'];
    const isNamed = found.title !== undefined || record.type === 'run_end';
    if ((found.lastPrompt && isNamed) || ++seen > MOST_RECORDS) break;
  }
  return found;
}

function infoOf({ id, file, updated, bytes }: Found): SessionInfo {
  const known = { id, path: file, updated, bytes };
  try {
    return withFile(file, id, (fd) => {
      const { cwd, created } = headerOf(firstLine(fd), file);
      const first = firstPrompt(fd);
      return { ...known, cwd, created, ...(first !== undefined && { firstPrompt: first }), ...lastOnes(fd) };
    });
  } catch (error) {
    return { ...known, cwd: '', created: updated, problem: (error as Error).message };
  }
}

/** The sessions of a folder, the newest first; one that cannot be opened says why. `cwd` keeps those started there. */
export function listSessions(dir: string, cwd?: string): SessionInfo[] {
  const infos = sessionFiles(dir).map(infoOf);
  return cwd === undefined ? infos : infos.filter((info) => info.cwd === cwd);
}

/** The session last written in this working folder, or undefined. Files without a readable header are passed over. */
export function latestSession(dir: string, cwd: string): string | undefined {
  return sessionFiles(dir).find(({ id, file }) => cwdOf(file, id) === cwd)?.id;
}

function cwdOf(file: string, id: string): string | undefined {
  try {
    return withFile(file, id, (fd) => (JSON.parse(firstLine(fd)) as Partial<SessionHeader> | null)?.cwd);
  } catch {
    return undefined;
  }
}

/**
 * The whole id of a session from its beginning, its end, or the whole of it. Throws FrostError `input_missing` where none fits
 * and `usage` where several do.
 */
export function findSession(dir: string, part: string): string {
  const ids = sessionFiles(dir).map(({ id }) => id);
  if (ids.includes(part)) return part;
  const fitting = part.length >= 4 ? ids.filter((id) => id.startsWith(part) || id.endsWith(part)) : [];
  const [only, another] = fitting;
  if (only === undefined)
    throw new FrostError('input_missing', `There is no session ${part}. 'frost sessions list' shows those there are.`);
  if (another !== undefined)
    throw new FrostError('usage', `${fitting.length} sessions fit ${part}: ${fitting.slice(0, 5).join(', ')}. Give more of the id.`);
  return only;
}
