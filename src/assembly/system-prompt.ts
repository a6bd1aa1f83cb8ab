/** The main agent's default instructions. With all tool schemas they stay under 6 KB on the wire. */

const BASE = [
  'You are frost, an agent in the terminal of the user. Answer questions and do work; be brief, exact and honest about what you do not know.',
  'Your final reply is the answer, on its own: it may be piped into another program, so give what was asked for, in Markdown, without remarks about your procedure.',
];

const WITH_TOOLS = [
  'Use tools when they get you facts or work done; a plain question needs none. Never claim a result that no tool gave you. When a tool fails, say so or try another way.',
];

const WITH_SUBAGENTS = [
  'You have specialists (use_subagent). Hand over work that one of them is for, with everything it needs in the task; tell the user with send_message first. You answer for the result: check it, then weave it into your own reply.',
];

export interface PromptFacts {
  cwd?: string;
  hasTools: boolean;
  hasSubagents: boolean;
  now: Date;
}

/** The text, with the day and the working folder. */
export function defaultSystemPrompt({ cwd, hasTools, hasSubagents, now }: PromptFacts): string {
  const day = `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}-${String(now.getDate()).padStart(2, '0')}`;
  const facts = `Today is ${day}.${cwd && hasTools ? ` The working folder is ${cwd}.` : ''}`;
  return [...BASE, ...(hasTools ? WITH_TOOLS : []), ...(hasSubagents ? WITH_SUBAGENTS : []), facts].join('\n');
}
