/** Questions before there is a chat: which model, whether to trust the folder. The same painter, keys and looks. */
import type { InputEvent } from './input/input-events.js';
import { overlayOnly } from './live/overlays.js';
import { pickerKey, questionKey } from './overlay-keys.js';
import type { Screen } from './screen.js';
import type { Style } from './transcript.js';
import type { Choice, Overlay } from './ui-state.js';
import { wrap } from './wrap.js';

type Open = Extract<Overlay, { kind: 'picker' | 'question' }>;

export interface EarlyOptions {
  screen: Screen;
  size(): { columns: number; rows: number };
  style(): Style;
}

export class EarlyQuestions {
  readonly #options: EarlyOptions;
  #open: Open | undefined;
  #resolve: (found: Choice | string | undefined) => void = () => {};

  constructor(options: EarlyOptions) {
    this.#options = options;
  }

  /** Which of these? Undefined where the person would not say. */
  async pick(title: string, choices: readonly Choice[], canSearch = false): Promise<Choice | undefined> {
    const found = await this.#ask({ kind: 'picker', title, choices, search: '', chosen: 0, canSearch });
    return typeof found === 'object' ? found : undefined;
  }

  /** One line. Undefined where the person would not say. */
  async ask(title: string, more: { secret?: boolean; problem?: string } = {}): Promise<string | undefined> {
    const { secret = false, problem } = more;
    const found = await this.#ask({ kind: 'question', title, text: '', secret, ...(problem !== undefined && { problem }) });
    return typeof found === 'string' ? found : undefined;
  }

  /** Lines that stay. */
  tell(text: string): void {
    const { screen, size } = this.#options;
    screen.commit(text.split('\n').flatMap((line) => wrap([{ text: line }], size().columns)));
    screen.paint();
  }

  #ask(open: Open): Promise<Choice | string | undefined> {
    this.#open = open;
    this.draw();
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  input(event: InputEvent): void {
    const open = this.#open;
    if (!open) return;
    if (event.kind === 'key' && event.ctrl && (event.name === 'c' || event.name === 'd')) return this.#close(undefined);
    if (open.kind === 'picker') {
      const after = pickerKey(open, event);
      if ('picked' in after) return this.#close(after.picked);
      this.#open = after.overlay;
    } else {
      const after = questionKey(open, event);
      if ('answer' in after) return this.#close(after.answer);
      this.#open = after.overlay;
    }
    this.draw();
  }

  #close(found: Choice | string | undefined): void {
    this.#open = undefined;
    this.draw();
    this.#resolve(found);
  }

  draw(): void {
    const { screen, size, style } = this.#options;
    const { columns, rows } = size();
    const shown = this.#open && overlayOnly(this.#open, Math.max(3, rows - 1), { ...style(), width: columns });
    screen.setFrame(shown?.lines.join('\n') ?? '');
    screen.setCursor(shown?.cursor);
    screen.paint();
  }
}
