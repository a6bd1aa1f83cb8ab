/** The whole live part from what is known: which rows, where the cursor. Pure. */

import { forTerminal, lineForTerminal } from '../../text/sanitize.js';
import { diffLines } from '../diff-lines.js';
import type { ComposerView } from '../input/composer.js';
import { accessWords, blockLines, type Style, Transcript } from '../transcript.js';
import { matching, type Overlay, type UiState } from '../ui-state.js';
import type { Approval, View } from '../view-state.js';
import { clip, widthOf, wrap } from '../wrap.js';
import { shareRows } from './budget.js';
import { agentRows, answerLines, cappedRows, type StatusFacts, statusLine, stepLine, toolRows, waitingLines } from './lines.js';
import { stepWords } from './step-words.js';

export interface Scene {
  view: View;
  ui: UiState;
  /** The prompt laid out for at most this many rows. */
  prompt(width: number, rows: number): ComposerView;
  facts: StatusFacts;
  /** Whether an empty line belongs above the open rest. */
  gap: boolean;
  size: { columns: number; rows: number };
  now: number;
  style: Style;
}

/** The rows of each part, from top to bottom, and the cursor's place in all of them together. */
export interface Live {
  answer: readonly string[];
  tools: readonly string[];
  agents: readonly string[];
  waiting: readonly string[];
  step: readonly string[];
  overlay: readonly string[];
  prompt: readonly string[];
  menu: readonly string[];
  hint: readonly string[];
  status: readonly string[];
  cursor?: { row: number; column: number };
}

/** The rows of the parts in the order in which they stand. */
export const PARTS = ['answer', 'tools', 'agents', 'waiting', 'step', 'overlay', 'prompt', 'menu', 'hint', 'status'] as const;

export const EMPTY_LIVE: Live = {
  answer: [],
  tools: [],
  agents: [],
  waiting: [],
  step: [],
  overlay: [],
  prompt: [],
  menu: [],
  hint: [],
  status: [],
};

/** A frame without a layout engine, for the time until Ink is loaded. */
export const plainFrame = (live: Live): string => PARTS.flatMap((part) => live[part]).join('\n');

export const SIGN = '› ';

const tail = (lines: readonly string[], most: number): string[] => (most <= 0 ? [] : lines.slice(-most));

export interface OverlayLines {
  lines: string[];
  cursor?: { row: number; column: number };
}

/** The part of a list that holds the chosen one. */
function around<T>(items: readonly T[], chosen: number, most: number): { shown: readonly T[]; from: number } {
  const from = Math.max(0, Math.min(chosen - Math.floor(most / 2), items.length - most));
  return { shown: items.slice(from, from + most), from };
}

function choiceLine(label: string, note: string | undefined, isChosen: boolean, { theme, width }: Style): string {
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
  const search = overlay.canSearch ? [`${say('picker.search')}: ${clip(overlay.search, Math.max(1, width - 12))}`] : [];
  const foot =
    most > title.length + search.length + 3 ? [theme.dim(clip(say(overlay.canSearch ? 'picker.keys' : 'setup.keys'), width))] : [];
  const room = Math.max(1, most - title.length - search.length - foot.length);
  const { shown, from } = around(found, overlay.chosen, room);
  const number = (at: number) => (overlay.canSearch || found.length > 9 ? '' : `${at + 1}. `);
  const list = shown.map(({ label, note }, at) => choiceLine(number(from + at) + label, note, from + at === overlay.chosen, style));
  const lines = [...title, ...search, ...(list.length === 0 ? [theme.dim(say('picker.none'))] : list), ...foot];
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

function approvalLines(
  approval: Approval,
  overlay: Extract<Overlay, { kind: 'approval' }>,
  waiting: number,
  most: number,
  style: Style,
): OverlayLines {
  const { say, theme, width } = style;
  const who = approval.agentName === undefined ? say('approval.main') : lineForTerminal(approval.agentName);
  const title = wrap(
    [{ text: say('approval.title', { who, what: accessWords(approval.tool, approval.access, say) }), paint: theme.warn }],
    width,
  );
  const options = approvalOptions(approval, style);
  const asking = overlay.reason !== undefined;
  const below = asking
    ? [theme.dim(clip(say('approval.reason'), width)), `${SIGN}${clip(overlay.reason ?? '', width - 3)}`]
    : options.map(({ key, label }, at) => choiceLine(`${key}  ${label}`, undefined, at === overlay.chosen, style));
  const more = waiting > 0 ? [theme.dim(say('approval.more', { count: waiting }))] : [];
  const room = Math.max(0, most - title.length - below.length - more.length);
  const shown = approval.diff ? diffLines(approval.diff, theme, Math.max(1, room)) : [];
  const body = [
    ...tail(title, Math.max(1, most - below.length)),
    ...cappedRows(
      shown.flatMap((line) => clip(line, width * 2)),
      room,
      style,
    ),
  ];
  const lines = [...body, ...below, ...more];
  return { lines, ...(asking && { cursor: { row: body.length + 1, column: 2 + widthOf(overlay.reason ?? '') } }) };
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
  const all = [...new Transcript().lines(row.view.blocks, style), ...open, ...error].flatMap((line) => wrapPainted(line, width));
  const room = Math.max(1, most - 2);
  const up = Math.min(overlay.scroll, Math.max(0, all.length - room));
  return { lines: [title, ...all.slice(Math.max(0, all.length - room - up), all.length - up), foot] };
}

const wrapPainted = (line: string, width: number): string[] =>
  widthOf(line) <= width ? [line] : [line.length > width * 8 ? clip(line, width) : line];

function questionLines(overlay: Extract<Overlay, { kind: 'question' }>, style: Style): OverlayLines {
  const { theme, width } = style;
  const title = wrap([{ text: forTerminal(overlay.title), paint: theme.strong }], width);
  const shown = overlay.secret ? '•'.repeat(Math.min(Array.from(overlay.text).length, width - 3)) : overlay.text;
  const text = widthOf(shown) > width - 3 ? shown.slice(-(width - 3)) : shown;
  const problem = overlay.problem ? wrap([{ text: forTerminal(overlay.problem), paint: theme.bad }], width) : [];
  return { lines: [...title, ...problem, SIGN + text], cursor: { row: title.length + problem.length, column: 2 + widthOf(text) } };
}

/** A question on its own, before there is a chat. */
export function overlayOnly(overlay: Extract<Overlay, { kind: 'picker' | 'question' }>, most: number, style: Style): OverlayLines {
  return overlay.kind === 'picker' ? pickerLines(overlay, most, style) : questionLines(overlay, style);
}

function overlayLines({ view, ui, now, style }: Scene, most: number): OverlayLines | undefined {
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

function menuLines(prompt: ComposerView, most: number, style: Style): string[] {
  const chosen = Math.max(
    0,
    prompt.menu.findIndex((item) => item.chosen),
  );
  return around(prompt.menu, chosen, Math.max(1, most)).shown.map(({ text, note, chosen: isChosen }) =>
    choiceLine(text, note, isChosen, style),
  );
}

function promptLines(prompt: ComposerView, { theme, say, width }: Style, running: boolean): string[] {
  const sign = theme.user(prompt.searching ? '?' : SIGN.trim());
  const words = say(running ? 'composer.steer' : 'composer.placeholder');
  if (prompt.placeholder) return [`${sign} ${theme.dim(clip(words, width - 3))}`];
  return prompt.rows.map((row, at) => `${at === 0 ? sign : ' '} ${row}`);
}

/** The rows of the prompt that hold its cursor. */
const promptWindow = (rows: readonly string[], cursorRow: number, most: number): { shown: string[]; row: number } => {
  const from = Math.max(0, Math.min(cursorRow - most + 1, rows.length - most));
  return { shown: rows.slice(from, from + most), row: cursorRow - from };
};

/** Narrower than this nothing is laid out; the painter cuts it to the window. */
const NARROWEST = 8;

export function composeLive(scene: Scene): Live {
  const { view, ui, now, facts } = scene;
  const size = { ...scene.size, columns: Math.max(NARROWEST, scene.size.columns) };
  const style = { ...scene.style, width: size.columns };
  const overlay = overlayLines({ ...scene, style }, Math.max(3, size.rows - 4));
  const hidesPrompt = overlay !== undefined;
  const prompt = scene.prompt(Math.max(1, size.columns - 3), size.rows);
  const parts = {
    answer: style.roles ? [] : answerLines(view, style, scene.gap),
    tools: toolRows(view, now, style),
    agents: agentRows(view, now, style),
    waiting: waitingLines(view, ui, style),
    step: view.running ? [stepLine(view, ui, now, style)] : [],
    overlay: overlay?.lines ?? [],
    prompt: hidesPrompt ? [] : promptLines(prompt, style, view.running),
    hint: ui.hint === undefined ? [] : [style.theme.warn(clip(ui.hint, size.columns))],
    status: [statusLine(view, facts, style)],
  };
  const wanted = Object.fromEntries(Object.entries(parts).map(([part, lines]) => [part, lines.length]));
  const rows = shareRows({ ...(wanted as Record<keyof typeof parts, number>), menu: hidesPrompt ? 0 : prompt.menu.length }, size.rows);
  const window = promptWindow(parts.prompt, prompt.cursor.row, Math.max(1, rows.prompt));
  const live: Live = {
    answer: tail(parts.answer, rows.answer),
    tools: cappedRows(parts.tools, rows.tools, style),
    agents: cappedRows(parts.agents, rows.agents, style),
    waiting: cappedRows(parts.waiting, rows.waiting, style),
    step: parts.step.slice(0, rows.step),
    overlay: tail(parts.overlay, rows.overlay),
    prompt: rows.prompt > 0 ? window.shown : [],
    menu: rows.menu > 0 ? menuLines(prompt, rows.menu, style) : [],
    hint: parts.hint.slice(0, rows.hint),
    status: parts.status.slice(0, rows.status),
  };
  return withCursor(live, overlay, parts.overlay.length - live.overlay.length, { row: window.row, column: prompt.cursor.column + 2 });
}

function withCursor(live: Live, overlay: OverlayLines | undefined, cut: number, inPrompt: { row: number; column: number }): Live {
  const above = (part: (typeof PARTS)[number]) => PARTS.slice(0, PARTS.indexOf(part)).reduce((sum, name) => sum + live[name].length, 0);
  if (!overlay) return { ...live, cursor: { row: above('prompt') + inPrompt.row, column: inPrompt.column } };
  if (!overlay.cursor) return live;
  return { ...live, cursor: { row: above('overlay') + overlay.cursor.row - cut, column: overlay.cursor.column } };
}
