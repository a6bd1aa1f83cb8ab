/**
 * Fits styled text to a width. Written here because the usual wrappers break at spaces only: Chinese and Japanese text may
 * break between any two characters, save before closing and after opening punctuation.
 */
import stringWidth from 'string-width';

export type Paint = (text: string) => string;

/** A run of text with one look. `paint` gets visible text only, without line ends. */
export interface Span {
  text: string;
  paint?: Paint;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const ATOMS =
  /\n|[ \t]+|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|[^\n \t\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]+/gu;
const NOT_FIRST = /^[，。、！？：；）」』】》〉…—～％,.!?:;)\]}]/u;
const NOT_LAST = /[（「『【《〈([{]$/u;

interface Atom {
  runs: Span[];
  width: number;
  isSpace: boolean;
  isWide: boolean;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ASCII = /^[\x20-\x7e]*$/;

/** Columns that `text` takes on a terminal. */
export function widthOf(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** `text` cut to `width` columns, with an ellipsis where something is missing. */
export function clip(text: string, width: number): string {
  if (width <= 0) return '';
  if (widthOf(text) <= width) return text;
  let [out, used] = ['', 0];
  for (const { segment } of segmenter.segment(text)) {
    const next = used + widthOf(segment);
    if (next > width - 1) break;
    [out, used] = [out + segment, next];
  }
  return `${out}…`;
}

/** The spans as one list of atoms: what may not be parted. A line end is an atom `\n` of no width. */
function atomsOf(spans: readonly Span[]): Atom[] {
  const atoms: Atom[] = [];
  for (const { text, paint } of spans) {
    for (const [found] of text.matchAll(ATOMS)) {
      const isSpace = /^[ \t]/.test(found);
      const isWide = WIDE.test(found);
      const run: Span = { text: isSpace ? found.replaceAll('\t', '    ') : found, ...(paint && { paint }) };
      const last = atoms.at(-1);
      if (last && !isSpace && found !== '\n' && joins(last, found, isWide)) {
        last.runs.push(run);
        last.width += widthOf(run.text);
        last.isWide = isWide;
      } else atoms.push({ runs: [run], width: found === '\n' ? 0 : widthOf(run.text), isSpace, isWide });
    }
  }
  return atoms;
}

/** Whether `found` may not be parted from the atom before it. */
function joins(last: Atom, found: string, isWide: boolean): boolean {
  const before = last.runs.at(-1)?.text ?? '';
  if (last.isSpace || before === '\n') return false;
  if (NOT_FIRST.test(found) || NOT_LAST.test(before)) return true;
  return !last.isWide && !isWide;
}

/** An atom that is wider than a line, in parts that fit. */
function broken(atom: Atom, width: number): Atom[] {
  const parts: Atom[] = [];
  for (const run of atom.runs) {
    for (const { segment } of segmenter.segment(run.text)) {
      const own = widthOf(segment);
      const last = parts.at(-1);
      const piece: Span = { ...run, text: segment };
      if (last && last.width + own <= width) {
        const tail = last.runs.at(-1);
        if (tail && tail.paint === run.paint) tail.text += segment;
        else last.runs.push(piece);
        last.width += own;
      } else parts.push({ runs: [piece], width: own, isSpace: false, isWide: false });
    }
  }
  return parts;
}

const painted = (runs: readonly Span[]): string =>
  merged(runs)
    .map(({ text, paint }) => (paint ? paint(text) : text))
    .join('');

/** Neighbours of one look as one run, so that a line carries few colour changes. */
function merged(runs: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const run of runs) {
    const last = out.at(-1);
    if (last && last.paint === run.paint) last.text += run.text;
    else out.push({ ...run });
  }
  return out;
}

/** The spans as lines of at most `width` columns (at least 1), painted. Trailing spaces are dropped. */
export function wrap(spans: readonly Span[], width: number): string[] {
  const most = Math.max(1, Math.floor(width));
  const lines: string[] = [];
  let [line, used, gap]: [Span[], number, Atom | undefined] = [[], 0, undefined];
  const end = (): void => {
    lines.push(painted(line));
    [line, used, gap] = [[], 0, undefined];
  };
  const put = (atom: Atom): void => {
    const space = gap?.width ?? 0;
    if (used > 0 && used + space + atom.width > most) end();
    if (gap && (used > 0 || lines.length === 0)) {
      line.push(...gap.runs);
      used += gap.width;
    }
    gap = undefined;
    line.push(...atom.runs);
    used += atom.width;
  };
  for (const atom of atomsOf(spans)) {
    if (atom.runs[0]?.text === '\n') end();
    else if (atom.isSpace) gap = atom;
    else if (atom.width > most) for (const part of broken(atom, most)) put(part);
    else put(atom);
  }
  if (line.length > 0 || lines.length === 0) end();
  return lines;
}
