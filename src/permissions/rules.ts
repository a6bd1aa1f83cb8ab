/**
 * The language of permission rules: `tool` or `tool(pattern)`, for example `run_command(git status*)`,
 * `write_file(src/**)`, `fetch_url(https://example.com/*)`. A rule for one of the tools that read (write) files holds
 * for all of them.
 */
import { FrostError } from '../errors.js';
import type { Access } from './access.js';
import { pathPattern, textPattern } from './glob.js';

export interface Rule {
  readonly text: string;
  readonly tool: string;
  readonly pattern?: string;
}

export interface Rules {
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
}

export const NO_RULES: Rules = { allow: [], deny: [] };

const KIND_OF_TOOL: Record<string, Access['kind']> = {
  read_file: 'read',
  list_files: 'read',
  search_files: 'read',
  write_file: 'write',
  edit_file: 'write',
  run_command: 'run',
  fetch_url: 'fetch',
};

/** Throws FrostError('config') naming a rule that cannot be read. */
export function parseRule(text: string): Rule {
  const match = /^\s*([A-Za-z][\w-]*)\s*(?:\((.+)\))?\s*$/s.exec(text);
  if (!match?.[1]) {
    throw new FrostError(
      'config',
      `Cannot read the permission rule «${text}»: write tool or tool(pattern), such as run_command(git status*).`,
    );
  }
  return { text: text.trim(), tool: match[1], ...(match[2] !== undefined && { pattern: match[2].trim() }) };
}

/** Throws FrostError('config') for the first rule that cannot be read. */
export function parseRules(texts: { allow?: readonly string[]; deny?: readonly string[] }): Rules {
  return { allow: (texts.allow ?? []).map(parseRule), deny: (texts.deny ?? []).map(parseRule) };
}

/** True where the rule speaks of this tool, or of this kind of access. */
export function concerns(rule: Rule, tool: string, kind: Access['kind']): boolean {
  return rule.tool === tool || (kind !== 'none' && KIND_OF_TOOL[rule.tool] === kind);
}

/** Does the pattern cover one of these spellings of a path (relative to the workspace, or absolute)? `dir/**` covers `dir` too. */
export function coversPath(rule: Rule, spellings: readonly string[]): boolean {
  if (rule.pattern === undefined) return true;
  const tests = pathTests(rule.pattern);
  return spellings.some((spelling) => tests.some((test) => test.test(spelling)));
}

const PATH_TESTS = new Map<string, RegExp[]>();

/** A listing asks for thousands of paths with the same few patterns. */
function pathTests(text: string): RegExp[] {
  const known = PATH_TESTS.get(text);
  if (known) return known;
  const pattern = text.replace(/^\.\//, '');
  const tests = [pathPattern(pattern), ...(pattern.endsWith('/**') ? [pathPattern(pattern.slice(0, -3))] : [])];
  PATH_TESTS.set(text, tests);
  return tests;
}

/** True where a deny rule closes the path for reading. */
export function deniesReading(rules: Rules, spellings: readonly string[]): boolean {
  return rules.deny.some((rule) => concerns(rule, 'read_file', 'read') && coversPath(rule, spellings));
}

/** True where an allow rule opens a secret file: it has to say more of the file's name than `*`. */
export function opensSecret(rules: Rules, tool: string, kind: Access['kind'], spellings: readonly string[]): boolean {
  return rules.allow.some(
    (rule) => rule.pattern !== undefined && !/(^|\/)\*+$/.test(rule.pattern) && concerns(rule, tool, kind) && coversPath(rule, spellings),
  );
}

/** Does the pattern cover one of these spellings of a simple command? A final ` *` covers the command without arguments too. */
export function coversCommand(rule: Rule, spellings: readonly string[]): boolean {
  if (rule.pattern === undefined) return true;
  const { pattern } = rule;
  const open = /[^\\] \*$/.test(pattern) ? `${textPattern(pattern.slice(0, -2))}(?: .*)?` : textPattern(pattern);
  const test = new RegExp(`^${open}$`, 's');
  return spellings.some((spelling) => test.test(spelling));
}

/** Does the pattern cover the address? A `*` in the host never reaches into the path. */
export function coversUrl(rule: Rule, url: URL): boolean {
  if (rule.pattern === undefined) return true;
  const match = /^([a-z*]+:\/\/)?([^/]*)(.*)$/is.exec(rule.pattern);
  const [, scheme = '', host = '', rest = ''] = match ?? [];
  const schemeTest = scheme && scheme !== '*://' ? textPattern(scheme.toLowerCase(), '[a-z]*') : 'https?://';
  const restTest = rest === '' || rest === '/' ? '/.*' : textPattern(rest);
  const test = new RegExp(`^${schemeTest}${textPattern(host.toLowerCase(), '[^/@:?#]*')}${restTest}$`, 's');
  return test.test(`${url.protocol}//${url.host}${url.pathname}${url.search}`);
}

/** True where an allow rule names the very host, without a wildcard: only that opens private and loopback addresses. */
export function namesHost(rules: Rules, tool: string, url: URL): boolean {
  return rules.allow.some((rule) => {
    const host = /^(?:[a-z*]+:\/\/)?([^/*]+)(?:\/|$)/i.exec(rule.pattern ?? '')?.[1];
    return host !== undefined && concerns(rule, tool, 'fetch') && coversUrl(rule, url);
  });
}
