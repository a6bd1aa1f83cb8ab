/** A shell command taken apart into the simple commands it would run, so that each can be judged. */
import { type Command, forEachChild, parse, type Redirection, type SyntaxNode, type Word } from 'unbash';

/** One simple command. */
export interface ShellPart {
  /** The words as the shell would pass them on, the command first. */
  words: string[];
  /** The words joined, each quoted where it has to be; what rules are matched against. */
  text: string;
  /** Files it reads or writes by redirection. */
  reads: string[];
  writes: string[];
  /** Variables set for it alone, as written. */
  assignments: string[];
  /** True where a file-name pattern or a brace list stands in its words. */
  patterns: boolean;
}

export interface ShellCommand {
  parts: ShellPart[];
  /** Why the command cannot be judged from its text, or undefined where `parts` is all it does. */
  opaque?: string;
}

const OPAQUE: Partial<Record<SyntaxNode['type'], string>> = {
  CommandExpansion: 'a command substitution',
  ProcessSubstitution: 'a process substitution',
  SimpleExpansion: 'a variable',
  ParameterExpansion: 'a variable',
  ArithmeticExpansion: 'an arithmetic expansion',
  ArithmeticCommand: 'an arithmetic command',
  ArithmeticFor: 'a loop',
  LocaleString: 'a translated string',
  ExtendedGlob: 'an extended file-name pattern',
  Function: 'a function',
  Coproc: 'a coprocess',
  For: 'a loop',
  While: 'a loop',
  Select: 'a loop',
  Case: 'a case',
  TestCommand: 'a [[ ]] test',
};

/** Commands whose arguments are another command: the number of words to pass over besides options and assignments. */
const WRAPPERS: Record<string, number> = {
  env: 0,
  nice: 0,
  nohup: 0,
  time: 0,
  timeout: 1,
  command: 0,
  builtin: 0,
  exec: 0,
  sudo: 0,
  doas: 0,
  xargs: 0,
  setsid: 0,
  stdbuf: 0,
  eval: 0,
};

const SHELLS = /^(?:ba|da|z|k)?sh$/;

/** Takes a command apart. Never throws: what cannot be parsed is opaque. */
export function parseShell(command: string): ShellCommand {
  const parts: ShellPart[] = [];
  let opaque: string | undefined = /[^\P{C}\n\t]|[\u2028\u2029]/u.test(command) ? 'an invisible character' : undefined;
  const visit = (node: SyntaxNode) => {
    opaque ??= OPAQUE[node.type];
    if (node.type === 'Script' && 'errors' in node && node.errors?.length) opaque ??= `unreadable syntax (${node.errors[0]?.message})`;
    if (node.type === 'Command') parts.push(partOf(node));
    if (node.type === 'Redirected') parts.push({ ...EMPTY, ...filesOf(node.redirects) });
    forEachChild(node, visit);
  };
  try {
    visit(parse(command));
  } catch (error) {
    opaque = `unreadable syntax (${error instanceof Error ? error.message : error})`;
  }
  return {
    parts: parts.filter((part) => part.words.length + part.reads.length + part.writes.length + part.assignments.length > 0),
    ...(opaque && { opaque }),
  };
}

const EMPTY: ShellPart = { words: [], text: '', reads: [], writes: [], assignments: [], patterns: false };

function partOf(command: Command): ShellPart {
  const words = [...(command.name ? [command.name] : []), ...command.args.map((arg) => (arg.type === 'Word' ? arg : undefined))];
  const values = [
    ...(command.name ? [wordValue(command.name)] : []),
    ...command.args.map((arg) => (arg.type === 'Word' ? wordValue(arg) : arg.text)),
  ];
  const assignments = command.prefix.flatMap((item) => (item.type === 'Assignment' ? [item.text] : []));
  return {
    words: values,
    text: [...assignments, ...values.map(quoted)].join(' '),
    ...filesOf(command.redirects),
    assignments,
    patterns: words.some((word) => word !== undefined && hasPattern(word)) || [...command.args].some((arg) => arg.type !== 'Word'),
  };
}

function hasPattern(word: Word): boolean {
  return (word.parts ?? []).some((part) => part.type === 'Glob' || part.type === 'BraceExpansion' || part.type === 'ExtendedGlob');
}

/** The word's value; an unquoted `~` stays one, a quoted one becomes `./~` so that it is not taken for the home folder. */
function wordValue(word: Word): string {
  return word.value.startsWith('~') && !word.text.startsWith('~') ? `./${word.value}` : word.value;
}

function filesOf(redirects: readonly Redirection[]): { reads: string[]; writes: string[] } {
  const reads: string[] = [];
  const writes: string[] = [];
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect') continue;
    const target = redirect.target ? wordValue(redirect.target) : '';
    const duplicates = /&$/.test(redirect.operator) && /^(\d+-?|-)$/.test(target);
    if (duplicates) continue;
    if (redirect.operator === '<') reads.push(target);
    else writes.push(target);
  }
  return { reads, writes };
}

const quoted = (word: string) => (/^[\w@%+=:,./~*?[\]{}!^#-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/**
 * The spellings under which a deny rule may know a simple command: as written, without its folder, and the commands
 * inside `env`, `sudo`, `xargs`, `bash -c` and the like.
 */
export function spellings(part: ShellPart, depth = 0): string[] {
  const [name = '', ...args] = part.words;
  const base = name.slice(name.lastIndexOf('/') + 1);
  const bare = [base, ...args].map(quoted).join(' ');
  return [...new Set([part.text, part.words.map(quoted).join(' '), bare, ...(depth < 8 ? inner(base, args, depth + 1) : [])])];
}

function inner(base: string, args: string[], depth: number): string[] {
  if (SHELLS.test(base)) {
    const flag = args.findIndex((arg) => /^-\w*c$/.test(arg));
    return flag >= 0 ? parseShell(args[flag + 1] ?? '').parts.flatMap((part) => spellings(part, depth)) : [];
  }
  const skipped = WRAPPERS[base];
  if (skipped === undefined) return [];
  if (base === 'eval') return parseShell(args.join(' ')).parts.flatMap((part) => spellings(part, depth));
  const rest = args.filter(
    (arg, index) => !(/^-/.test(arg) || /^\w+=/.test(arg)) || args.slice(0, index).some((before) => !/^-|^\w+=/.test(before)),
  );
  // An option's value may stand before the command (`sudo -u root rm`), so every tail of the words is a spelling.
  return rest.slice(skipped).flatMap((_, index) => {
    const words = rest.slice(skipped + index);
    return index < 3 ? spellings({ ...EMPTY, words, text: words.map(quoted).join(' ') }, depth) : [];
  });
}
