/** Finished blocks of Markdown as lines for the terminal. All text of the model passes `forTerminal` here. */
import type { Lexer, Tokens } from 'marked';
import { forTerminal } from '../../text/sanitize.js';
import { cutWhole, type Piece } from '../blocks.js';
import { type Paint, type Span, widthOf, wrap } from '../wrap.js';
import { highlight } from './highlight.js';
import { inlineSpans, type Look } from './inline.js';
import { tableLines } from './table.js';

let lexer: typeof Lexer | undefined;

/** Loads the Markdown lexer; until then text is drawn as it was written. */
export async function loadMarkdown(): Promise<void> {
  lexer ??= (await import('marked')).Lexer;
}

const OPTIONS = { gfm: true, breaks: true };

function spans(source: string, look: Look, paint?: Paint): Span[] {
  const lex = lexer && ((text: string) => (lexer as typeof Lexer).lexInline(text, OPTIONS));
  return inlineSpans(forTerminal(source), look, lex, paint);
}

/** Lines with `first` before the first and spaces of the same width before the others. */
function hung(first: string, firstWidth: number, content: (width: number) => string[], look: Look): string[] {
  const space = ' '.repeat(firstWidth);
  return content(Math.max(1, look.width - firstWidth)).map((line, at) => (at === 0 ? first : space) + line);
}

const indentOf = (indent: number, look: Look): number => Math.min(indent, Math.floor(look.width / 3));

function itemLines(piece: Extract<Piece, { kind: 'item' }>, look: Look): string[] {
  const task = /^\[([ xX])\][ \t]+/.exec(piece.markdown);
  const mark = task ? (task[1] === ' ' ? '☐' : '☑') : /\d/.test(piece.marker) ? piece.marker : '•';
  const indent = indentOf(piece.indent, look);
  const text = task ? piece.markdown.slice(task[0].length) : piece.markdown;
  const first = `${' '.repeat(indent)}${look.theme.accent(mark)} `;
  return hung(first, indent + widthOf(mark) + 1, (width) => wrap(spans(text, look), width), look);
}

function quoteLines(markdown: string, look: Look): string[] {
  const inner = markdown.replace(/^ {0,3}> ?/gm, '');
  const width = Math.max(1, look.width - 2);
  const lines = linesOfPieces(cutWhole(inner), { ...look, width });
  return lines.map((line) => `${look.theme.dim('▌')} ${line}`.trimEnd());
}

function tableOrText(markdown: string, look: Look): string[] {
  const [token] = lexer?.lex(forTerminal(markdown), OPTIONS) ?? [];
  if (token?.type !== 'table') return wrap(spans(markdown, look), look.width);
  return tableLines(token as Tokens.Table, look, (source, isHeader) => spans(source, look, isHeader ? look.theme.strong : undefined));
}

/** The lines of one block. Lines of code are not wrapped: the terminal does that, and a copied line stays one line. */
export function pieceLines(piece: Piece, look: Look): string[] {
  const { theme, width } = look;
  switch (piece.kind) {
    case 'heading':
      return wrap(spans(piece.markdown, look, theme.heading), width);
    case 'paragraph': {
      const indent = indentOf(piece.indent, look);
      return hung(' '.repeat(indent), indent, (room) => wrap(spans(piece.markdown, look), room), look);
    }
    case 'item':
      return itemLines(piece, look);
    case 'table':
      return tableOrText(piece.markdown, look);
    case 'quote':
      return quoteLines(piece.markdown, look);
    case 'rule':
      return [theme.dim('─'.repeat(Math.min(20, width)))];
    case 'fence':
      return piece.lang === '' ? [] : [theme.dim(forTerminal(piece.lang))];
    case 'code':
      return highlight(forTerminal(piece.code), piece.lang, forTerminal(piece.before), theme);
    case 'fence_end':
      return [];
  }
}

/** Whether an empty line stands between two blocks. */
export function hasGap(before: Piece | undefined, piece: Piece): boolean {
  if (!before || piece.kind === 'fence_end') return false;
  if (before.kind === 'fence' || before.kind === 'code') return false;
  if ((before.kind === 'paragraph' || before.kind === 'item') && before.continues) return false;
  if (before.kind === 'item' && (piece.kind === 'item' || (piece.kind === 'paragraph' && piece.indent > 0))) return false;
  return true;
}

/** Blocks one after the other, with the empty lines between them. */
export function linesOfPieces(pieces: readonly Piece[], look: Look, previous?: Piece): string[] {
  let before = previous;
  return pieces.flatMap((piece) => {
    const lines = pieceLines(piece, look);
    const gap = lines.length > 0 && hasGap(before, piece);
    before = piece;
    return gap ? ['', ...lines] : lines;
  });
}
