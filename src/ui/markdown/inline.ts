/** Inline Markdown (emphasis, code, links) as styled runs. */
import type { Token, Tokens } from 'marked';
import type { Theme } from '../theme.js';
import type { Paint, Span } from '../wrap.js';

/** How Markdown is drawn. `hyperlinks`: the terminal knows OSC 8. */
export interface Look {
  width: number;
  theme: Theme;
  hyperlinks: boolean;
}

type LexInline = (source: string) => Token[];

const compose = (outer: Paint | undefined, inner: Paint): Paint => (outer ? (text) => outer(inner(text)) : inner);

/** Only an address that a terminal may open, and nothing that could end the sequence early. */
function linkPaint(href: string): Paint | undefined {
  if (!/^(https?|mailto):/i.test(href) || /[\s\x00-\x20\x7f-\x9f]/.test(href)) return undefined;
  return (text) => `\x1b]8;;${href}\x1b\\${text}\x1b]8;;\x1b\\`;
}

/** A link shows where it goes: what is read is what is opened. */
function linkSpans({ href, text, tokens }: Tokens.Link, look: Look, paint: Paint | undefined): Span[] {
  const link = compose(look.hyperlinks ? linkPaint(href) : undefined, compose(paint, look.theme.link));
  const address = href.replace(/^mailto:/, '');
  if (text === href || text === address) return [{ text, paint: link }];
  const label = spansOf(tokens, look, paint);
  return [...label, { text: ' (', ...(paint && { paint }) }, { text: address, paint: link }, { text: ')', ...(paint && { paint }) }];
}

function spansOf(tokens: readonly Token[], look: Look, paint?: Paint): Span[] {
  return tokens.flatMap((token): Span[] => spansOfToken(token, look, paint));
}

function spansOfToken(token: Token, look: Look, paint: Paint | undefined): Span[] {
  const { theme } = look;
  const plain = (text: string): Span[] => [{ text, ...(paint && { paint }) }];
  switch (token.type) {
    case 'strong':
      return spansOf(token.tokens ?? [], look, compose(paint, theme.strong));
    case 'em':
      return spansOf(token.tokens ?? [], look, compose(paint, theme.emphasis));
    case 'del':
      return spansOf(token.tokens ?? [], look, compose(paint, theme.struck));
    case 'codespan':
      return [{ text: token.text, paint: compose(paint, theme.code) }];
    case 'link':
      return linkSpans(token as Tokens.Link, look, paint);
    case 'image':
      return plain(`[${token.text || 'image'}] (${token.href})`);
    case 'br':
      return plain('\n');
    case 'escape':
      return plain(token.text);
    case 'text':
      return token.tokens ? spansOf(token.tokens, look, paint) : plain(token.text);
    default:
      return plain(token.raw);
  }
}

/** The runs of one paragraph's text; without a lexer (not loaded yet) the source as it is. */
export function inlineSpans(source: string, look: Look, lex: LexInline | undefined, paint?: Paint): Span[] {
  if (!lex) return [{ text: source, ...(paint && { paint }) }];
  return spansOf(lex(source), look, paint);
}
