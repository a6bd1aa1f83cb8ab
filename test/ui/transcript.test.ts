import { describe, expect, it } from 'vitest';
import { sayIn } from '../../src/ui/lang/lang.js';
import { makeTheme } from '../../src/ui/theme.js';
import { blockLines, type Style, Transcript } from '../../src/ui/transcript.js';
import type { Block, ChildRow, ToolRow } from '../../src/ui/view-state.js';

const style: Style = { width: 40, theme: makeTheme('dark', 0), hyperlinks: false, say: sayIn('en') };
const spent = { inputTokens: 1000, outputTokens: 200, cost: 0, requests: 1, unknownCost: true };
const tool = (more: Partial<ToolRow>): Block => ({
  kind: 'tool',
  tool: { callId: '1', name: 'read_file', summary: 'src/a.ts', arguments: {}, startedAt: 0, ok: true, ms: 1234, ...more },
});
const row = (more: Partial<ChildRow>): Block => ({
  kind: 'agent',
  row: {
    run: 'r',
    name: 'Coder',
    task: 't',
    model: 'small',
    host: 'localhost:1',
    startedAt: 0,
    status: 'done',
    ms: 5000,
    spent,
    view: { step: { kind: 'idle' }, cutter: { lines: [], partial: '' }, wroteText: false, tools: [], blocks: [] },
    ...more,
  },
});

describe('the transcript', () => {
  it('has one line for a tool: name, arguments, whether it worked, time', () => {
    expect(blockLines(tool({}), style)).toEqual(['✓ read_file src/a.ts 1.2 s']);
    expect(blockLines(tool({ ok: false, preview: 'no such file\nmore' }), style)).toEqual([
      '✗ read_file src/a.ts failed 1.2 s',
      '  no such file',
      '  more',
    ]);
  });

  it('shows what an edit changed', () => {
    const details = { kind: 'diff' as const, path: 'a.ts', diff: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-old\n+new\n', added: 1, removed: 1 };
    expect(blockLines(tool({ name: 'edit_file', details }), style)).toEqual([
      '✓ edit_file src/a.ts +1 -1 1.2 s',
      '@@ -1 +1 @@',
      '-old',
      '+new',
    ]);
  });

  it('says of a specialist how it ended, where it ran and what it took, and never that an unknown price is nothing', () => {
    expect(blockLines(row({}), style)).toEqual(['✓ Coder · small @ localhost:1', '  5.0 s · 1.2k tokens · cost unknown']);
    const failed = blockLines(row({ status: 'failed', error: { kind: 'auth', message: 'CODER_API_KEY was refused' } }), {
      ...style,
      width: 90,
    });
    expect(failed).toEqual(['✗ Coder · small @ localhost:1 · failed · 5.0 s · 1.2k tokens · cost unknown', '  CODER_API_KEY was refused']);
  });

  it('names who cost what, where more than one agent worked', () => {
    const bill = (principal: string, cost?: number) => ({
      principal,
      model: 'm',
      host: 'h',
      requests: 1,
      usage: { inputTokens: 900, outputTokens: 100 },
      ...(cost !== undefined && { cost }),
    });
    const end: Block = { kind: 'run_end', outcome: 'done', ms: 12_000, principals: [bill('main', 0.0123), bill('Coder')] };
    expect(blockLines(end, style)).toEqual(['12 s · main: 1.0k tokens $0.012 ·', 'Coder: 1.0k tokens cost unknown']);
  });

  it('parts what belongs apart by one empty line, whatever the batches were', () => {
    const paragraph = (markdown: string): Block => ({ kind: 'answer', piece: { kind: 'paragraph', indent: 0, markdown } });
    const blocks = [
      { kind: 'user' as const, text: 'hi' },
      tool({}),
      tool({}),
      paragraph('one'),
      paragraph('two'),
      { kind: 'answer_end' as const },
    ];
    const whole = new Transcript().lines(blocks, style);
    expect(whole).toEqual(['› hi', '', '✓ read_file src/a.ts 1.2 s', '✓ read_file src/a.ts 1.2 s', '', 'one', '', 'two']);
    const transcript = new Transcript();
    expect(blocks.flatMap((block) => transcript.lines([block], style))).toEqual(whole);
  });

  it('names speakers in words for a screen reader', () => {
    const heard = new Transcript().lines(
      [
        { kind: 'user', text: 'hi' },
        { kind: 'answer', piece: { kind: 'paragraph', indent: 0, markdown: 'hello' } },
      ],
      { ...style, roles: true },
    );
    expect(heard).toEqual(['You: hi', '', 'frost:', 'hello']);
  });
});
