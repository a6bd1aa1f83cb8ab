import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, NewEvent } from '../../../src/agent/events.js';
import { sayIn } from '../../../src/ui/lang/lang.js';
import { shareRows, type Wanted } from '../../../src/ui/live/budget.js';
import { composeLive, type Live, PARTS, type Scene } from '../../../src/ui/live/compose.js';
import { lineWidth } from '../../../src/ui/screen.js';
import { makeTheme } from '../../../src/ui/theme.js';
import { NEW_UI, type UiState } from '../../../src/ui/ui-state.js';
import { apply, EMPTY_VIEW } from '../../../src/ui/view.js';
import type { View } from '../../../src/ui/view-state.js';
import { clip } from '../../../src/ui/wrap.js';

const at = (event: NewEvent, agent?: string): AgentEvent => ({ ...event, ts: 1000, ...(agent && { agent }) }) as AgentEvent;
const START = at({ type: 'run_start', version: 1, model: 'm', host: 'h', tools: [], specialists: [] });
const child = (run: string, parent?: string) =>
  at({
    type: 'agent_start',
    run,
    ...(parent && { parent }),
    name: `Agent-${run}`,
    task: 't',
    model: 'a-model-with-a-long-name',
    host: 'some.host.example:8080',
    limits: {},
  });

const BUSY: View = [
  START,
  child('a'),
  child('b', 'a'),
  child('c'),
  at({ type: 'tool_start', callId: '1', name: 'run_command', arguments: {}, summary: 'npm test -- --watch' }),
  at({ type: 'text_delta', text: 'An answer 带中文 that goes on and on, '.repeat(20) }),
].reduce(apply, EMPTY_VIEW);

function scene(more: Partial<Scene> = {}): Scene {
  const rows = ['first line', 'second 行'];
  return {
    view: BUSY,
    ui: { ...NEW_UI, queued: ['queued text'], hint: 'a hint' },
    prompt: (width) => ({
      rows: rows.map((row) => clip(row, width)),
      cursor: { row: 1, column: 9 },
      placeholder: false,
      menu: [{ text: '/help', note: 'commands', chosen: true }],
      searching: false,
    }),
    facts: { model: 'main-model', host: 'api.example:443', mode: 'asks first' },
    gap: true,
    size: { columns: 80, rows: 24 },
    now: 5000,
    style: { width: 80, theme: makeTheme('dark', 1), hyperlinks: false, say: sayIn('en') },
    ...more,
  };
}

const linesOf = (live: Live) => PARTS.flatMap((part) => live[part]);

describe('the live part', () => {
  it('is always shorter than the window and no line is wider, whatever is going on', () => {
    const overlays: (UiState['overlay'] | undefined)[] = [
      undefined,
      { kind: 'child', run: 'b', scroll: 0 },
      {
        kind: 'picker',
        title: 'Which?',
        choices: [{ id: '1', label: '一个很长的选项'.repeat(9) }],
        search: '',
        chosen: 0,
        canSearch: true,
      },
      { kind: 'question', title: 'A question that is longer than a small window is wide', text: 'x'.repeat(90), secret: true },
    ];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 2, max: 60 }),
        fc.constantFrom(...overlays),
        (columns, rows, overlay) => {
          const live = composeLive(scene({ size: { columns, rows }, ui: { ...NEW_UI, queued: ['text'], ...(overlay && { overlay }) } }));
          const lines = linesOf(live);
          expect(lines.length).toBeLessThan(rows);
          if (columns >= 8) for (const line of lines) expect(lineWidth(line), line).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it('puts the cursor into the prompt, in the row and column of the text', () => {
    const live = composeLive(scene());
    const { row = -1, column } = live.cursor ?? {};
    expect(linesOf(live)[row]).toContain('second 行');
    expect(column).toBe(11);
  });

  it('shows a nested row for each specialist with what it does, and two lines where the width is small', () => {
    const wide = composeLive(scene({ size: { columns: 160, rows: 40 } })).agents;
    expect(wide).toHaveLength(3);
    expect(wide[1]).toMatch(/^ {2}.*Agent-b.*waiting for the model.*4 s.*a-model-with-a-long-name @ some\.host/);
    expect(composeLive(scene({ size: { columns: 60, rows: 40 } })).agents).toHaveLength(6);
  });

  it('drops what a person can best do without first', () => {
    const live = composeLive(scene({ size: { columns: 40, rows: 5 } }));
    expect(live.prompt).toHaveLength(1);
    expect(live.step).toHaveLength(1);
    expect(live.status).toHaveLength(1);
    expect(live.waiting).toHaveLength(0);
  });

  it('asks who wants what, with the difference it makes', () => {
    const asked = apply(
      BUSY,
      at(
        {
          type: 'approval',
          state: 'asked',
          id: 'p',
          callId: 'c',
          tool: 'write_file',
          access: { kind: 'write', path: 'src/a.ts' },
          reason: 'ask',
          rule: 'write_file(src/**)',
          diff: '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n',
        },
        'a',
      ),
    );
    const { overlay, prompt } = composeLive(scene({ view: asked, ui: { ...NEW_UI, overlay: { kind: 'approval', chosen: 0 } } }));
    const text = overlay.join('\n');
    expect(text).toMatch(/Agent-a wants to change src\/a\.ts/);
    expect(text).toContain('-old');
    expect(text).toContain('always: write_file(src/**)');
    expect(prompt).toEqual([]);
  });

  it('says the cost is unknown where it is', () => {
    const spent = apply(
      BUSY,
      at({ type: 'usage', principal: 'main', model: 'm', host: 'h', usage: { inputTokens: 1500, outputTokens: 500 } }),
    );
    expect(composeLive(scene({ view: spent })).status[0]).toMatch(/2\.0k tokens · cost unknown/);
  });
});

describe('sharing out the rows', () => {
  it('never gives more than there are, nor more than was wanted', () => {
    const wanted = fc.record(Object.fromEntries(PARTS.map((part) => [part, fc.nat(30)]))) as fc.Arbitrary<Wanted>;
    fc.assert(
      fc.property(wanted, fc.integer({ min: 2, max: 80 }), (want, rows) => {
        const given = shareRows(want, rows);
        expect(Object.values(given).reduce((sum, one) => sum + one, 0)).toBeLessThan(rows);
        for (const part of PARTS) expect(given[part]).toBeLessThanOrEqual(want[part]);
      }),
    );
  });
});
