/** `frost`: the chat on a terminal, from the first question to the exit status. */
import { processEnvironment } from '../config/environment.js';
import type { Settings } from '../config/settings.js';
import { colorAllowed } from '../config/terminal.js';
import { exitCodeOf, toFailure } from '../errors.js';
import type { Backend } from '../ui/backend.js';
import type { Looks } from '../ui/chat.js';
import type { Ended } from '../ui/start.js';
import { ChatBackend } from './chat-backend.js';
import type { ChatFlags } from './chat-command.js';
import { ChatFiles } from './chat-files.js';
import { assembleChat, firstSettings, prepareSettings, sessionOf } from './chat-setup.js';
import type { settingFlags } from './setting-flags.js';

type Flags = ReturnType<typeof settingFlags>;

function languageSetting(settings: Settings): string | undefined {
  const env = processEnvironment();
  return settings.choice('FROST_LANG') ?? (env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG']);
}

function colourLevel(): 0 | 1 | 2 | 3 {
  if (!colorAllowed()) return 0;
  const { COLORTERM = '', TERM = '' } = processEnvironment();
  if (/truecolor|24bit/i.test(COLORTERM)) return 3;
  return /256|kitty|alacritty|ghostty/i.test(TERM) ? 2 : 1;
}

/** Terminals that are known to open links of OSC 8. */
function knowsHyperlinks(): boolean {
  const { TERM_PROGRAM = '', VTE_VERSION = '0', WT_SESSION, KITTY_WINDOW_ID, TMUX, TERM = '' } = processEnvironment();
  if (TMUX !== undefined) return false;
  if (/iTerm|WezTerm|vscode|ghostty|Hyper|Tabby/i.test(TERM_PROGRAM) || /kitty|alacritty|ghostty|foot/.test(TERM)) return true;
  return WT_SESSION !== undefined || KITTY_WINDOW_ID !== undefined || Number(VTE_VERSION) >= 5000;
}

async function looksOf(settings: Settings, flags: ChatFlags): Promise<Looks> {
  const [{ languageOf }, { isThemeName }] = await Promise.all([import('../ui/lang/lang.js'), import('../ui/theme.js')]);
  const theme = settings.choice('FROST_THEME') ?? '';
  return {
    theme: isThemeName(theme) ? theme : 'dark',
    language: languageOf(languageSetting(settings)),
    level: colourLevel(),
    hyperlinks: knowsHyperlinks(),
    screenReader: flags.screenReader ?? false,
  };
}

/** Runs the chat and leaves the process with its exit status. */
export async function chat(flags: ChatFlags, given: Flags): Promise<void> {
  const { startChat } = await import('../ui/start.js');
  const { sayIn } = await import('../ui/lang/lang.js');
  const looks = await looksOf(firstSettings(flags, given), flags);
  const say = sayIn(looks.language);
  const controller = new AbortController();
  process.on('uncaughtException', crashed);
  const warnings: string[] = [];
  let notices: readonly string[] = [];
  let backend: ChatBackend | undefined;
  let status = 0;
  let ended: Ended = {};
  try {
    ended = await startChat({
      stdin: process.stdin,
      stdout: process.stdout,
      term: processEnvironment()['TERM'],
      looks,
      reflow: processEnvironment()['TERM_PROGRAM'] === 'vscode' ? 'xterm.js' : 'with-text',
      first: flags.resume ? { kind: 'pick' } : flags.continue || typeof flags.session === 'string' ? { kind: 'resumed' } : { kind: 'new' },
      notices: () => [...notices, ...warnings],
      async prepare(questions, terminal): Promise<Backend | undefined> {
        const setup = await prepareSettings(flags, given, { questions, say }, controller.signal);
        if (!setup) return undefined;
        notices = setup.notices;
        const warn = (text: string) => void warnings.push(text);
        const assembled = await assembleChat(setup, sessionOf(flags), warn);
        const files = new ChatFiles({
          settings: () => setup.settings,
          workspace: () => assembled.workspace.workspace,
          cwd: process.cwd(),
          terminal,
        });
        backend = new ChatBackend({
          assembled,
          assemble: (session) => assembleChat(setup, session, warn),
          files,
          version: FROST_VERSION,
          cwd: process.cwd(),
        });
        return backend;
      },
    });
  } catch (thrown) {
    const { kind, message } = toFailure(thrown);
    process.stderr.write(`frost: ${message}\n`);
    status = exitCodeOf(kind);
  }
  controller.abort();
  const session = backend?.session();
  const saved = backend?.isSaved() ?? false;
  backend?.close();
  if (ended.signal === undefined && session !== undefined && saved)
    process.stdout.write(`${(ended.say ?? say)('app.goodbye', { id: session })}\n`);
  leave(ended, status);
}

/** A fault of frost's own: the terminal is given back by then, what was said is recorded. */
function crashed(thrown: unknown): never {
  const { message } = toFailure(thrown);
  process.stderr.write(`frost: the chat broke off (${message}). Go on with: frost -c\n`);
  process.exit(1);
}

const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, gone: 129 } as const;

/** Open sockets and timers of a run that was stopped shall not hold the shell up. */
function leave({ signal }: Ended, status: number): never {
  process.exit(signal ? SIGNAL_STATUS[signal] : status);
}
