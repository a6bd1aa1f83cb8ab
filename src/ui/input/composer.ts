/**
 * The prompt's behaviour: the editor, earlier inputs, the search in them, and completions. It draws nothing and sends
 * nothing: keys go in, rows come out, and `take` hands over what shall be sent.
 */
import {
  type AgentChoice,
  agentCandidates,
  type Candidate,
  type CommandChoice,
  commandCandidates,
  MENU_SIZE,
  pathCandidate,
} from './candidates.js';
import { tokenAt } from './completion.js';
import { cleared, type EditorState, emptyEditor, fullText, insert, paste, replaceRange, withText } from './editor.js';
import { keyName, pressKey } from './editor-keys.js';
import { type History, newer, noHistory, older, withEntry } from './history.js';
import { type Search, searchAfter, searchFor } from './history-search.js';
import type { InputEvent, KeyEvent } from './input-events.js';
import { layout, rowText } from './layout.js';
import { type PasteLabel, pasteLabels } from './pastes.js';

export interface ComposerOptions {
  commands(): readonly CommandChoice[];
  agents(): readonly AgentChoice[];
  /** Paths in the folder that begin with or contain `start`, best first. */
  paths(start: string): Promise<readonly string[]>;
  /** Something to draw came by itself. */
  changed(): void;
  /** How a long paste is called. */
  pasteLabel?: () => PasteLabel;
}

/** What the composer shows: rows of text, the cursor in them, and a menu under them. */
export interface ComposerView {
  rows: readonly string[];
  cursor: { row: number; column: number };
  placeholder: boolean;
  menu: readonly { text: string; note?: string; chosen: boolean }[];
  /** True while earlier inputs are searched; the rows show the query. */
  searching: boolean;
}

interface Menu {
  items: readonly Candidate[];
  chosen: number;
  from: number;
  to: number;
  query: string;
}

export class Composer {
  private editor = emptyEditor;
  private history: History = noHistory;
  private menu: Menu | undefined;
  private searching: Search | undefined;
  /** The token whose menu was closed by Escape: it stays closed. */
  private closedAt: string | undefined;
  private asked = 0;
  private width = 80;

  constructor(private readonly options: ComposerOptions) {}

  /** The whole text, long pastes in full. */
  get text(): string {
    return fullText(this.editor);
  }

  /** Earlier inputs, oldest first. */
  remember(entries: readonly string[]): void {
    this.history = { ...noHistory, entries: [...entries, ...this.history.entries] };
  }

  /** Puts a text in; Ctrl+_ brings the one before back. */
  set(text: string): void {
    this.searching = undefined;
    this.menu = undefined;
    this.history = { ...this.history, at: undefined, draft: undefined };
    this.editor = withText(this.editor, text);
  }

  /** Hands over what was written, remembers it, and leaves an empty prompt. */
  take(): string {
    const text = this.text;
    this.history = withEntry(this.history, text);
    this.put(cleared(this.editor));
    return text;
  }

  /** `send`: Enter asked for it. `unused`: the key means nothing here. */
  input(event: InputEvent): 'used' | 'send' | 'unused' {
    if (event.kind === 'paste') return this.pasted(event.text);
    if (event.kind !== 'key') return 'unused';
    if (this.searching) return this.searchKey(this.searching, event);
    if (this.menu && this.menuKey(this.menu, event)) return 'used';
    if (keyName(event) === 'ctrl+r') return this.startSearch();
    return this.editorKey(event);
  }

  view(width: number, maxRows: number): ComposerView {
    this.width = Math.max(1, width);
    const state = this.searching?.query ?? this.editor;
    const label = this.label();
    const { rows, cursor } = layout(state, this.width, label);
    const most = Math.max(1, Math.min(maxRows, rows.length));
    const from = Math.max(0, Math.min(cursor.row - (most >> 1), rows.length - most));
    return {
      rows: rows.slice(from, from + most).map((row) => rowText(state, row, this.width, label)),
      cursor: { row: cursor.row - from, column: cursor.column },
      placeholder: state.text === '' && !this.searching,
      menu: this.menuView(),
      searching: this.searching !== undefined,
    };
  }

  private menuView(): ComposerView['menu'] {
    const { searching, menu } = this;
    if (searching) return searching.found.map((text, at) => ({ text: oneLine(text), chosen: at === searching.chosen }));
    return (menu?.items ?? []).map(({ label, note }, at) => ({
      text: label,
      ...(note !== undefined && { note }),
      chosen: at === menu?.chosen,
    }));
  }

  private label(): PasteLabel {
    return this.options.pasteLabel?.() ?? pasteLabels.en;
  }

  private put(editor: EditorState): void {
    this.editor = editor;
    this.complete();
  }

  private pasted(text: string): 'used' {
    if (this.searching) this.searching = searchFor(this.history.entries, insert(this.searching.query, text.replaceAll('\n', ' ')));
    else this.put(paste(this.editor, text));
    return 'used';
  }

  private editorKey(event: KeyEvent): 'used' | 'send' | 'unused' {
    const outcome = pressKey(this.editor, event, this.width, this.label());
    if (outcome === 'send') return 'send';
    if (outcome) {
      if (outcome.state.text !== this.editor.text) this.history = { ...this.history, at: undefined, draft: undefined };
      this.put(outcome.state);
      return 'used';
    }
    const name = keyName(event);
    const walked =
      name === 'up' || name === 'ctrl+p'
        ? older(this.history, this.editor)
        : name === 'down' || name === 'ctrl+n'
          ? newer(this.history, this.editor)
          : undefined;
    if (!walked) return 'unused';
    this.history = walked.history;
    this.editor = walked.editor;
    this.menu = undefined;
    return 'used';
  }

  private menuKey(menu: Menu, event: KeyEvent): boolean {
    const name = keyName(event);
    const step = name === 'up' || name === 'ctrl+p' ? -1 : name === 'down' || name === 'ctrl+n' ? 1 : 0;
    if (step !== 0) {
      const chosen = (menu.chosen + step + menu.items.length) % menu.items.length;
      this.menu = { ...menu, chosen };
      return true;
    }
    if (name === 'escape') {
      this.closedAt = this.editor.text.slice(menu.from, menu.to);
      this.menu = undefined;
      return true;
    }
    return (name === 'tab' || name === 'enter') && this.choose(menu, name === 'enter');
  }

  /** Puts the chosen name in; false where Enter shall send instead, as the name already stands there. */
  private choose(menu: Menu, isEnter: boolean): boolean {
    const item = menu.items[menu.chosen];
    if (!item) return false;
    const typed = this.editor.text.slice(menu.from, menu.to);
    const isWhole = typed === item.insert;
    if (isEnter && isWhole) return false;
    const isFolder = item.insert.endsWith('/');
    const space = isFolder || !item.goesOn || /^\s/.test(this.editor.text.slice(menu.to)) ? '' : ' ';
    this.put(replaceRange(this.editor, menu.from, menu.to, item.insert + space));
    if (!isFolder) this.menu = undefined;
    return !(isEnter && !item.goesOn);
  }

  /** Looks for completions of what stands before the cursor. */
  private complete(): void {
    const token = tokenAt(this.editor.text, this.editor.cursor);
    const asked = ++this.asked;
    if (!token || this.closedAt === this.editor.text.slice(token.from, token.to)) {
      this.menu = undefined;
      return;
    }
    this.closedAt = undefined;
    const show = (items: readonly Candidate[]) => {
      const kept = this.menu?.query === token.query ? this.menu.chosen : 0;
      this.menu = items.length > 0 ? { ...token, items, chosen: Math.min(kept, items.length - 1) } : undefined;
    };
    if (token.kind === 'command') {
      show(commandCandidates(this.options.commands(), token.query));
      return;
    }
    const agents = agentCandidates(this.options.agents(), token.query);
    show(agents);
    this.options.paths(token.query).then(
      (paths) => {
        if (asked !== this.asked || this.searching) return;
        show([...agents, ...paths.map(pathCandidate)].slice(0, MENU_SIZE));
        this.options.changed();
      },
      () => undefined,
    );
  }

  private startSearch(): 'used' {
    this.menu = undefined;
    this.searching = searchFor(this.history.entries, emptyEditor);
    return 'used';
  }

  private searchKey(searching: Search, event: KeyEvent): 'used' | 'unused' {
    const after = searchAfter(searching, event, this.history.entries, this.width);
    if (after === undefined) return 'unused';
    this.searching = 'accepted' in after ? undefined : after;
    if ('accepted' in after && after.accepted !== undefined) this.set(after.accepted);
    return 'used';
  }
}

/** A text of several lines as one row of a menu. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ⏎ ').slice(0, 400);
}
