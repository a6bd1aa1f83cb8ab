import fs from 'node:fs';
import path from 'node:path';

/** The code block of README.md that begins with this line, without its indentation. */
export function readmeBlock(firstLine: string): string {
  const readme = fs.readFileSync(path.resolve(import.meta.dirname, '../../README.md'), 'utf8');
  for (const [, indent = '', code = ''] of readme.matchAll(/^( *)```\w*\n([\s\S]*?)^ *```$/gm)) {
    const text = code.replace(new RegExp(`^${indent}`, 'gm'), '');
    if (text.startsWith(firstLine)) return text;
  }
  throw new Error(`README.md has no code block that begins with: ${firstLine}`);
}
