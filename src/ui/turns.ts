/** What the person sends, and when it goes in: now, into the turn that runs, or after it. */
import type { EventOf } from '../agent/events.js';
import { toFailure } from '../errors.js';
import type { Backend } from './backend.js';
import { readSubmission } from './input/submission.js';
import type { Say } from './lang/lang.js';
import type { UiState } from './ui-state.js';
import { addSteering, clearSteering } from './view.js';
import type { Block, View } from './view-state.js';

/** The screen on which turns are shown. */
export interface TurnScreen {
  readonly backend: Backend;
  readonly view: View;
  readonly ui: UiState;
  readonly say: Say;
  readonly hasLeft: boolean;
  folded: string[];
  change(ui: Partial<UiState>): void;
  updateView(change: (view: View) => View): void;
  show(...blocks: Block[]): void;
  notice(text: string, tone?: 'good' | 'bad' | 'dim'): void;
  notWorking(): void;
  turnEnded(end: EventOf<'run_end'>): void;
  /** Puts texts that were on their way back into the prompt, before what stands there. */
  giveBack(texts: readonly string[]): void;
}

/** `@Coder …` */
const TO_SPECIALIST = /^@([A-Za-z][\w-]*)[ \t\n]+([\s\S]+)$/;

export class Turns {
  readonly #chat: TurnScreen;
  readonly #shellOutput: string[] = [];
  /** Carries out a command or a shell line whose turn has come. */
  runQueued: (text: string) => Promise<void> = async () => {};
  #worked: Promise<void> = Promise.resolve();
  #stopWork: (() => void) | undefined;

  constructor(chat: TurnScreen) {
    this.#chat = chat;
  }

  get #agent() {
    return this.#chat.backend.agent();
  }

  /** Sends to the agent, or into the turn that runs; after the commands that were given before. */
  async send(text: string): Promise<void> {
    await this.#worked;
    const whole = this.#withShellOutput(text);
    if (!this.#agent.running) return this.run(whole, text);
    this.#agent.steer(whole);
    this.#chat.updateView((view) => addSteering(view, whole));
  }

  /** What a shell line printed goes to the model with the next message. */
  addShellOutput(text: string): void {
    this.#shellOutput.push(text);
  }

  #withShellOutput(text: string): string {
    const output = this.#shellOutput.splice(0);
    return output.length === 0 ? text : `${output.map((one) => `\`\`\`\n${one.trimEnd()}\n\`\`\``).join('\n\n')}\n\n${text}`;
  }

  queue(text: string): void {
    this.#chat.change({ queued: [...this.#chat.ui.queued, text] });
  }

  /** The last of what was sent or typed ahead and has not gone in yet. */
  takeBack(): string | undefined {
    const { ui, view } = this.#chat;
    if (ui.queued.length > 0) {
      this.#chat.change({ queued: ui.queued.slice(0, -1) });
      return ui.queued.at(-1);
    }
    const text = view.steering.length > 0 ? this.#agent.takeBackSteer() : undefined;
    if (text !== undefined) this.#chat.updateView((now) => ({ ...now, steering: now.steering.slice(0, -1) }));
    return text;
  }

  /** One turn, and after it whatever was typed ahead. `shown`: the text as the person wrote it. */
  async run(text: string, shown = text): Promise<void> {
    const chat = this.#chat;
    chat.folded = [];
    const delegated = text.startsWith('@') ? await this.#delegation(text) : undefined;
    chat.show({ kind: 'user', text: shown, ...(delegated && { how: 'delegated' as const }) });
    await this.#turn(async () =>
      delegated ? this.#agent.delegate(delegated.name, delegated.task) : this.#agent.prompt(await chat.backend.expand(text)),
    );
  }

  /** Where there is such a specialist, or is one by now. */
  async #delegation(text: string): Promise<{ name: string; task: string } | undefined> {
    const [, name, task = ''] = TO_SPECIALIST.exec(text) ?? [];
    if (name === undefined) return undefined;
    const find = () => this.#chat.backend.specialists().find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!find()) await this.#agent.refresh();
    const found = find();
    return found && { name: found.name, task };
  }

  async #turn(work: () => Promise<EventOf<'run_end'>>): Promise<void> {
    const chat = this.#chat;
    chat.change({ stopping: false });
    let wasStopped = false;
    try {
      const end = await work();
      wasStopped = end.outcome === 'aborted';
      chat.turnEnded(end);
    } catch (thrown) {
      chat.updateView((view) => ({ ...view, running: false }));
      chat.notice(chat.say('did.failed', { message: toFailure(thrown).message }), 'bad');
    }
    chat.change({ stopping: false });
    if (wasStopped) this.#giveBack();
    else this.#next();
  }

  /** Whoever stops a turn does not want the next one to begin by itself. */
  #giveBack(): void {
    const { view, ui } = this.#chat;
    const waiting = [...view.steering, ...ui.queued];
    this.#chat.updateView(clearSteering);
    this.#chat.change({ queued: [] });
    if (waiting.length > 0) this.#chat.giveBack(waiting);
  }

  /** What steered too late goes first, then what was queued. */
  #next(): void {
    const chat = this.#chat;
    const late = chat.view.steering;
    chat.updateView(clearSteering);
    const [first, ...rest] = [...late, ...chat.ui.queued];
    chat.change({ queued: rest });
    if (first === undefined || chat.hasLeft) return;
    if (late.length > 0 || readSubmission(first).kind === 'prompt') void this.run(first);
    else void this.runQueued(first).then(() => this.#next());
  }

  /** A command is at work: it is told of, and what is sent meanwhile waits for it. `stop` is what Esc does. */
  async whileWorking(text: string, work: () => Promise<void>, stop?: () => void): Promise<void> {
    const before = this.#worked;
    let done = () => {};
    this.#worked = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await before;
      this.#stopWork = stop;
      this.#chat.change({ working: { text, startedAt: Date.now(), canStop: stop !== undefined } });
      await work();
    } finally {
      this.#stopWork = undefined;
      this.#chat.notWorking();
      done();
    }
  }

  /** Stops the command at work, and the turn with every specialist. */
  stop(): void {
    this.#stopWork?.();
    if (!this.#agent.running) return;
    this.#chat.change({ stopping: true });
    this.#agent.stop();
  }
}
