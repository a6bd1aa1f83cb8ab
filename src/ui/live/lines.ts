/** The live part's text, line by line, each fitted to the width. Pure: what is drawn follows from what is known. */
import wrapAnsi from 'wrap-ansi';
import { lineForTerminal } from '../../text/sanitize.js';
import { openRest } from '../blocks.js';
import { costOf, elapsed, tokenWords } from '../format.js';
import { pieceLines } from '../markdown/render.js';
import type { Style } from '../transcript.js';
import { nested, type UiState } from '../ui-state.js';
import type { ChildRow, ToolRow, View } from '../view-state.js';
import { clip, widthOf } from '../wrap.js';
import { stepWords } from './step-words.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

export function spinner(now: number, style: Style): string {
  return style.roles ? '*' : (FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? '*');
}

/** The open rest of the answer, as it will look. `gap`: an empty line belongs above it. */
export function answerLines(view: View, style: Style, gap: boolean): string[] {
  const pieces = openRest(view.main.cutter);
  const look = { ...style, hyperlinks: false };
  const lines = pieces.flatMap((piece) => pieceLines(piece, look)).flatMap((line) => hardWrapped(line, style.width));
  return lines.length > 0 && gap ? ['', ...lines] : lines;
}

/** A line as the terminal itself would break it. */
export const hardWrapped = (line: string, width: number): string[] =>
  wrapAnsi(line.replaceAll('\t', '    '), width, { hard: true, trim: false, wordWrap: false }).split('\n');

/** Joins facts with a dot as long as they fit; the first is cut rather than left out. */
function fitted(facts: readonly string[], width: number): string {
  const [first = '', ...rest] = facts.filter(Boolean);
  let line = clip(first, width);
  for (const fact of rest) {
    const longer = `${line} · ${fact}`;
    if (widthOf(longer) <= width) line = longer;
  }
  return line;
}

function childFacts(row: ChildRow, now: number, style: Style): string[] {
  const { say } = style;
  const step = row.view.step;
  const partial = step.kind === 'writing' ? lineForTerminal(row.view.cutter.partial || (row.view.cutter.lines.at(-1) ?? '')).trim() : '';
  const doing = stepWords(step, now, say);
  const words = partial === '' ? doing : `${doing}: ${partial.length > 40 ? `…${partial.slice(-40)}` : partial}`;
  return [
    clip(words, Math.max(12, Math.floor(style.width / 2))),
    elapsed(now - row.startedAt),
    tokenWords(row.spent, say),
    spentOf(row, style),
  ];
}

const spentOf = (row: ChildRow, style: Style): string => (row.spent.requests === 0 ? '' : costOf(row.spent, style.say));

/** A row for each specialist at work: two lines where the width is small. */
export function agentRows(view: View, now: number, style: Style): string[] {
  const rows = view.current.flatMap((run) => view.children.get(run) ?? []).filter(({ status }) => status === 'running');
  return nested(rows).flatMap(({ row, depth }) => childLines(row, depth, now, style));
}

function childLines(row: ChildRow, depth: number, now: number, style: Style): string[] {
  const { theme, width } = style;
  const indent = '  '.repeat(Math.min(depth, 4));
  const room = Math.max(4, width - indent.length - 2);
  const name = lineForTerminal(row.name);
  const where = lineForTerminal(`${row.model} @ ${row.host}`);
  const facts = childFacts(row, now, style);
  const sign = `${indent}${theme.agent(spinner(now, style))} `;
  const whole = [name, ...facts, where].filter(Boolean).join(' · ');
  if (widthOf(whole) <= room) return [`${sign}${theme.agent(name)} ${theme.dim(`· ${[...facts.filter(Boolean), where].join(' · ')}`)}`];
  const who = clip(`${name} · ${where}`, room);
  const head = `${sign}${theme.agent(who.slice(0, name.length))}${theme.dim(who.slice(name.length))}`;
  return [head, `${indent}  ${theme.dim(fitted(facts, room))}`];
}

/** At most `most` rows; the last one counts what is left out. */
export function cappedRows(lines: readonly string[], most: number, style: Style): string[] {
  if (lines.length <= most) return [...lines];
  if (most <= 1) return lines.slice(0, most);
  const left = lines.length - (most - 1);
  return [...lines.slice(0, most - 1), style.theme.dim(clip(style.say('agent.more', { count: left }), style.width))];
}

/** The tools of the main agent that run now, when there is more to say of them than the step says. */
export function toolRows(view: View, now: number, style: Style): string[] {
  const delegating = new Set(['use_subagent', 'task', 'send_message']);
  return view.main.tools.filter(({ name }) => !delegating.has(name)).map((tool) => toolRow(tool, now, style));
}

function toolRow(tool: ToolRow, now: number, style: Style): string {
  const { theme, width } = style;
  const name = lineForTerminal(tool.name);
  const tail = ` ${elapsed(now - tool.startedAt)}`;
  const text = lineForTerminal(tool.update ?? tool.summary);
  const room = Math.max(0, width - 3 - widthOf(name) - widthOf(tail));
  return `${theme.accent(spinner(now, style))} ${clip(name, width - 2)}${room > 3 ? ` ${theme.dim(clip(text, room))}` : ''}${room > 0 ? theme.dim(tail) : ''}`;
}

/** What was sent or typed ahead, and waits. */
export function waitingLines(view: View, ui: UiState, style: Style): string[] {
  const { theme, say, width } = style;
  const line = (text: string, why: string) => theme.dim(clip(`› ${lineForTerminal(text)} (${why})`, width));
  return [...view.steering.map((text) => line(text, say('waitingSteer'))), ...ui.queued.map((text) => line(text, say('queued')))];
}

/** The one line that always moves while something is going on. */
export function stepLine(view: View, ui: UiState, now: number, style: Style): string {
  const { theme, say, width } = style;
  const running = view.current.filter((run) => view.children.get(run)?.status === 'running').length;
  const delegating = running > 0 && view.main.step.kind === 'tool';
  const doing = ui.stopping
    ? say('step.stopping')
    : delegating
      ? say('step.children', { count: running })
      : stepWords(view.main.step, now, say);
  const time = view.startedAt === undefined ? '' : elapsed(now - view.startedAt);
  const facts = fitted([doing, time, say('step.escStops')], Math.max(1, width - 2));
  return `${theme.accent(spinner(now, style))} ${theme.dim(facts)}`;
}

/** The same for a command of the person's own. */
export function workLine({ text, startedAt, canStop }: NonNullable<UiState['working']>, now: number, style: Style): string {
  const { theme, say, width } = style;
  const facts = fitted([lineForTerminal(text), elapsed(now - startedAt), canStop ? say('step.escStops') : ''], Math.max(1, width - 2));
  return `${theme.accent(spinner(now, style))} ${theme.dim(facts)}`;
}

export interface StatusFacts {
  model: string;
  host: string;
  mode?: string;
  trust?: string;
}

/** `model @ host · context 12% · tokens · cost · children · permissions · trust`, as far as the width goes. */
export function statusLine(view: View, facts: StatusFacts, style: Style): string {
  const { say, theme, width } = style;
  const { contextTokens, contextWindow, sessionSpent } = view;
  const running = view.current.filter((run) => view.children.get(run)?.status === 'running').length;
  const percent = contextTokens === undefined || !contextWindow ? undefined : Math.round((contextTokens / contextWindow) * 100);
  const spent = sessionSpent.requests > 0;
  const parts = [
    lineForTerminal(`${facts.model} @ ${facts.host}`),
    ...(percent === undefined ? [] : [say('status.context', { percent })]),
    ...(spent ? [tokenWords(sessionSpent, say)] : []),
    ...(spent ? [costWords(view, style)] : []),
    ...(running > 0 ? [say('status.children', { count: running })] : []),
    facts.mode ?? '',
    facts.trust ?? '',
  ];
  return theme.dim(fitted(parts, width));
}

/** One figure where run and session agree, or nothing of both is known. */
function costWords(view: View, { say }: Style): string {
  const [run, session] = [costOf(view.runSpent, say), costOf(view.sessionSpent, say)];
  if (view.sessionSpent.unknownCost && view.sessionSpent.cost === 0) return say('cost.unknown');
  return `${say('status.run', { cost: run })} · ${say('status.session', { cost: session })}`;
}
