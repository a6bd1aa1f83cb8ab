/** Fenced code blocks of Markdown, after CommonMark: ``` or ~~~, three or more, closed by as many of the same. */

export interface CodeBlock {
  /** The first word after the fence, lower case; empty where there is none. */
  lang: string;
  /** The code without its fences, ending in a newline where it is not empty. */
  code: string;
  /** False where the text ends inside the block. */
  closed: boolean;
}

const OPEN = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;

/** All fenced blocks of `text`, in order. */
export function codeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { indent: number; fence: string; lang: string; lines: string[] } | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (!open) {
      const found = OPEN.exec(line);
      if (found) open = { indent: found[1]?.length ?? 0, fence: found[2] ?? '', lang: (found[3] ?? '').toLowerCase(), lines: [] };
      continue;
    }
    const isEnd = new RegExp(`^ {0,3}\\${open.fence[0]}{${open.fence.length},}[ \\t]*$`).test(line);
    if (isEnd) {
      blocks.push({ lang: open.lang, code: open.lines.map((one) => `${one}\n`).join(''), closed: true });
      open = undefined;
    } else {
      open.lines.push(line.replace(new RegExp(`^ {0,${open.indent}}`), ''));
    }
  }
  if (open) blocks.push({ lang: open.lang, code: open.lines.map((one) => `${one}\n`).join(''), closed: false });
  return blocks;
}

/** Names that mean one language. */
const SAME: Record<string, string> = {
  js: 'javascript',
  ts: 'typescript',
  py: 'python',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  golang: 'go',
  rs: 'rust',
  yml: 'yaml',
  rb: 'ruby',
  'c++': 'cpp',
  cs: 'csharp',
};

const canonical = (lang: string) => SAME[lang.toLowerCase()] ?? lang.toLowerCase();

/** The first whole block, of language `lang` where one is named. */
export function firstCode(text: string, lang?: string): string | undefined {
  return codeBlocks(text).find((block) => block.closed && (lang === undefined || canonical(block.lang) === canonical(lang)))?.code;
}
