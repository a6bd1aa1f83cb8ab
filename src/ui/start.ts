/** Takes the terminal and runs the chat on it, from the first question to the last line. */

import type { Backend } from './backend.js';
import { Chat, type Looks } from './chat.js';
import { ChatKeys } from './chat-keys.js';
import { showHistory } from './commands/conversation.js';
import { COMMANDS } from './commands/table.js';
import { EarlyQuestions } from './early.js';
import { Composer } from './input/composer.js';
import type { InputEvent } from './input/input-events.js';
import { pasteLabels } from './input/pastes.js';
import { pathSource } from './input/path-source.js';
import { type EndReason, Terminal } from './input/terminal.js';
import { type Say, sayIn } from './lang/lang.js';
import { loadHighlighter } from './markdown/highlight.js';
import { loadMarkdown } from './markdown/render.js';
import { Screen } from './screen.js';
import { makeTheme } from './theme.js';
import type { Style } from './transcript.js';

export interface StartOptions {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  term?: string | undefined;
  looks: Looks;
  /** xterm.js, as in VS Code, moves the cursor in its own way when the window gets narrower. */
  reflow: 'with-text' | 'xterm.js';
  /** Makes the agent ready, asking where it must; undefined where the person leaves. */
  prepare(questions: EarlyQuestions, terminal: Terminal): Promise<Backend | undefined>;
  /** What was asked for on the command line. */
  first: { kind: 'new' } | { kind: 'resumed' } | { kind: 'pick' };
  /** Lines to show at the start: which server was found, that this is a demo. */
  notices(): readonly string[];
}

export interface Ended {
  /** A signal took the terminal away. */
  signal?: EndReason;
  session?: string;
  /** The language of the chat at its end. */
  say?: Say;
}

/** Resolves when the person has left, the terminal is given back, and nothing more will be drawn. */
export async function startChat(options: StartOptions): Promise<Ended> {
  const { stdin, stdout, looks } = options;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const screen = new Screen({ write: (text) => stdout.write(text), size, reflow: options.reflow });
  let redraw = () => {};
  let onInput: (event: InputEvent) => void = () => {};
  let leave: (ended: Ended) => void = () => {};
  const left = new Promise<Ended>((resolve) => {
    leave = resolve;
  });
  const terminal = new Terminal({
    stdin,
    stdout,
    term: options.term,
    clear: () => screen.giveAway(),
    redraw: () => {
      screen.takeBack();
      redraw();
    },
    onEnd: (signal) => leave({ signal }),
  });
  const say = sayIn(looks.language);
  const style = (): Style => ({ width: size().columns, theme: makeTheme(looks.theme, looks.level), hyperlinks: false, say });
  const questions = new EarlyQuestions({ screen, size, style });
  onInput = (event) => questions.input(event);
  redraw = () => questions.draw();
  terminal.subscribe((event) => onInput(event));
  stdout.on('resize', () => {
    screen.resized();
    redraw();
  });
  terminal.open();
  screen.setFrame(style().theme.dim(say('app.loading')));
  screen.paint();
  try {
    const backend = await Promise.race([options.prepare(questions, terminal), left.then(() => undefined)]);
    if (!backend) return {};
    const chat = makeChat(
      options,
      backend,
      screen,
      size,
      (text) => stdout.write(text),
      () => leave({}),
    );
    const keys = new ChatKeys(chat);
    onInput = (event) => keys.input(event);
    redraw = () => chat.draw();
    await begin(chat, options);
    const ended = await left;
    chat.end();
    const session = backend.session();
    return { ...ended, say: chat.say, ...(session !== undefined && { session }) };
  } finally {
    screen.stop();
    terminal.close();
  }
}

function makeChat(
  { looks }: StartOptions,
  backend: Backend,
  screen: Screen,
  size: () => { columns: number; rows: number },
  write: (text: string) => unknown,
  onLeave: () => void,
): Chat {
  let draw = () => {};
  const prompt = new Composer({
    commands: () =>
      COMMANDS.filter(({ hidden }) => !hidden).map(({ name, help, takes }) => ({
        name,
        note: chat.say(help),
        takesMore: takes !== undefined,
      })),
    agents: () => backend.specialists().map(({ name, description }) => ({ name, note: description })),
    paths: pathSource(() => backend.walk()),
    changed: () => draw(),
    pasteLabel: () => pasteLabels[chat.looks.language],
  });
  const chat: Chat = new Chat({
    backend,
    screen,
    prompt,
    size,
    looks,
    notify: (text) => write(`\x1b]9;${text.replace(/[\x00-\x1f\x7f-\x9f]/g, ' ').slice(0, 120)}\x07\x07`),
    toClipboard: (text) => write(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
    onLeave,
  });
  draw = () => chat.schedule('now');
  return chat;
}

/** The prompt stands before anything heavy is loaded. */
async function begin(chat: Chat, { first, notices, looks }: StartOptions): Promise<void> {
  const { backend } = chat;
  chat.follow();
  const names = backend.specialists().map(({ name }) => name);
  const lines = [
    chat.say('app.hello', { version: backend.version, ...backend.model() }),
    ...notices(),
    ...(names.length === 0 ? [] : [chat.say('app.specialists', { names: names.join(', ') })]),
    chat.say('app.hint'),
  ];
  chat.notice(lines.join('\n'), 'dim');
  chat.draw();
  const [{ inkRenderer }] = await Promise.all([import('./ink.js'), loadMarkdown()]);
  const renderer = inkRenderer(chat.size, looks.screenReader);
  chat.setRenderer((live) => renderer.frame(live));
  chat.onEnd(() => renderer.unmount());
  void loadHighlighter();
  void backend.inputHistory().then((entries) => chat.prompt.remember(entries));
  if (first.kind === 'resumed') await showHistory(chat);
  if (first.kind === 'pick') await pickSession(chat);
}

async function pickSession(chat: Chat): Promise<void> {
  const { findCommand } = await import('./commands/table.js');
  await findCommand('resume')?.run(chat, '');
}
