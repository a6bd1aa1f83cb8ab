/** What a key does, depending on what is open. */

import type { Chat } from './chat.js';
import { runCommandLine } from './commands/run.js';
import type { InputEvent, KeyEvent } from './input/input-events.js';
import { approvalOptions } from './live/overlays.js';
import { keyOf, lineAfter, pickerKey } from './overlay-keys.js';
import type { Overlay } from './ui-state.js';

/** A key that comes this soon after typing was meant for the draft, not for a question that has just come up. */
const ARMED_AFTER_MS = 600;
/** The second Ctrl+C within this time leaves. */
const AGAIN_MS = 2000;
const PAGE = 8;

export class ChatKeys {
  readonly #chat: Chat;
  #typedAt = 0;
  #interruptedAt = 0;

  constructor(chat: Chat) {
    this.#chat = chat;
    chat.turns.runQueued = (text) => runCommandLine(chat, text);
  }

  input(event: InputEvent): void {
    const chat = this.#chat;
    if (event.kind === 'focus' || event.kind === 'blur') {
      chat.setFocused(event.kind === 'focus');
      return;
    }
    if (chat.ui.hint !== undefined) chat.hint(undefined);
    if (event.kind === 'key' && keyOf(event) === 'ctrl+c') {
      this.#interrupt();
      return;
    }
    const { overlay } = chat.ui;
    if (overlay) this.#overlay(overlay, event);
    else this.#prompt(event);
    chat.schedule('now');
  }

  /** Ctrl+C: clears a draft, else stops the turn, else (twice) leaves. */
  #interrupt(): void {
    const chat = this.#chat;
    const { overlay } = chat.ui;
    if (overlay && overlay.kind !== 'approval') this.#closeOverlay(overlay);
    else if (!overlay && chat.prompt.view(1, 1).searching)
      chat.prompt.input({ kind: 'key', name: 'escape', ctrl: false, alt: false, shift: false });
    else if (chat.prompt.text !== '' && !overlay) {
      chat.prompt.set('');
      chat.hint(chat.say('leave.draft'));
    } else if (chat.backend.agent().running || chat.ui.working) chat.stop();
    else if (Date.now() - this.#interruptedAt < AGAIN_MS) chat.leave();
    else {
      this.#interruptedAt = Date.now();
      chat.hint(chat.say('leave.again'));
    }
  }

  #closeOverlay(overlay: Overlay): void {
    const chat = this.#chat;
    if (overlay.kind === 'picker') chat.picked(undefined);
    else chat.close();
  }

  #overlay(overlay: Overlay, event: InputEvent): void {
    if (overlay.kind === 'approval') this.#approval(overlay, event);
    else if (overlay.kind === 'picker') this.#picker(overlay, event);
    else if (overlay.kind === 'child' && event.kind === 'key') this.#child(overlay, event);
  }

  #picker(overlay: Extract<Overlay, { kind: 'picker' }>, event: InputEvent): void {
    const after = pickerKey(overlay, event);
    if ('overlay' in after) this.#chat.open(after.overlay);
    else this.#chat.picked(after.picked);
  }

  #approval(overlay: Extract<Overlay, { kind: 'approval' }>, event: InputEvent): void {
    const chat = this.#chat;
    const [approval] = chat.view.approvals;
    if (!approval) return chat.close();
    if (overlay.reason !== undefined) return this.#reason({ ...overlay, reason: overlay.reason }, approval.id, event);
    if (Date.now() - this.#typedAt < ARMED_AFTER_MS) return this.#prompt(event);
    if (event.kind !== 'key') return;
    const options = approvalOptions(approval, chat);
    const name = keyOf(event);
    const option = name === 'enter' ? options[overlay.chosen] : options.find(({ key }) => key === name);
    if (name === 'escape') chat.stop();
    else if (name === 'up' || name === 'left') chat.open({ ...overlay, chosen: Math.max(0, overlay.chosen - 1) });
    else if (name === 'down' || name === 'right' || name === 'tab')
      chat.open({ ...overlay, chosen: Math.min(options.length - 1, overlay.chosen + 1) });
    else if (name === 'pageup' || name === 'pagedown') {
      const scroll = (overlay.scroll ?? 0) + (name === 'pagedown' ? PAGE : -PAGE);
      chat.open({ ...overlay, scroll: Math.max(0, scroll) });
    } else if (option?.answer === 'no') chat.open({ ...overlay, reason: '' });
    else if (option) chat.backend.agent().answer(approval.id, { answer: option.answer });
  }

  /** The reason of a no, written before it is sent. Esc goes back to the question. */
  #reason(overlay: Extract<Overlay, { kind: 'approval' }> & { reason: string }, id: string, event: InputEvent): void {
    const chat = this.#chat;
    const name = event.kind === 'key' ? keyOf(event) : '';
    const reason = overlay.reason.trim();
    if (name === 'enter') chat.backend.agent().answer(id, { answer: 'no', ...(reason !== '' && { reason }) });
    else if (name === 'escape') chat.open({ kind: 'approval', chosen: overlay.chosen });
    else chat.open({ ...overlay, reason: lineAfter(overlay.reason, event) });
  }

  #child(overlay: Extract<Overlay, { kind: 'child' }>, key: KeyEvent): void {
    const chat = this.#chat;
    const runs = [...chat.view.children.keys()];
    const scroll = (by: number) => chat.open({ ...overlay, scroll: Math.max(0, overlay.scroll + by) });
    const go = (by: number) => {
      const run = runs[(runs.indexOf(overlay.run) + by + runs.length) % runs.length];
      if (run !== undefined) chat.open({ kind: 'child', run, scroll: 0 });
    };
    const name = keyOf(key);
    if (name === 'escape' || name === 'q' || name === 'ctrl+o') chat.close();
    else if (name === 'up') scroll(1);
    else if (name === 'down') scroll(-1);
    else if (name === 'pageup') scroll(PAGE);
    else if (name === 'pagedown') scroll(-PAGE);
    else if (name === 'left') go(-1);
    else if (name === 'right' || name === 'tab') go(1);
    else if (name === 'x' || name === 'ctrl+x') this.#stopChild(overlay.run);
  }

  #stopChild(run: string): void {
    const chat = this.#chat;
    const row = chat.view.children.get(run);
    if (row?.status !== 'running') return;
    chat.backend.agent().stopChild(run);
    chat.hint(chat.say('child.stopped', { name: row.name }));
  }

  /** One runs: it stops. Several: which? */
  async #stopOne(): Promise<void> {
    const chat = this.#chat;
    const running = chat.view.current.flatMap((run) => chat.view.children.get(run) ?? []).filter(({ status }) => status === 'running');
    const [only] = running;
    if (!only) return;
    if (running.length === 1) return this.#stopChild(only.run);
    const choices = running.map(({ run, name, task }) => ({ id: run, label: name, note: task }));
    const chosen = await chat.pick(chat.say('picker.stop'), choices, false);
    if (chosen) this.#stopChild(chosen.id);
  }

  openChild(): void {
    const chat = this.#chat;
    const run =
      [...chat.view.children.values()].findLast(({ status }) => status === 'running')?.run ?? [...chat.view.children.keys()].at(-1);
    if (run === undefined) chat.hint(chat.say('child.none'));
    else chat.open({ kind: 'child', run, scroll: 0 });
  }

  #prompt(event: InputEvent): void {
    const chat = this.#chat;
    if (event.kind === 'key' && this.#chatKey(event)) return;
    this.#typedAt = Date.now();
    if (event.kind === 'key' && keyOf(event) === 'enter' && chat.prompt.text.trim() === '') this.#typedAt = 0;
    const result = chat.prompt.input(event);
    if (result === 'send') this.#send();
    else if (result === 'unused' && event.kind === 'key') this.#unused(event);
  }

  /** Keys that are the chat's whatever the prompt holds. */
  #chatKey(key: KeyEvent): boolean {
    const chat = this.#chat;
    const { text } = chat.prompt;
    switch (keyOf(key)) {
      case 'ctrl+d':
        if (text !== '') return false;
        chat.leave();
        return true;
      case 'ctrl+o':
        this.openChild();
        return true;
      case 'ctrl+x':
        void this.#stopOne();
        return true;
      case 'ctrl+t':
        void runCommandLine(chat, '/unfold');
        return true;
      case 'ctrl+g':
        void runCommandLine(chat, '/editor');
        return true;
      case 'up':
        return text === '' && this.#takeBack();
      default:
        return false;
    }
  }

  #takeBack(): boolean {
    const text = this.#chat.turns.takeBack();
    if (text !== undefined) this.#chat.prompt.set(text);
    return text !== undefined;
  }

  #unused(key: KeyEvent): void {
    const chat = this.#chat;
    const name = keyOf(key);
    if (name === 'escape') chat.stop();
    if (name === 'tab' && chat.backend.agent().running && chat.prompt.text.trim() !== '') {
      const text = chat.prompt.take().trim();
      chat.backend.addInput(text);
      chat.turns.queue(text);
    }
  }

  #send(): void {
    const chat = this.#chat;
    const text = chat.prompt.take().trim();
    if (text === '') {
      if (chat.view.lastEnd?.outcome === 'limit' && !chat.view.running) void chat.turns.run(chat.say('goOn'));
      return;
    }
    chat.backend.addInput(text);
    void runCommandLine(chat, text);
  }
}
