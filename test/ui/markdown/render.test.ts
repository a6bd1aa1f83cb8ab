import { beforeAll, describe, expect, it } from 'vitest';
import { cutWhole } from '../../../src/ui/blocks.js';
import { highlight, loadHighlighter } from '../../../src/ui/markdown/highlight.js';
import { linesOfPieces, loadMarkdown } from '../../../src/ui/markdown/render.js';
import { lineWidth } from '../../../src/ui/screen.js';
import { makeTheme } from '../../../src/ui/theme.js';
import { wrap } from '../../../src/ui/wrap.js';

const plain = makeTheme('dark', 0);
const coloured = makeTheme('dark', 1);
const draw = (markdown: string, width = 40, theme = plain, hyperlinks = false) =>
  linesOfPieces(cutWhole(markdown), { width, theme, hyperlinks });

beforeAll(async () => {
  await loadMarkdown();
  await loadHighlighter();
});

describe('Markdown on the terminal', () => {
  it('draws headings, lists with hanging lines, tasks, quotes and rules', () => {
    const lines = draw('# Title\n\n- a list item that is too long for one line of forty\n- [x] done\n  1. inner\n\n> said\n\n---\n');
    expect(lines).toEqual([
      'Title',
      '',
      '• a list item that is too long for one',
      '  line of forty',
      '☑ done',
      '  1. inner',
      '',
      '▌ said',
      '',
      '─'.repeat(20),
    ]);
  });

  it('never takes more columns than there are, whatever the text is', () => {
    const text = '中文与 English 混排的一段文字，后面还有一个很长的链接 https://example.test/very/long/path/that/goes/on 。'.repeat(3);
    for (const width of [8, 20, 40, 80]) for (const line of draw(`- ${text}`, width)) expect(lineWidth(line)).toBeLessThanOrEqual(width);
  });

  it('breaks Chinese between characters, not before a comma', () => {
    const lines = wrap([{ text: '一二三四，五六七八。九十' }], 8);
    expect(lines).toEqual(['一二三', '四，五六', '七八。九', '十']);
  });

  it('leaves code as it is: no gutter, no padding, no hard wraps', () => {
    const code = "cat > f.txt <<'EOF'\n  two\nEOF\ncurl https://example.test/a/path/that/is/longer/than/forty/columns/index.html";
    expect(draw(`\`\`\`\n${code}\n\`\`\``)).toEqual(code.split('\n'));
  });

  it('colours code over the border of what is already on the screen', () => {
    const [line = ''] = highlight('still a comment */ x\n', 'ts', '/* a comment\n', coloured);
    expect(line.startsWith(coloured.comment('still a comment */'))).toBe(true);
    expect(highlight('what\n', 'no-such-language', '', coloured)).toEqual(['what']);
  });

  it('fits tables to the width, and lists cells where columns cannot fit', () => {
    const table = '| Name | What it does |\n|:--|--:|\n| frost | talks to specialists with their own keys |\n';
    const lines = draw(table, 30);
    expect(lines[0]).toMatch(/^Name {2}│/);
    for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(30);
    expect(draw(table, 8)).toContain('Name:');
  });

  it('shows where a link goes, and makes it a link where the terminal can', () => {
    expect(draw('[here](https://example.test/x)')).toEqual(['here (https://example.test/x)']);
    expect(draw('[here](https://example.test/x)', 60, plain, true)[0]).toContain('\x1b]8;;https://example.test/x\x1b\\');
    expect(draw('<javascript:alert(1)> [x](javascript:alert(1))', 60, plain, true).join('')).not.toContain('\x1b]8');
  });

  it('lets nothing of the model reach the terminal but visible text', () => {
    const evil =
      'A\x1b]0;pwned\x07B\x1b]52;c;aGFja2Vk\x07C\x1b]8;;http://evil.test\x07link\x1b]8;;\x07D\x1b[2J\x1b[1;1HE\x1b[31mred\rOVER\x9b2JF\u202egnp.exe';
    const all = [
      `${evil}\n\n- ${evil}\n\n# ${evil}\n\n> ${evil}\n\n| ${evil} | b |\n|--|--|\n| x | ${evil} |\n\n\`${evil}\`\n\n\`\`\`${evil}\n${evil}\n\`\`\``,
    ];
    const drawn = draw(all.join(''), 60).join('\n');
    expect(drawn).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
    expect(drawn).toMatch(/A.*B.*C.*link.*D.*E.*red/s);
  });

  it('emphasises, and uses no sequences at all without colours', () => {
    expect(draw('**b** *i* ~~s~~ `c`')).toEqual(['b i s c']);
    expect(draw('**b**', 40, coloured)).toEqual(['\x1b[1mb\x1b[22m']);
  });
});
