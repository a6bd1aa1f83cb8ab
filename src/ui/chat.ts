/**
 * The chat: events and keys come in, frames go out. It owns no agent and decides nothing about a run; it passes on what the
 * person wants and draws what the event stream tells.
 */
import type { AgentEvent, EventOf } from '../agent/events.js';
import { endText } from './agent-view.js';
import type { Backend } from './backend.js';
import { openRest } from './blocks.js';
import { Frames } from './frames.js';
import { earlierRow } from './history-blocks.js';
import type { Composer } from './input/composer.js';
import { type Language, type Say, sayIn } from './lang/lang.js';
import { composeLive, type Live, plainFrame } from './live/compose.js';
import type { StatusFacts } from './live/lines.js';
import { pieceLines } from './markdown/render.js';
import type { Screen } from './screen.js';
import { makeTheme, type ThemeName } from './theme.js';
import { type Style, Transcript } from './transcript.js';
import { Turns } from './turns.js';
import { type Choice, NEW_UI, type Overlay, type UiState } from './ui-state.js';
import { addBlocks, apply, EMPTY_VIEW, shortenRest, takeBlocks, withEarlier } from './view.js';
import type { Block, View } from './view-state.js';

/** Rows of the answer that are still open; with more, the first ones go to the scrollback. */
const TALLEST_REST = 6;
/** How long a hint stays where no key takes it away. */
const HINT_MS = 4000;
/** A turn that takes longer is worth a notification, in ms. */
const LONG_TURN_MS = 20_000;

export interface Looks {
  theme: ThemeName;
  language: Language;
  level: 0 | 1 | 2 | 3;
  hyperlinks: boolean;
  screenReader: boolean;
}

export interface ChatOptions {
  backend: Backend;
  screen: Screen;
  prompt: Composer;
  size(): { columns: number; rows: number };
  looks: Looks;
  /** Tells a person who looks elsewhere. */
  notify(text: string): void;
  toClipboard(text: string): void;
  /** Called once, when the person leaves. */
  onLeave(): void;
}

/** What one line of the transcript stands for. */
function foldedText(block: Block): string[] {
  if (block.kind === 'reasoning') return [block.text];
  if (block.kind !== 'tool') return [];
  const { name, arguments: args, preview = '' } = block.tool;
  return [`${name} ${typeof args === 'string' ? args : JSON.stringify(args, null, 2)}\n${preview}`];
}

export class Chat {
  readonly backend: Backend;
  readonly prompt: Composer;
  readonly turns = new Turns(this);
  readonly #options: ChatOptions;
  readonly #frames = new Frames(() => this.#paint());
  readonly #transcript = new Transcript();
  looks: Looks;
  /** Reasoning and tool results of the last turn, which the transcript shows in one line each. */
  folded: string[] = [];
  view: View = EMPTY_VIEW;
  ui: UiState = NEW_UI;
  /** Lays frames out; until Ink is loaded, lines are put one under the other. */
  #frame: (live: Live) => string = plainFrame;
  #unsubscribe: () => void = () => {};
  #resolvePick: ((choice: Choice | undefined) => void) | undefined;
  #hintTimer: NodeJS.Timeout | undefined;
  #focused = true;
  #left = false;
  readonly #atEnd: (() => void)[] = [];

  constructor(options: ChatOptions) {
    this.#options = options;
    this.backend = options.backend;
    this.prompt = options.prompt;
    this.looks = options.looks;
  }

  readonly size = () => this.#options.size();

  /** Called when the chat has ended. */
  onEnd(work: () => void): void {
    this.#atEnd.push(work);
  }

  get say(): Say {
    return sayIn(this.looks.language);
  }

  get style(): Style {
    const { theme, level, hyperlinks, screenReader } = this.looks;
    return {
      width: Math.max(8, this.#options.size().columns),
      theme: makeTheme(theme, level),
      hyperlinks,
      say: this.say,
      ...(screenReader && { roles: true }),
    };
  }

  /** Reads the agent's events from now on; after the session changed too, when the agent may be another one. */
  follow(): void {
    this.#unsubscribe();
    this.#unsubscribe = this.backend.agent().subscribe((event) => this.#onEvent(event));
  }

  setRenderer(frame: (live: Live) => string): void {
    this.#frame = frame;
    this.draw();
  }

  setFocused(focused: boolean): void {
    this.#focused = focused;
  }

  /** Changes what is open or typed ahead, and draws. */
  change(ui: Partial<UiState>): void {
    this.ui = { ...this.ui, ...ui };
    this.schedule('now');
  }

  updateView(change: (view: View) => View): void {
    this.view = change(this.view);
    this.schedule('now');
  }

  /** The command that was at work is done. */
  notWorking(): void {
    const { working: _, ...rest } = this.ui;
    this.ui = rest;
    this.schedule('now');
  }

  /** Tells a person who looks elsewhere of the end of a long turn. */
  turnEnded({ ms, answer }: EventOf<'run_end'>): void {
    if (ms > LONG_TURN_MS && !this.#focused) this.#options.notify(answer);
  }

  giveBack(texts: readonly string[]): void {
    const draft = this.prompt.text;
    this.prompt.set([...texts, ...(draft === '' ? [] : [draft])].join('\n'));
    this.schedule('now');
  }

  /** Closes what is open over the prompt. */
  close(): void {
    const { overlay: _, ...rest } = this.ui;
    this.ui = rest;
    this.#openApproval();
    this.schedule('now');
  }

  open(overlay: Overlay): void {
    this.change({ overlay });
  }

  show(...blocks: Block[]): void {
    this.view = addBlocks(this.view, ...blocks);
    this.schedule('now');
  }

  notice(text: string, tone?: 'good' | 'bad' | 'dim'): void {
    this.show({ kind: 'notice', text, ...(tone && { tone }) });
  }

  hint(text: string | undefined): void {
    const { hint: _, ...rest } = this.ui;
    this.ui = text === undefined ? rest : { ...rest, hint: text };
    clearTimeout(this.#hintTimer);
    if (text !== undefined) this.#hintTimer = setTimeout(() => this.hint(undefined), HINT_MS).unref();
    this.schedule('now');
  }

  /** Lets the person choose; undefined where they would not. */
  pick(title: string, choices: readonly Choice[], canSearch = true): Promise<Choice | undefined> {
    this.#resolvePick?.(undefined);
    this.open({ kind: 'picker', title, choices, search: '', chosen: 0, canSearch });
    return new Promise((resolve) => {
      this.#resolvePick = resolve;
    });
  }

  picked(choice: Choice | undefined): void {
    const resolve = this.#resolvePick;
    this.#resolvePick = undefined;
    this.close();
    resolve?.(choice);
  }

  /** Another conversation begins on this screen. */
  restart(): void {
    this.view = EMPTY_VIEW;
    this.ui = NEW_UI;
    this.folded = [];
    this.follow();
  }

  /** Makes the transcripts of specialists that worked earlier viewable. */
  async recallChildren(): Promise<void> {
    const rows = (await this.backend.earlierChildren()).map(earlierRow);
    this.view = withEarlier(this.view, rows);
  }

  toClipboard(text: string): void {
    this.#options.toClipboard(text);
  }

  /** Stops the command at work, and the turn with every specialist. */
  stop(): void {
    this.turns.stop();
  }

  get hasLeft(): boolean {
    return this.#left;
  }

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.backend.agent().stop();
    this.#options.onLeave();
  }

  #onEvent(event: AgentEvent): void {
    this.view = apply(this.view, event);
    if (event.type === 'approval') {
      if (event.state === 'answered' && this.ui.overlay?.kind === 'approval') this.close();
      else this.#openApproval();
      if (event.state === 'asked' && !this.#focused) this.#options.notify(this.say('step.approval', { name: event.tool }));
    }
    this.schedule(event.type === 'run_end' ? 'now' : 'soon');
  }

  /** A question for permission comes up as soon as nothing else is open. */
  #openApproval(): void {
    if (this.view.approvals.length > 0 && !this.ui.overlay) this.ui = { ...this.ui, overlay: { kind: 'approval', chosen: 0 } };
    if (this.view.approvals.length === 0 && this.ui.overlay?.kind === 'approval') this.close();
  }

  resized(): void {
    this.#options.screen.resized();
    this.draw();
  }

  /** Draws in this turn of the event loop, or with the next frame. */
  schedule(when: 'soon' | 'now' = 'soon'): void {
    const isMoving = this.view.running || this.ui.working !== undefined;
    this.#frames.tick(isMoving && !this.looks.screenReader);
    this.#frames.schedule(when);
  }

  draw(): void {
    this.#frames.draw();
  }

  #paint(): void {
    const { screen } = this.#options;
    this.#commit();
    const live = this.#live();
    screen.setFrame(this.#frame(live));
    screen.setCursor(live.cursor);
    screen.paint();
  }

  #commit(): void {
    const style = this.style;
    const most = Math.max(2, Math.min(TALLEST_REST, Math.floor(this.size().rows / 3)));
    this.view = shortenRest(this.view, most, (piece) => pieceLines(piece, style).length);
    const { blocks, view } = takeBlocks(this.view);
    this.view = view;
    this.folded = [...this.folded, ...blocks.flatMap(foldedText)];
    if (blocks.length > 0) this.#options.screen.commit(this.#transcript.lines(blocks, style));
  }

  #live(): Live {
    const [piece] = openRest(this.view.main.cutter);
    return composeLive({
      view: this.view,
      ui: this.ui,
      prompt: (width, rows) => this.prompt.view(width, rows),
      facts: this.#facts(),
      gap: piece !== undefined && this.#transcript.gapBefore(piece),
      size: this.#options.size(),
      now: Date.now(),
      style: this.style,
    });
  }

  #facts(): StatusFacts {
    const { state } = this.backend.trust();
    return {
      ...this.backend.model(),
      mode: this.say(`mode.${this.backend.mode()}`),
      ...(state !== 'nothing' && { trust: this.say(`status.${state}`) }),
    };
  }

  /** Everything finished goes to the scrollback, and the live part away. */
  end(): void {
    this.#frames.stop();
    clearTimeout(this.#hintTimer);
    this.#left = true;
    this.#unsubscribe();
    if (this.view.running) this.view = { ...this.view, main: endText(this.view.main, Date.now(), 'aborted') };
    this.#commit();
    this.#options.screen.stop();
    for (const work of this.#atEnd) work();
  }
}
