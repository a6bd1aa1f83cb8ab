/** The package's public entry: `import { … } from 'frost-agent'`. */
export { type AgentEvent, EVENTS_VERSION } from './agent/events.js';
export { FrostError } from './errors.js';
export { defineAgentProfile } from './profiles/define.js';
export { type AgentDefinition, type AgentDefinitionInput, defineAgent } from './profiles/define-agent.js';
export { defineTool, type ToolInput } from './profiles/define-tool.js';
export type { AgentProfile, AgentProfileInput } from './profiles/profile.js';
export type { Tool, ToolContext, ToolResult } from './profiles/tool.js';
