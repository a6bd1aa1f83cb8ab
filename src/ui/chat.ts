/**
 * The chat: events and keys come in, frames go out. It owns no agent and decides nothing about a run; it passes on what the
 * person wants and draws what the event stream tells.
 */
import type { AgentEvent, EventOf } from '../agent/events.js';
import { toFailure } from '../errors.js';
import type { Backend } from './backend.js';
import { openRest } from './blocks.js';
import { earlierRow } from './history-blocks.js';
import type { Composer } from './input/composer.js';
import { readSubmission } from './input/submission.js';
import { type Language, type Say, sayIn } from './lang/lang.js';
import { composeLive, type Live, plainFrame } from './live/compose.js';
import type { StatusFacts } from './live/lines.js';
import { pieceLines } from './markdown/render.js';
import type { Screen } from './screen.js';
import { makeTheme, type ThemeName } from './theme.js';
import { type Style, Transcript } from './transcript.js';
import { type Choice, NEW_UI, type Overlay, type UiState } from './ui-state.js';
import { addBlocks, addSteering, apply, clearSteering, EMPTY_VIEW, shortenRest, takeBlocks, withEarlier } from './view.js';
import type { Block, View } from './view-state.js';

/** Frames while text streams: 20 a second, fewer where drawing one takes long, so that drawing never takes the machine. */
const FRAME_MS = 50;
const SLOWEST_FRAME_MS = 120;
/** The pause before the next frame, in times of what the last ones took. */
const REST_PER_WORK = 12;
/** Rows of the answer that are still open; with more, the first ones go to the scrollback. */
const TALLEST_REST = 6;
/** How long a hint stays where no key takes it away. */
const HINT_MS = 4000;
/** How often the spinner moves. */
const TICK_MS = 120;
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
  readonly #options: ChatOptions;
  readonly #transcript = new Transcript();
  readonly #shellOutput: string[] = [];
  looks: Looks;
  /** Reasoning and tool results of the last turn, which the transcript shows in one line each. */
  folded: string[] = [];
  /** Settles when the commands that were given so far are done. */
  worked: Promise<void> = Promise.resolve();
  view: View = EMPTY_VIEW;
  ui: UiState = NEW_UI;
  /** Lays frames out; until Ink is loaded, lines are put one under the other. */
  #frame: (live: Live) => string = plainFrame;
  #unsubscribe: () => void = () => {};
  #resolvePick: ((choice: Choice | undefined) => void) | undefined;
  #resolveAsk: ((text: string | undefined) => void) | undefined;
  #frameTimer: NodeJS.Timeout | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #stopWork: (() => void) | undefined;
  #hintTimer: NodeJS.Timeout | undefined;
  #lastFrameAt = 0;
  #frameGap = FRAME_MS;
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
    this.schedule(0);
  }

  /** Closes what is open over the prompt. */
  close(): void {
    const { overlay: _, ...rest } = this.ui;
    this.ui = rest;
    this.#openApproval();
    this.schedule(0);
  }

  open(overlay: Overlay): void {
    this.change({ overlay });
  }

  show(...blocks: Block[]): void {
    this.view = addBlocks(this.view, ...blocks);
    this.schedule(0);
  }

  notice(text: string, tone?: 'good' | 'bad' | 'dim'): void {
    this.show({ kind: 'notice', text, ...(tone && { tone }) });
  }

  hint(text: string | undefined): void {
    const { hint: _, ...rest } = this.ui;
    this.ui = text === undefined ? rest : { ...rest, hint: text };
    clearTimeout(this.#hintTimer);
    if (text !== undefined) this.#hintTimer = setTimeout(() => this.hint(undefined), HINT_MS).unref();
    this.schedule(0);
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

  /** Lets the person fill in one line; undefined where they would not. */
  ask(title: string, secret = false, problem?: string): Promise<string | undefined> {
    this.#resolveAsk?.(undefined);
    this.open({ kind: 'question', title, text: '', secret, ...(problem !== undefined && { problem }) });
    return new Promise((resolve) => {
      this.#resolveAsk = resolve;
    });
  }

  asked(text: string | undefined): void {
    const resolve = this.#resolveAsk;
    this.#resolveAsk = undefined;
    this.close();
    resolve?.(text);
  }

  /** A command is at work: it is told of, and what is sent meanwhile waits for it. `stop` is what Esc does. */
  async whileWorking(text: string, work: () => Promise<void>, stop?: () => void): Promise<void> {
    const before = this.worked;
    let done = () => {};
    this.worked = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await before;
      this.#stopWork = stop;
      this.change({ working: { text, startedAt: Date.now(), canStop: stop !== undefined } });
      await work();
    } finally {
      const { working: _, ...rest } = this.ui;
      this.ui = rest;
      this.#stopWork = undefined;
      this.schedule(0);
      done();
    }
  }

  /** Sends to the agent, or into the turn that runs. */
  send(text: string): void {
    const whole = this.#withShellOutput(text);
    if (!this.backend.agent().running) {
      void this.run(whole, text);
      return;
    }
    this.backend.agent().steer(whole);
    this.view = addSteering(this.view, whole);
    this.schedule(0);
  }

  /** What a shell line printed goes to the model with the next message. */
  shellOutput(text: string): void {
    this.#shellOutput.push(text);
  }

  #withShellOutput(text: string): string {
    const output = this.#shellOutput.splice(0);
    return output.length === 0 ? text : `${output.map((one) => `\`\`\`\n${one.trimEnd()}\n\`\`\``).join('\n\n')}\n\n${text}`;
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

  /** Carries out a command or a shell line whose turn has come. */
  runQueued: (text: string) => Promise<void> = async () => {};

  queue(text: string): void {
    this.change({ queued: [...this.ui.queued, text] });
  }

  /** The last of what was sent or typed ahead and has not gone in yet. */
  takeBack(): string | undefined {
    const { queued } = this.ui;
    if (queued.length > 0) {
      this.change({ queued: queued.slice(0, -1) });
      return queued.at(-1);
    }
    const text = this.view.steering.length > 0 ? this.backend.agent().takeBackSteer() : undefined;
    if (text !== undefined) this.view = { ...this.view, steering: this.view.steering.slice(0, -1) };
    return text;
  }

  /** One turn, and after it whatever was typed ahead. */
  async run(text: string, shown = text): Promise<void> {
    this.folded = [];
    const delegated = text.startsWith('@') ? await this.#delegation(text) : undefined;
    this.show({ kind: 'user', text: shown, ...(delegated && { how: 'delegated' as const }) });
    const agent = this.backend.agent();
    await this.#turn(async () =>
      delegated ? agent.delegate(delegated.name, delegated.task) : agent.prompt(await this.backend.expand(text)),
    );
  }

  /** `@Coder …`, where there is such a specialist, or is one by now. */
  async #delegation(text: string): Promise<{ name: string; task: string } | undefined> {
    const [, name, task = ''] = /^@([A-Za-z][\w-]*)[ \t\n]+([\s\S]+)$/.exec(text) ?? [];
    if (name === undefined) return undefined;
    const find = () => this.backend.specialists().find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!find()) await this.backend.agent().refresh();
    const found = find();
    return found && { name: found.name, task };
  }

  async #turn(work: () => Promise<EventOf<'run_end'>>): Promise<void> {
    this.change({ stopping: false });
    try {
      const end = await work();
      if (end.ms > LONG_TURN_MS && !this.#focused) this.#options.notify(end.answer);
    } catch (thrown) {
      this.view = { ...this.view, running: false };
      this.notice(this.say('did.failed', { message: toFailure(thrown).message }), 'bad');
    }
    this.ui = { ...this.ui, stopping: false };
    this.#next();
  }

  /** What steered too late goes first, then what was queued. */
  #next(): void {
    const late = this.view.steering;
    this.view = clearSteering(this.view);
    const [first, ...rest] = [...late, ...this.ui.queued];
    this.ui = { ...this.ui, queued: rest };
    this.schedule(0);
    if (first === undefined || this.#left) return;
    if (late.length > 0 || readSubmission(first).kind === 'prompt') void this.run(first);
    else void this.runQueued(first).then(() => this.#next());
  }

  stop(): void {
    this.#stopWork?.();
    if (!this.backend.agent().running) return;
    this.change({ stopping: true });
    this.backend.agent().stop();
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
    this.schedule(event.type === 'run_end' ? 0 : 'soon');
  }

  /** A question for permission comes up as soon as nothing else is open. */
  #openApproval(): void {
    if (this.view.approvals.length > 0 && !this.ui.overlay) this.ui = { ...this.ui, overlay: { kind: 'approval', chosen: 0 } };
    if (this.view.approvals.length === 0 && this.ui.overlay?.kind === 'approval') this.close();
  }

  /** Draws at once, or when the next frame is due; whatever happens until then is one frame. */
  schedule(within: 'soon' | 0 = 'soon'): void {
    if (this.#left) return;
    const wait = Math.max(0, this.#lastFrameAt + this.#frameGap - Date.now());
    if (within === 0 && this.#frameTimer) {
      clearTimeout(this.#frameTimer);
      this.#frameTimer = undefined;
    }
    this.#frameTimer ??= setTimeout(() => this.draw(), within === 0 ? 0 : wait);
    const isBusy = this.view.running || this.ui.working !== undefined;
    if (isBusy && !this.looks.screenReader) this.#ticker ??= setInterval(() => this.schedule(), TICK_MS);
    else if (!isBusy) this.#stopTicking();
  }

  #stopTicking(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  resized(): void {
    this.#options.screen.resized();
    this.draw();
  }

  draw(): void {
    clearTimeout(this.#frameTimer);
    this.#frameTimer = undefined;
    if (this.#left) return;
    this.#lastFrameAt = Date.now();
    const startedAt = performance.now();
    const { screen } = this.#options;
    this.#commit();
    const live = this.#live();
    screen.setFrame(this.#frame(live));
    screen.setCursor(live.cursor);
    screen.paint();
    const took = performance.now() - startedAt;
    this.#frameGap = Math.min(SLOWEST_FRAME_MS, Math.max(FRAME_MS, (this.#frameGap + REST_PER_WORK * took) / 2));
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
    this.#stopTicking();
    clearTimeout(this.#frameTimer);
    this.#left = true;
    this.#unsubscribe();
    this.#commit();
    this.#options.screen.stop();
    for (const work of this.#atEnd) work();
  }
}
