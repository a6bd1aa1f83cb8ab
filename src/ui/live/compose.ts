/** The whole live part from what is known: which rows, where the cursor. Pure. */

import type { ComposerView } from '../input/composer.js';
import type { Style } from '../transcript.js';
import type { UiState } from '../ui-state.js';
import type { View } from '../view-state.js';
import { clip } from '../wrap.js';
import { shareRows } from './budget.js';
import { agentRows, answerLines, cappedRows, type StatusFacts, statusLine, stepLine, toolRows, waitingLines, workLine } from './lines.js';
import { around, choiceLine, type OverlayLines, overlayLines, SIGN } from './overlays.js';

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

const tail = (lines: readonly string[], most: number): string[] => (most <= 0 ? [] : lines.slice(-most));

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

/** Work that is done this soon is not told of, in ms. */
const SOON_MS = 200;

/** Narrower than this nothing is laid out; the painter cuts it to the window. */
const NARROWEST = 8;

export function composeLive(scene: Scene): Live {
  const { view, ui, now, facts } = scene;
  const size = { ...scene.size, columns: Math.max(NARROWEST, scene.size.columns) };
  const style = { ...scene.style, width: size.columns };
  const isAsking = ui.overlay?.kind === 'approval' && view.approvals.length > 0;
  const overlay = overlayLines({ view, ui, now, style }, Math.max(3, size.rows - (isAsking ? 2 : 4)));
  const hidesPrompt = overlay !== undefined;
  const prompt = scene.prompt(Math.max(1, size.columns - 3), size.rows);
  const parts = {
    answer: style.roles ? [] : answerLines(view, style, scene.gap),
    // What waits for an answer is told by the question.
    tools: isAsking ? [] : toolRows(view, now, style),
    agents: agentRows(view, now, style),
    waiting: waitingLines(view, ui, style),
    step: [
      ...(view.running && !isAsking ? [stepLine(view, ui, now, style)] : []),
      ...(ui.working && !ui.overlay && now - ui.working.startedAt > SOON_MS ? [workLine(ui.working, now, style)] : []),
    ],
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
