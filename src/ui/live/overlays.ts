/** What is open over the prompt: pickers, questions for permission, a specialist's transcript, one line to fill in. Pure. */
import { forTerminal, lineForTerminal } from '../../text/sanitize.js';
import { diffLines } from '../diff-lines.js';
import { accessWords, blockLines, type Style, Transcript } from '../transcript.js';
import { matching, type Overlay, type UiState } from '../ui-state.js';
import type { Approval, Block, View } from '../view-state.js';
import { clip, type Span, widthOf, wrap } from '../wrap.js';
import { answerLines, hardWrapped } from './lines.js';
import { stepWords } from './step-words.js';

export const SIGN = '› ';

export interface OverlayScene {
  view: View;
  ui: UiState;
  now: number;
  style: Style;
}

type ApprovalOverlay = Extract<Overlay, { kind: 'approval' }>;

export interface OverlayLines {
  lines: string[];
  cursor?: { row: number; column: number };
}

/** The part of a list that holds the chosen one. */
export function around<T>(items: readonly T[], chosen: number, most: number): { shown: readonly T[]; from: number } {
  const from = Math.max(0, Math.min(chosen - Math.floor(most / 2), items.length - most));
  return { shown: items.slice(from, from + most), from };
}

export function choiceLine(label: string, note: string | undefined, isChosen: boolean, { theme, width }: Style): string {
  const sign = isChosen ? '❯ ' : '  ';
  const text = clip(lineForTerminal(label), width - 2);
  const room = width - 2 - widthOf(text) - 2;
  const more = note && room > 4 ? theme.dim(`  ${clip(lineForTerminal(note), room)}`) : '';
  return (isChosen ? theme.selected(sign + text) : sign + text) + more;
}

function pickerLines(overlay: Extract<Overlay, { kind: 'picker' }>, most: number, style: Style): OverlayLines {
  const { say, theme, width } = style;
  const found = matching(overlay);
  const title = wrap([{ text: lineForTerminal(overlay.title), paint: theme.strong }], width);
  const search = overlay.canSearch
    ? [`${clip(say('picker.search'), width - 5)}: ${fitEnd(overlay.search, Math.max(1, width - widthOf(say('picker.search')) - 3))}`]
    : [];
  const foot =
    most > title.length + search.length + 3 ? [theme.dim(clip(say(overlay.canSearch ? 'picker.keys' : 'setup.keys'), width))] : [];
  const room = Math.max(1, most - title.length - search.length - foot.length);
  const { shown, from } = around(found, overlay.chosen, room);
  const number = (at: number) => (overlay.canSearch || found.length > 9 ? '' : `${at + 1}. `);
  const list = shown.map(({ label, note }, at) => choiceLine(number(from + at) + label, note, from + at === overlay.chosen, style));
  const lines = [...title, ...search, ...(list.length === 0 ? [theme.dim(clip(say('picker.none'), width))] : list), ...foot];
  return { lines, ...(overlay.canSearch && { cursor: { row: title.length, column: widthOf(search[0] ?? '') } }) };
}

export interface ApprovalOption {
  answer: 'once' | 'session' | 'always' | 'no';
  key: string;
  label: string;
}

export function approvalOptions(approval: Approval, { say }: Pick<Style, 'say'>): ApprovalOption[] {
  return [
    { answer: 'once', key: 'y', label: say('approval.once') },
    { answer: 'session', key: 's', label: say('approval.session') },
    ...(approval.rule === undefined
      ? []
      : [{ answer: 'always' as const, key: 'a', label: say('approval.always', { rule: lineForTerminal(approval.rule) }) }]),
    { answer: 'no', key: 'n', label: say('approval.no') },
  ];
}

/** The options one under the other, or in one row where the room is for what is asked about. */
function optionLines(options: readonly ApprovalOption[], chosen: number, isTight: boolean, style: Style): string[] {
  if (!isTight) return options.map(({ key, label }, at) => choiceLine(`${key}  ${label}`, undefined, at === chosen, style));
  const { theme, width } = style;
  const spans = options.flatMap(({ key, label }, at): Span[] => [
    { text: at === 0 ? '' : '  ' },
    { text: `${key} ${label}`.replaceAll(' ', '\u00a0'), ...(at === chosen && { paint: theme.selected }) },
  ]);
  return wrap(spans, width).map((line) => line.replaceAll('\u00a0', ' '));
}

function reasonLines(reason: string, { say, theme, width }: Style): string[] {
  return [theme.dim(clip(say('approval.reason'), width)), SIGN + fitEnd(reason, width - 3)];
}

/** What is asked about, in full; PgUp and PgDn move in it where it is longer than the room. */
function scrolled(lines: readonly string[], most: number, scroll: number, { theme, say, width }: Style): string[] {
  if (lines.length <= most) return [...lines];
  const room = Math.max(1, most - 1);
  const from = Math.min(scroll, lines.length - room);
  const left = lines.length - room - from;
  return [...lines.slice(from, from + room), theme.dim(clip(say('approval.scroll', { count: left }), width))];
}

function approvalLines(approval: Approval, overlay: ApprovalOverlay, waiting: number, most: number, style: Style): OverlayLines {
  const { say, theme, width } = style;
  const who = approval.agentName === undefined ? say('approval.main') : lineForTerminal(approval.agentName);
  const what = say('approval.title', { who, what: accessWords(approval.tool, approval.access, say) });
  const title = wrap([{ text: what, paint: theme.warn }], width);
  const body = [...title, ...(approval.diff ? diffLines(approval.diff, theme, { width }) : [])];
  const options = approvalOptions(approval, style);
  const isTight = body.length + options.length > most;
  const below = overlay.reason === undefined ? optionLines(options, overlay.chosen, isTight, style) : reasonLines(overlay.reason, style);
  const more = waiting > 0 ? [theme.dim(clip(say('approval.more', { count: waiting }), width))] : [];
  const shown = scrolled(body, Math.max(1, most - below.length - more.length), overlay.scroll ?? 0, style);
  const cursor = { row: shown.length + 1, column: widthOf(SIGN) + widthOf(fitEnd(overlay.reason ?? '', width - 3)) };
  return { lines: [...shown, ...below, ...more], ...(overlay.reason !== undefined && { cursor }) };
}

/** The transcript of a child is long and seldom changes between frames. */
let drawn: { blocks: readonly Block[]; width: number; theme: Style['theme']; lines: string[] } | undefined;

function transcriptLines(blocks: readonly Block[], style: Style): string[] {
  const { width, theme } = style;
  if (drawn?.blocks !== blocks || drawn.width !== width || drawn.theme !== theme) {
    const lines = new Transcript().lines(blocks, style).flatMap((line) => hardWrapped(line, width));
    drawn = { blocks, width, theme, lines };
  }
  return drawn.lines;
}

function childLines(view: View, overlay: Extract<Overlay, { kind: 'child' }>, most: number, now: number, style: Style): OverlayLines {
  const { say, theme, width } = style;
  const row = view.children.get(overlay.run);
  if (!row) return { lines: [] };
  const { name, model, host } = row;
  const state = row.status === 'running' ? stepWords(row.view.step, now, say) : say(`agent.${row.status}`);
  const title = theme.strong(clip(lineForTerminal(`${say('child.title', { name, model, host })} · ${state}`), width));
  const foot = theme.dim(clip(say('child.keys'), width));
  const open = answerLines({ ...view, main: row.view }, style, false);
  const error = row.error ? blockLines({ kind: 'warning', text: row.error.message }, style) : [];
  const all = [...transcriptLines(row.view.blocks, style), ...open, ...error];
  const room = Math.max(1, most - 2);
  const up = Math.min(overlay.scroll, Math.max(0, all.length - room));
  return { lines: [title, ...all.slice(Math.max(0, all.length - room - up), all.length - up), foot] };
}

/** The end of a text that is wider than the field. */
function fitEnd(text: string, width: number): string {
  let shown = text;
  while (widthOf(shown) > width) shown = Array.from(shown).slice(1).join('');
  return shown;
}

function questionLines(overlay: Extract<Overlay, { kind: 'question' }>, style: Style): OverlayLines {
  const { theme, width } = style;
  const title = wrap([{ text: forTerminal(overlay.title), paint: theme.strong }], width);
  const shown = overlay.secret ? '•'.repeat(Math.min(Array.from(overlay.text).length, width - 3)) : overlay.text;
  const text = fitEnd(shown, width - 3);
  const problem = overlay.problem ? wrap([{ text: forTerminal(overlay.problem), paint: theme.bad }], width) : [];
  return { lines: [...title, ...problem, SIGN + text], cursor: { row: title.length + problem.length, column: 2 + widthOf(text) } };
}

/** A question on its own, before there is a chat. */
export function overlayOnly(overlay: Extract<Overlay, { kind: 'picker' | 'question' }>, most: number, style: Style): OverlayLines {
  return overlay.kind === 'picker' ? pickerLines(overlay, most, style) : questionLines(overlay, style);
}

export function overlayLines({ view, ui, now, style }: OverlayScene, most: number): OverlayLines | undefined {
  const { overlay } = ui;
  const [approval, ...others] = view.approvals;
  switch (overlay?.kind) {
    case 'picker':
      return pickerLines(overlay, most, style);
    case 'question':
      return questionLines(overlay, style);
    case 'child':
      return childLines(view, overlay, most, now, style);
    case 'approval':
      return approval && approvalLines(approval, overlay, others.length, most, style);
    default:
      return undefined;
  }
}
