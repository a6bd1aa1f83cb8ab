/** A change as a unified diff. */

/** Beyond this many differing lines the diff is the whole of both sides, since finding the shortest one takes too long. */
const MAX_EDITS = 2000;

export interface LineDiff {
  diff: string;
  added: number;
  removed: number;
}

/** `before` is undefined for a new file. */
export async function diffOf(name: string, before: string | undefined, after: string): Promise<LineDiff> {
  const { createTwoFilesPatch } = await import('diff');
  const [from, to] = [before === undefined ? '/dev/null' : `a/${name}`, `b/${name}`];
  const patch =
    createTwoFilesPatch(from, to, before ?? '', after, undefined, undefined, { context: 3, maxEditLength: MAX_EDITS }) ??
    whole(from, to, before ?? '', after);
  const diff = patch.replace(/^=+\n/, '');
  const lines = diff.split('\n').slice(2);
  return { diff, added: lines.filter((line) => line.startsWith('+')).length, removed: lines.filter((line) => line.startsWith('-')).length };
}

function whole(from: string, to: string, before: string, after: string): string {
  const marked = (text: string, mark: string) =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `${mark}${line}`);
  const [old, fresh] = [marked(before, '-'), marked(after, '+')];
  return [`--- ${from}`, `+++ ${to}`, `@@ -1,${old.length} +1,${fresh.length} @@`, ...old, ...fresh, ''].join('\n');
}
