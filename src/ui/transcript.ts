/** Finished blocks as lines of the scrollback. Everything that was not written by frost passes `forTerminal`. */
import type { Access } from '../permissions/access.js';
import type { MessagePart } from '../profiles/message-parts.js';
import { forTerminal, lineForTerminal } from '../text/sanitize.js';
import type { Piece } from './blocks.js';
import { diffLines } from './diff-lines.js';
import { costOf, count, duration, money, tokenWords } from './format.js';
import type { Key } from './lang/en.js';
import type { Say } from './lang/lang.js';
import type { Look } from './markdown/inline.js';
import { hasGap, pieceLines } from './markdown/render.js';
import { lineWidth } from './screen.js';
import type { Block, ChildRow, ToolRow } from './view-state.js';
import { clip, type Paint, widthOf, wrap } from './wrap.js';

/** How the transcript is drawn. `roles`: speakers are named in words, for a screen reader. */
export interface Style extends Look {
  say: Say;
  roles?: boolean;
}

const DIFF_LINES = 40;
/** Lines of a person's own message that are shown again. */
const LONGEST_INPUT = 16;

export function accessTarget(access: Access): string {
  switch (access.kind) {
    case 'read':
    case 'write':
      return access.path;
    case 'run':
      return access.command;
    case 'fetch':
      return access.url;
    case 'none':
      return '';
  }
}

/** What an access would do, as part of a sentence. */
export function accessWords(tool: string, access: Access, say: Say): string {
  const target = lineForTerminal(accessTarget(access)) || lineForTerminal(tool);
  return say(`approval.${access.kind}` as Key, { target });
}

type Sign = 'good' | 'bad' | 'stopped' | 'said' | 'warning';

/** A sign in front of a line; a word for a screen reader. */
function signOf(sign: Sign, { theme, say, roles }: Style): string {
  const words: Record<Sign, string> = {
    good: say('agent.done'),
    bad: say('agent.failed'),
    stopped: say('agent.aborted'),
    said: say('export.frost'),
    warning: say('export.warning'),
  };
  if (roles) return `${words[sign]}:`;
  const signs: Record<Sign, string> = {
    good: theme.good('✓'),
    bad: theme.bad('✗'),
    stopped: theme.warn('■'),
    said: theme.agent('◆'),
    warning: theme.warn('!'),
  };
  return signs[sign];
}

/** Text under a sign, its further lines indented. */
function under(sign: string, text: string, style: Style, paint?: Paint): string[] {
  const width = lineWidth(sign) + 1;
  const lines = wrap([{ text: forTerminal(text), ...(paint && { paint }) }], Math.max(1, style.width - width));
  return lines.map((line, at) => (at === 0 ? `${sign} ${line}` : `${' '.repeat(width)}${line}`));
}

function userLines(block: Extract<Block, { kind: 'user' }>, style: Style): string[] {
  const { theme, say } = style;
  const sign = style.roles ? `${say('export.you')}:` : '›';
  const all = block.text.split('\n');
  const text =
    all.length > LONGEST_INPUT ? `${all.slice(0, LONGEST_INPUT - 1).join('\n')}\n… +${all.length - LONGEST_INPUT + 1}` : block.text;
  const [first = '', ...rest] = under(sign, text, style, theme.user);
  const note = block.how === 'steered' ? ` ${theme.dim(`(${say('steered')})`)}` : '';
  return [theme.user(sign) + first.slice(sign.length) + (rest.length === 0 ? note : ''), ...rest];
}

export function partText(part: MessagePart): string {
  switch (part.type) {
    case 'plain':
      return part.text;
    case 'mention_user':
      return `@${part.user_id} `;
    case 'quote':
      return `> ${part.text ?? part.message_id}\n`;
    case 'file':
      return `[file: ${part.name ? `${part.name} ` : ''}${part.url}] `;
    default:
      return `[${part.type}: ${part.url}] `;
  }
}

function saidLines(block: Extract<Block, { kind: 'said' }>, style: Style): string[] {
  const { theme } = style;
  const text = block.parts.map(partText).join('').trim();
  const speaker = block.speaker === undefined ? '' : `${lineForTerminal(block.speaker)}: `;
  return under(signOf('said', style), speaker + text, style, block.auto ? theme.dim : undefined);
}

/** One line: name, argument summary, ok or failed, time; a failure's reason and an edit's diff below it. */
export function toolLines(tool: ToolRow, style: Style): string[] {
  const { theme, say, width } = style;
  const failed = tool.ok === false;
  const sign = failed ? signOf('bad', style) : signOf('good', style);
  const name = lineForTerminal(tool.name);
  const details = tool.details;
  const counts = details?.kind === 'diff' ? ` +${details.added} -${details.removed}` : '';
  const tail = `${counts}${failed ? ` ${say('tool.failed')}` : ''} ${duration(tool.ms ?? 0)}`;
  const summary = clip(lineForTerminal(tool.summary), Math.max(0, width - 4 - widthOf(name) - widthOf(tail)));
  const head = `${sign} ${name}${summary ? ` ${theme.dim(summary)}` : ''}${theme.dim(tail)}`;
  if (details?.kind === 'diff') return [head, ...diffLines(details.diff, theme, { most: DIFF_LINES })];
  const reason = failed && tool.preview ? under(' ', tool.preview.split('\n').slice(0, 3).join('\n'), style, theme.bad) : [];
  return [head, ...reason];
}

/** `name · model @ host` of a specialist, as far as the width goes. */
export const whoOf = (row: Pick<ChildRow, 'name' | 'model' | 'host'>): string =>
  lineForTerminal(`${row.name} · ${row.model} @ ${row.host}`);

function agentLines(row: ChildRow, style: Style): string[] {
  const { theme, say } = style;
  const done = row.status === 'done';
  const sign = done ? signOf('good', style) : row.status === 'aborted' ? signOf('stopped', style) : signOf('bad', style);
  const facts = [
    ...(done ? [] : [say(`agent.${row.status}` as Key)]),
    duration(row.ms ?? 0),
    tokenWords(row.spent, say),
    row.spent.requests === 0 ? '' : costOf(row.spent, say),
  ]
    .filter(Boolean)
    .join(' · ');
  const who = whoOf(row);
  const room = style.width - 2;
  const joined = `${who} · ${facts}`;
  const lines =
    widthOf(joined) <= room
      ? [`${sign} ${theme.agent(who)}${theme.dim(` · ${facts}`)}`]
      : [`${sign} ${theme.agent(clip(who, room))}`, `  ${theme.dim(clip(facts, room))}`];
  const error = row.error && row.status !== 'aborted' ? under(' ', row.error.message, style, theme.bad) : [];
  return [...lines, ...error];
}

function approvalLines(block: Extract<Block, { kind: 'approval' }>, style: Style): string[] {
  const { theme, say } = style;
  const isNo = block.answer === 'no' || block.answer === 'denied';
  const words = say(`approval.answer.${block.answer}` as Key);
  const who = block.agentName === undefined ? '' : `${lineForTerminal(block.agentName)}: `;
  const reason = block.reason ? ` (${lineForTerminal(block.reason)})` : '';
  const text = `${who}${accessWords(block.tool, block.access, say)} → ${words}${reason}`;
  return [`${isNo ? signOf('bad', style) : signOf('good', style)} ${theme.dim(clip(lineForTerminal(text), style.width - 2))}`];
}

function runEndLines(block: Extract<Block, { kind: 'run_end' }>, style: Style): string[] {
  const { theme, say } = style;
  if (block.outcome === 'aborted') return under(signOf('stopped', style), say('end.aborted'), style, theme.warn);
  if (block.outcome === 'limit') {
    const limit = say(`limit.${block.limit ?? 'turns'}` as Key);
    return under(signOf('stopped', style), `${say('end.limit', { limit })} ${say('end.limitGoOn')}`, style, theme.warn);
  }
  if (block.outcome === 'failed')
    return under(signOf('bad', style), say('end.failed', { message: block.error?.message ?? '' }), style, theme.bad);
  return billLines(block, style);
}

/** Who cost what, where more than one agent worked. */
function billLines(block: Extract<Block, { kind: 'run_end' }>, style: Style): string[] {
  const { say, theme } = style;
  if (block.principals.length < 2) return [];
  const parts = block.principals.map(({ principal, usage, cost }) => {
    const tokens = tokenWords({ inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 }, say);
    return [`${principal}:`, tokens, cost === undefined ? say('cost.unknown') : money(cost)].filter(Boolean).join(' ');
  });
  const facts = [duration(block.ms), ...parts].map((fact) => lineForTerminal(fact).replaceAll(' ', '\u00a0'));
  return wrap([{ text: facts.join(' · '), paint: theme.dim }], style.width).map((line) => line.replaceAll('\u00a0', ' '));
}

function shellLines(block: Extract<Block, { kind: 'shell' }>, style: Style): string[] {
  const sign = block.exitCode === 0 ? signOf('good', style) : signOf('bad', style);
  const code = block.exitCode === 0 ? '' : ` (${block.exitCode ?? '?'})`;
  const head = `${sign} ${block.hidden ? '!!' : '!'} ${lineForTerminal(block.command)}${code}`;
  return [head, ...forTerminal(block.output).replace(/\n$/, '').split('\n')];
}

const TONES = { plain: 'plain', good: 'good', bad: 'bad', dim: 'dim' } as const;

/** The lines of one block, without the empty line above it. */
export function blockLines(block: Block, style: Style): string[] {
  const { theme, say } = style;
  switch (block.kind) {
    case 'user':
      return userLines(block, style);
    case 'answer':
      return pieceLines(block.piece, style);
    case 'answer_end':
      return block.incomplete ? [theme.warn(say(`end.incomplete.${block.incomplete}`))] : [];
    case 'reasoning':
      return [theme.dim(`${style.roles ? '' : '∴ '}${say('reasoning.folded', { time: duration(block.ms) })}`)];
    case 'said':
      return saidLines(block, style);
    case 'tool':
      return toolLines(block.tool, style);
    case 'agent':
      return agentLines(block.row, style);
    case 'approval':
      return approvalLines(block, style);
    case 'compaction':
      return [
        theme.dim(
          say('compacted', { before: count(block.tokensBefore), after: block.tokensAfter === undefined ? '?' : count(block.tokensAfter) }),
        ),
      ];
    case 'warning':
      return under(signOf('warning', style), `${block.agentName ? `${block.agentName}: ` : ''}${block.text}`, style, theme.warn);
    case 'run_end':
      return runEndLines(block, style);
    case 'notice': {
      const paint = theme[TONES[block.tone ?? 'plain']];
      return forTerminal(block.text)
        .split('\n')
        .flatMap((line) => wrap([{ text: line, paint }], style.width));
    }
    case 'diff':
      return diffLines(block.diff, theme, { files: true });
    case 'shell':
      return shellLines(block, style);
  }
}

/** Blocks that stand together without an empty line. */
const TIGHT = new Set<Block['kind']>(['tool', 'agent', 'reasoning', 'approval', 'said', 'warning']);

function gapBetween(before: Block | undefined, block: Block): boolean {
  if (!before || block.kind === 'answer_end') return false;
  if (before.kind === 'answer' && block.kind === 'answer') return hasGap(before.piece, block.piece);
  return !(TIGHT.has(before.kind) && TIGHT.has(block.kind));
}

/** Turns blocks into lines one batch after the other; it remembers only what the next gap depends on. */
export class Transcript {
  #last: Block | undefined;

  lines(blocks: readonly Block[], style: Style): string[] {
    return blocks.flatMap((block) => {
      const lines = blockLines(block, style);
      if (lines.length === 0 && block.kind !== 'answer') return [];
      const gap = lines.length > 0 && gapBetween(this.#last, block);
      if (style.roles && block.kind === 'answer' && this.#last?.kind !== 'answer') lines.unshift(`${style.say('export.frost')}:`);
      if (lines.length > 0 || isAnswer(block, this.#last)) this.#last = block;
      return gap ? ['', ...lines] : lines;
    });
  }

  /** Whether an empty line belongs between what was drawn and a live rest that begins with `piece`. */
  gapBefore(piece: Piece): boolean {
    return gapBetween(this.#last, { kind: 'answer', piece });
  }
}

const isAnswer = (block: Block, last: Block | undefined): boolean => block.kind === 'answer' && last?.kind === 'answer';
