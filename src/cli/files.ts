/** Files given with `-f`: texts become fenced blocks after the prompt, images become image parts. */
import fs from 'node:fs';
import path from 'node:path';
import { FrostError } from '../errors.js';
import type { ContentPart } from '../llm/messages.js';
import { MOST_BYTES, textOfInput } from './stdin.js';

const IMAGES: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** `text` in a fence longer than any run of backticks in it. */
export function fenced(text: string, info = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

function readBytes(file: string): Buffer {
  try {
    const stat = fs.statSync(file);
    if (stat.isDirectory())
      throw new FrostError('input_unreadable', `${file} is a folder; -f takes files. Name them, for example: -f ${file}/*`);
    if (stat.size > MOST_BYTES)
      throw new FrostError('input_unreadable', `${file} has ${(stat.size / 1024 / 1024).toFixed(1)} MB; frost takes 10 MB at most.`);
    return fs.readFileSync(file);
  } catch (error) {
    if (error instanceof FrostError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new FrostError('input_missing', `There is no file ${file}.`, { file });
    throw new FrostError('input_unreadable', `${file} could not be read: ${message}`, { file });
  }
}

export interface FileOptions {
  cwd: string;
  forceText: boolean;
  warn(text: string): void;
}

/** Throws FrostError: `input_missing` (66), `input_unreadable` (65). */
export function readFiles(names: readonly string[], { cwd, ...options }: FileOptions): { blocks: string[]; images: ContentPart[] } {
  const blocks: string[] = [];
  const images: ContentPart[] = [];
  for (const name of names) {
    const bytes = readBytes(path.resolve(cwd, name));
    const type = IMAGES[path.extname(name).toLowerCase()];
    if (type) images.push({ type: 'image', url: `data:${type};base64,${bytes.toString('base64')}` });
    else blocks.push(`${name}:\n${fenced(textOfInput(bytes, name, options), path.extname(name).slice(1))}`);
  }
  return { blocks, images };
}
