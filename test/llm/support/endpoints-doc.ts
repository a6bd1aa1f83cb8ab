/** The generated parts of docs/endpoints.md: each stands between `<!-- NAME -->` and `<!-- /NAME -->`. */
import fs from 'node:fs';
import path from 'node:path';

export const DOC = path.resolve(import.meta.dirname, '../../../docs/endpoints.md');

export function table(head: string[], rows: string[][]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ⏎ ');
  const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The part as the document has it. */
export function partOf(name: string): string {
  const text = fs.readFileSync(DOC, 'utf8');
  return new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)\\n<!-- /${name} -->`).exec(text)?.[1] ?? '';
}

/** Writes the part into the document, where the run was asked to. */
export function updatePart(name: string, content: string): void {
  if (process.env['UPDATE_DOCS'] !== '1') return;
  const text = fs.readFileSync(DOC, 'utf8');
  fs.writeFileSync(
    DOC,
    text.replace(
      new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(\\n?<!-- /${name} -->)`),
      (_, open: string) => `${open}${content}\n<!-- /${name} -->`,
    ),
  );
}
