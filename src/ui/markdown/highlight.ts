/** Colours for code. The highlighter and a few common languages are loaded when the first code is shown. */
import type { Role, Theme } from '../theme.js';

interface Node {
  type: string;
  value?: string;
  properties?: { className?: string[] };
  children?: Node[];
}

interface Highlighter {
  registered(language: string): boolean;
  highlight(language: string, code: string): Node;
}

let highlighter: Highlighter | undefined;

/** Makes `highlight` colour from now on. */
export async function loadHighlighter(): Promise<void> {
  highlighter ??= (await import('./languages.js')).makeHighlighter() as Highlighter;
}

const ROLES: [pattern: RegExp, role: Role][] = [
  [/^hljs-(keyword|selector-tag|literal|section|tag|meta)/, 'keyword'],
  [/^hljs-(string|regexp|char|addition|quote|link)/, 'string'],
  [/^hljs-(number|symbol|bullet)/, 'number'],
  [/^hljs-comment/, 'comment'],
  [/^hljs-(title|name|function|attr|attribute|property|selector)/, 'name'],
  [/^hljs-(type|built_in|class|params_type)/, 'type'],
  [/^hljs-deletion/, 'removed'],
];

const roleOf = (node: Node): Role | undefined => {
  const [name = ''] = node.properties?.className ?? [];
  return ROLES.find(([pattern]) => pattern.test(name))?.[1];
};

/** Paints line by line, so that every line is whole in itself. */
function paintTree(node: Node, theme: Theme, role: Role | undefined): string {
  if (node.value !== undefined) {
    const paint = role ? theme[role] : undefined;
    return paint ? node.value.replace(/[^\n]+/g, (part) => paint(part)) : node.value;
  }
  const own = roleOf(node) ?? role;
  return (node.children ?? []).map((child) => paintTree(child, theme, own)).join('');
}

/** Code above the shown part that the highlighter still reads, in characters; more would make long code slow. */
const MOST_BEFORE = 12_000;

/** The lines of `code`, coloured where its language is known. `before` is the code above it, for what spans lines. */
export function highlight(code: string, lang: string, before: string, theme: Theme): string[] {
  const plain = code.replace(/\n$/, '').split('\n');
  if (!highlighter?.registered(lang.toLowerCase())) return plain.map((line) => (lang === '' || line === '' ? line : theme.plain(line)));
  const above = before.length > MOST_BEFORE ? '' : before;
  try {
    const painted = paintTree(highlighter.highlight(lang.toLowerCase(), above + code), theme, undefined).split('\n');
    const skip = above === '' ? 0 : above.split('\n').length - 1;
    return painted.slice(skip, skip + plain.length);
  } catch {
    return plain;
  }
}
