/** How `frost agents` writes agents down. */

import type { ListedAgent } from '../assembly/agent-list.js';
import type { Principal } from '../config/principal.js';
import type { MarkdownProblem } from '../profiles/markdown.js';
import type { AgentProfile, ProfileOrigin } from '../profiles/profile.js';

/** Rows as aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function originText(origin: ProfileOrigin): string {
  return 'file' in origin ? `${origin.level}: ${origin.file}` : origin.level === 'builtin' ? 'built in' : 'module';
}

const toolNames = ({ tools }: AgentProfile) => tools.map((tool) => (typeof tool === 'string' ? tool : tool.name));

function keyText(principal: Principal | undefined): string {
  return principal ? (principal.key?.name ?? 'no key') : '-';
}

export function listText(agents: readonly ListedAgent[]): string {
  const rows = agents.map(({ profile, principal, failure }) => [
    profile.name,
    profile.origin.level === 'builtin' ? 'built in' : profile.origin.level,
    principal?.model ?? profile.model ?? '-',
    principal?.host ?? '-',
    keyText(principal),
    toolNames(profile).join(',') || '-',
    failure ? 'cannot be called' : 'ready',
  ]);
  return table([['NAME', 'FROM', 'MODEL', 'HOST', 'KEY', 'TOOLS', 'STATE'], ...rows]);
}

export function showText({ profile, principal, failure }: ListedAgent): string {
  const { limits = {}, compaction } = profile;
  const bounds = Object.entries(limits).map(([name, bound]) => `${name} ${bound}`);
  const rows: [string, string][] = [
    ['name', profile.name],
    ['from', originText(profile.origin)],
    ['description', profile.description],
    ['model', principal?.model ?? profile.model ?? "the endpoint's only one"],
    ['host', principal?.host ?? profile.endpoint ?? '-'],
    ['key', keyText(principal)],
    ['thinking', profile.thinkingLevel ?? "the main agent's"],
    ['tools', toolNames(profile).join(', ') || 'none'],
    ['skills', profile.skills.join(', ') || 'none'],
    ['subagents', profile.subagents.map(({ name }) => name).join(', ') || 'none'],
    ['limits', bounds.join(', ') || "the run's"],
    ['compaction', compaction === undefined ? "the main agent's" : JSON.stringify(compaction)],
    ['answer', profile.schema ? `json, by schema ${JSON.stringify(profile.schema)}` : (profile.output ?? 'text')],
    ...(failure ? [['cannot be called', failure.message] as [string, string]] : []),
  ];
  return `${table(rows)}\n\n${profile.instructions}`;
}

/** The same facts for a program; never a key's value. */
export function listedData({ profile, principal, failure }: ListedAgent): Record<string, unknown> {
  const { instructions, tools: _tools, subagents, origin, ...fields } = profile;
  return {
    ...fields,
    instructions,
    tools: toolNames(profile),
    subagents: subagents.map(({ name }) => name),
    origin,
    ...(principal && {
      resolved: { model: principal.model, endpoint: principal.endpoint, host: principal.host, keyName: principal.key?.name },
    }),
    ...(failure && { error: failure }),
  };
}

export function problemText({ file, line, severity, message }: MarkdownProblem): string {
  return `${file}:${line}: ${severity}: ${message}`;
}
