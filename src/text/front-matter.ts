/** Front matter: the YAML between two `---` lines at the start of a Markdown file, with the line of every key. */

export interface FrontMatterField {
  value: unknown;
  /** Line in the file, from 1. */
  line: number;
}

export interface FrontMatter {
  fields: Map<string, FrontMatterField>;
  /** The text below, without blank lines around it. */
  body: string;
  /** Set where the YAML could not be read; the fields are then empty. */
  problem?: { line: number; message: string };
}

/** Reads a Markdown file's text; undefined where it has no front matter. Loads the YAML reader only where it has. */
export async function readFrontMatter(text: string): Promise<FrontMatter | undefined> {
  const parts = split(text);
  if (!parts) return undefined;
  if (parts.end < 0) return { fields: new Map(), body: '', problem: { line: 1, message: "the front matter has no closing '---' line" } };
  const first = await parse(parts.yaml);
  if (!first.problem) return { ...first, body: parts.body };
  const second = await parse(quoteLooseValues(parts.yaml));
  return { ...(second.problem ? first : second), body: parts.body };
}

function split(text: string): { yaml: string; body: string; end: number } | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line));
  return {
    yaml: lines.slice(1, end).join('\n'),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
    end,
  };
}

async function parse(yaml: string): Promise<Pick<FrontMatter, 'fields' | 'problem'>> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line + 1;
  const fields = new Map<string, FrontMatterField>();
  const error = document.errors[0];
  if (error) return { fields, problem: { line: lineAt(error.pos[0]), message: `the front matter is not valid YAML: ${error.message}` } };
  if (document.contents === null) return { fields };
  if (!isMap(document.contents)) return { fields, problem: { line: 2, message: 'the front matter must be a list of `key: value` lines' } };
  for (const { key, value } of document.contents.items) {
    const name = isScalar(key) ? String(key.value) : String(key);
    const offset = isScalar(key) ? key.range?.[0] : undefined;
    const plain = value && typeof value === 'object' && 'toJS' in value ? value.toJS(document) : value;
    fields.set(name, { value: plain ?? undefined, line: lineAt(offset) });
  }
  return { fields };
}

/** Other programs write sentences with `: ` in them unquoted; such a line's value is taken as the text it was meant to be. */
function quoteLooseValues(yaml: string): string {
  return yaml.replace(/^([A-Za-z][\w-]*):[ \t]+([^\s"'[{|>&*!#%@`].*?)[ \t]*$/gm, (_line, key: string, value: string) =>
    /: | #|:$/.test(value) ? `${key}: ${JSON.stringify(value)}` : `${key}: ${value}`,
  );
}
