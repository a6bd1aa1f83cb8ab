/** The commands that are known to look only, and the arguments that would make them do more. */
import type { ShellPart } from './shell.js';

const ANY = /(?!)/;

/** Command → arguments that take it off the list. GNU tools accept shortened long options, so prefixes are refused. */
const COMMANDS: Record<string, RegExp> = {
  pwd: ANY,
  ls: ANY,
  cat: ANY,
  head: ANY,
  tail: ANY,
  wc: ANY,
  nl: ANY,
  tac: ANY,
  rev: ANY,
  cut: ANY,
  tr: ANY,
  paste: ANY,
  comm: ANY,
  fold: ANY,
  basename: ANY,
  dirname: ANY,
  realpath: ANY,
  readlink: ANY,
  stat: ANY,
  du: ANY,
  df: ANY,
  echo: ANY,
  true: ANY,
  false: ANY,
  test: ANY,
  '[': ANY,
  which: ANY,
  whoami: ANY,
  id: ANY,
  uname: ANY,
  seq: ANY,
  md5sum: ANY,
  sha1sum: ANY,
  sha256sum: ANY,
  sha512sum: ANY,
  cksum: ANY,
  cmp: ANY,
  diff: ANY,
  grep: ANY,
  egrep: ANY,
  fgrep: ANY,
  cd: /^-./,
  date: /^-[a-zA-Z]*s|^--s|^\d/,
  sort: /^-[a-zA-Z]*[oTS]|^--(o|co|t|f)/,
  find: /^-(exec|execdir|ok|okdir|delete|fprint.*|fls|files0-from)$/,
  rg: /^--(pre|hostname-bin|search-zip)|^-[a-zA-Z]*z/,
  jq: /^-[a-zA-Z]*[fL]|^--(from|lib|raw|slurp|argf)/,
};

/** Subcommands of git that look only, with the arguments that take them off the list. */
const GIT: Record<string, RegExp> = {
  status: ANY,
  diff: /^--(ou|ext|textc|no-in)/,
  log: /^--(ou|ext|textc)/,
  show: /^--(ou|ext|textc)/,
  'rev-parse': ANY,
  'rev-list': ANY,
  'ls-files': ANY,
  'ls-tree': ANY,
  'cat-file': /^--(textc|filt)/,
  blame: /^--(textc|con)/,
  describe: ANY,
  shortlog: ANY,
  'name-rev': ANY,
};

const VERSIONED = /^(node|npm|npx|pnpm|yarn|python3?|pip3?|go|cargo|rustc|ruby|java|tsc|git|make|gcc|clang|docker)$/;

/** Commands whose arguments are words, not files. */
const WORDS_ONLY = new Set(['echo', 'true', 'false', 'seq', 'test', '[', 'basename', 'dirname', 'which']);

/**
 * True where the command is on the list with these arguments and names no file that `mayRead` refuses. Its redirections
 * are not judged here.
 */
export function looksOnly(part: ShellPart, mayRead: (path: string) => boolean): boolean {
  const [name = '', ...args] = part.words;
  if (part.assignments.length > 0 || part.patterns) return false;
  if (part.words.length === 0) return true;
  if (VERSIONED.test(name) && args.length === 1 && args[0] === '--version') return true;
  const [list, key] = name === 'git' ? [GIT, args[0] ?? ''] : [COMMANDS, name];
  const refused = Object.hasOwn(list, key) ? list[key] : undefined;
  if (!refused || args.some((arg) => refused.test(arg))) return false;
  // Without a folder, and with `-`, `cd` leads somewhere else than its text says.
  if (name === 'cd' && (args.length !== 1 || args[0] === '-')) return false;
  return WORDS_ONLY.has(name) || args.every((arg) => filesIn(arg).every(mayRead));
}

/** What may be a file in one argument: itself, the value of `--name=value` and of `-Xvalue`. */
function filesIn(arg: string): string[] {
  const value = /^--?[\w-]+=(.*)$/s.exec(arg)?.[1] ?? /^-\w*?[a-zA-Z]([./~].*)$/s.exec(arg)?.[1];
  if (value !== undefined) return [value];
  return arg.startsWith('-') ? [] : [arg, ...(/^[^/]*:(.+)$/s.exec(arg)?.slice(1) ?? [])];
}
