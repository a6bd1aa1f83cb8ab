/** The verdict on one access: a pure function of what is about to happen, the mode, the rules and the boundary. */
import path from 'node:path';
import type { Access, PermissionMode, Verdict } from './access.js';
import { type Boundary, boundaryOf } from './boundary.js';
import { looksOnly } from './read-only.js';
import { concerns, coversCommand, coversPath, coversUrl, opensSecret, type Rule, type Rules } from './rules.js';
import type { SecretTest } from './secrets.js';
import { parseShell, type ShellPart, spellings } from './shell.js';

/** What a verdict depends on beside mode and rules. All folders are absolute real paths. */
export interface DecideContext extends Boundary {
  tool: string;
  isSecret: SecretTest;
  /** True where commands run inside an operating-system sandbox. */
  sandboxed: boolean;
  /** Follows the symbolic links of a path that stands in a command; without it such paths are taken as written. */
  realPath?(absolute: string): string;
}

const ALLOW: Verdict = { verdict: 'allow' };
const deny = (reason: string): Verdict => ({ verdict: 'deny', reason });

/** Changing these can make later commands do something else, so edits of them ask even where edits are allowed. */
const PROTECTED =
  /(^|\/)(\.git|\.frost|\.husky|\.vscode|\.idea)(\/|$)|(^|\/)(AGENTS|CLAUDE)\.md$|(^|\/)\.(bash|zsh|git)(rc|_profile|config|modules)$/i;

/** Judges an access. Paths are real paths, relative to the root or absolute; deny wins over everything else. */
export function decide(access: Access, mode: PermissionMode, rules: Rules, context: DecideContext): Verdict {
  switch (access.kind) {
    case 'none':
      return decideUse(mode, rules, context.tool);
    case 'read':
    case 'write':
      return decideFile(access, mode, rules, context);
    case 'run':
      return decideRun(access, mode, rules, context);
    case 'fetch':
      return decideFetch(access.url, mode, rules, context);
  }
}

/** The strictest of several verdicts; the first of equals. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find(({ verdict }) => verdict === 'deny') ?? verdicts.find(({ verdict }) => verdict === 'ask') ?? ALLOW;
}

function decideUse(_mode: PermissionMode, rules: Rules, tool: string): Verdict {
  const denied = rules.deny.find((rule) => concerns(rule, tool, 'none') && rule.pattern === undefined);
  return denied ? deny(`the rule «${denied.text}» denies it`) : ALLOW;
}

function decideFile(access: { kind: 'read' | 'write'; path: string }, mode: PermissionMode, rules: Rules, context: DecideContext): Verdict {
  const absolute = path.resolve(context.root, access.path);
  const names = namesOf(absolute, context.root);
  const of = (list: readonly Rule[]) => list.find((rule) => concerns(rule, context.tool, access.kind) && coversPath(rule, names));
  const denied = of(rules.deny);
  if (denied) return deny(`the rule «${denied.text}» denies it`);
  if (access.path.includes('\0')) return deny('the path has a NUL character');
  if (/^~(\/|$)/.test(access.path)) return deny(`${access.path} is in the home folder, outside the workspace`);
  if (!boundaryOf(absolute, context, access.kind))
    return deny(`${absolute} is outside the workspace ${context.root}; --add-dir DIR opens another folder`);
  const allowed = of(rules.allow);
  const shown = names[0] ?? absolute;
  if (names.some(context.isSecret) && !opensSecret(rules, context.tool, access.kind, names)) {
    return deny(`${shown} may hold secrets; --allow '${context.tool}(${shown})' opens it`);
  }
  if (access.kind === 'read' || allowed || mode === 'full') return ALLOW;
  if (mode === 'read') return deny('the permission mode is «read»: files are not changed; --permission edit allows edits');
  const guarded = names.some((name) => PROTECTED.test(name));
  if (mode === 'edit' && !guarded) return ALLOW;
  const reason = guarded ? `${shown} can change what later commands do` : 'it changes a file';
  return { verdict: 'ask', reason, rule: `write_file(${escapedPath(shown)})` };
}

/** The path as rules may spell it: relative to the root where it is inside, and absolute. */
function namesOf(absolute: string, root: string): string[] {
  const relative = path.relative(root, absolute).split(path.sep).join('/');
  const inside = relative !== '..' && !relative.startsWith('../') && !path.isAbsolute(relative);
  return inside ? [relative || '.', absolute] : [absolute];
}

const escapedPath = (name: string) => name.replace(/[*?[\]{}\\]/g, '\\$&');

function decideFetch(address: string, mode: PermissionMode, rules: Rules, context: DecideContext): Verdict {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return deny('only http and https addresses can be fetched');
  if (url.username || url.password) return deny('an address with a user name or password is not fetched');
  const of = (list: readonly Rule[]) => list.find((rule) => concerns(rule, context.tool, 'fetch') && coversUrl(rule, url));
  const denied = of(rules.deny);
  if (denied) return deny(`the rule «${denied.text}» denies it`);
  if (of(rules.allow) || mode === 'full') return ALLOW;
  return { verdict: 'ask', reason: `it sends a request to ${url.host}`, rule: `fetch_url(${url.origin}/*)` };
}

function decideRun(access: { command: string; cwd?: string }, mode: PermissionMode, rules: Rules, context: DecideContext): Verdict {
  const cwd = path.resolve(context.root, access.cwd ?? '.');
  if (!boundaryOf(cwd, context, 'write')) return deny(`${cwd} is outside the workspace ${context.root}`);
  const { parts, opaque } = parseShell(access.command);
  const denyRules = rules.deny.filter((rule) => concerns(rule, context.tool, 'run'));
  const known = [access.command.trim(), ...parts.flatMap((part) => spellings(part))];
  const denied = denyRules.find((rule) => coversCommand(rule, known));
  if (denied) return deny(`the rule «${denied.text}» denies it`);
  if (mode === 'full') {
    return opaque && denyRules.length > 0 ? { verdict: 'ask', reason: `it has ${opaque}, so the deny rules cannot be checked` } : ALLOW;
  }
  const verdict = opaque
    ? ({ verdict: 'ask', reason: `it has ${opaque}, so it cannot be judged` } as const)
    : decideParts(parts, cwd, mode, rules, context);
  if (verdict.verdict !== 'ask' || mode !== 'read') return verdict;
  return deny(`the permission mode is «read» and ${verdict.reason}; --allow 'run_command(...)' grants single commands`);
}

function decideParts(parts: readonly ShellPart[], cwd: string, mode: PermissionMode, rules: Rules, context: DecideContext): Verdict {
  if (parts.length === 0) return ALLOW;
  const moves = parts.some((part) => /^(cd|pushd|popd)$/.test(part.words[0] ?? ''));
  const verdicts = parts.map((part) => decidePart(part, moves ? undefined : cwd, mode, rules, context));
  const open = verdicts.filter(({ verdict }) => verdict === 'ask');
  const first = strictest(verdicts);
  // One rule cannot speak for several commands at once.
  return open.length > 1 && first.verdict === 'ask' ? { verdict: 'ask', reason: first.reason } : first;
}

/** `cwd` is undefined where the command changes folder first: relative redirections then cannot be judged. */
function decidePart(part: ShellPart, cwd: string | undefined, mode: PermissionMode, rules: Rules, context: DecideContext): Verdict {
  const real = (absolute: string) => context.realPath?.(absolute) ?? absolute;
  const file = (kind: 'read' | 'write', name: string): Verdict => {
    if (name === '/dev/null') return ALLOW;
    if (cwd === undefined || /^~|[*?[{]/.test(name) || name === '') return { verdict: 'ask', reason: `it ${kind}s «${name}»` };
    const verdict = decideFile({ kind, path: real(path.resolve(cwd, name)) }, mode, rules, { ...context, tool: `${kind}_file` });
    // The shell goes up from where a link leads, not from where it lies.
    return verdict.verdict === 'allow' && /(^|\/)\.\.(\/|$)/.test(name) ? { verdict: 'ask', reason: `it ${kind}s «${name}»` } : verdict;
  };
  const files = strictest([...part.reads.map((name) => file('read', name)), ...part.writes.map((name) => file('write', name))]);
  if (files.verdict === 'deny') return files;
  const granted = rules.allow.some((rule) => concerns(rule, context.tool, 'run') && coversCommand(rule, [part.text]));
  const mayRead = (name: string) =>
    !/^~|(^|\/)\.\.(\/|$)/.test(name) &&
    decideFile({ kind: 'read', path: real(path.resolve(cwd ?? context.root, name)) }, 'read', rules, context).verdict === 'allow';
  const looks = context.sandboxed && looksOnly(part, mayRead);
  if (granted || looks) return files.verdict === 'ask' ? { verdict: 'ask', reason: files.reason } : ALLOW;
  const reason = context.sandboxed
    ? `«${shortened(part.text)}» is a command that no rule allows`
    : `«${shortened(part.text)}» would run without a sandbox`;
  return { verdict: 'ask', reason, ...(files.verdict === 'allow' && { rule: `run_command(${part.text.replace(/[*\\]/g, '\\$&')})` }) };
}

const shortened = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
