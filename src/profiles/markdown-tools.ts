/** Tool names as Markdown agents give them: frost's own, or the names of other programs for the same thing. */
import { closest } from '../text/closest.js';
import { isProfileTool, PROFILE_TOOLS } from './tool-names.js';

const SAME_TOOL: Record<string, (typeof PROFILE_TOOLS)[number]> = {
  read: 'read_file',
  readfile: 'read_file',
  readmanyfiles: 'read_file',
  ls: 'list_files',
  glob: 'list_files',
  listdirectory: 'list_files',
  grep: 'search_files',
  searchfilecontent: 'search_files',
  write: 'write_file',
  writefile: 'write_file',
  edit: 'edit_file',
  multiedit: 'edit_file',
  replace: 'edit_file',
  bash: 'run_command',
  runshellcommand: 'run_command',
  webfetch: 'fetch_url',
};

/** Tools of other programs that come with frost's agents by themselves, or that frost does not have. */
const ELSEWHERE: Record<string, string> = {
  task: "delegation comes with 'subagents'",
  agent: "delegation comes with 'subagents'",
  skill: "the skill tool comes with 'skills'",
  websearch: 'frost has no web search',
  googlewebsearch: 'frost has no web search',
  todowrite: 'frost has no such tool',
  todoread: 'frost has no such tool',
  notebookedit: 'frost has no such tool',
  notebookread: 'frost has no such tool',
  bashoutput: 'frost has no such tool',
  killbash: 'frost has no such tool',
  killshell: 'frost has no such tool',
  exitplanmode: 'frost has no such tool',
  askuserquestion: 'frost has no such tool',
  slashcommand: 'frost has no such tool',
};

export interface ToolChoice {
  tools: string[];
  /** Names that were left out, and why. `expected` is set for what is common in files of other programs. */
  leftOut: { name: string; why: string; expected: boolean }[];
}

/** Reads a list of tool names; `*` is all of them. */
export function readToolNames(names: readonly string[]): ToolChoice {
  const choice: ToolChoice = { tools: [], leftOut: [] };
  const add = (tool: string) => {
    if (!choice.tools.includes(tool)) choice.tools.push(tool);
  };
  for (const name of names) {
    const plain = name.toLowerCase().replace(/[-_]/g, '');
    const tool = isProfileTool(name) ? name : SAME_TOOL[plain];
    if (name === '*') PROFILE_TOOLS.forEach(add);
    else if (tool) add(tool);
    else choice.leftOut.push({ name, ...reasonFor(name, plain) });
  }
  return choice;
}

function reasonFor(name: string, plain: string): { why: string; expected: boolean } {
  const elsewhere = ELSEWHERE[plain] ?? ELSEWHERE[plain.replace(/\(.*$/, '')];
  if (elsewhere) return { why: elsewhere, expected: true };
  if (name.startsWith('mcp__')) return { why: 'frost has no such tool', expected: true };
  if (name.includes('(')) return { why: 'frost limits commands by permission rules, not in this list', expected: false };
  const near = closest(name, PROFILE_TOOLS);
  return { why: near ? `did you mean '${near}'?` : `tools are ${PROFILE_TOOLS.join(', ')}`, expected: false };
}
