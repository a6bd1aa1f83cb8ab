/** Built-in tools that a profile may ask for by name. Delegation and messages are not asked for: they come with the agent. */
export const PROFILE_TOOLS = ['read_file', 'list_files', 'search_files', 'write_file', 'edit_file', 'run_command', 'fetch_url'] as const;

/** Names that frost gives to an agent by itself; no tool of a user may take one. */
export const OWN_TOOLS = ['send_message', 'use_subagent', 'task', 'skill'] as const;

/** True for a built-in tool that a profile may list. */
export function isProfileTool(name: string): boolean {
  return (PROFILE_TOOLS as readonly string[]).includes(name);
}

/** True for any name that a user's own tool may not have. */
export function isTakenToolName(name: string): boolean {
  return isProfileTool(name) || (OWN_TOOLS as readonly string[]).includes(name);
}
