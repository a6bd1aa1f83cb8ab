/** The package's public entry: `import { … } from 'frost-agent'`. */
export { type AgentEvent, EVENTS_VERSION, type EventOf, type EventSink, type EventType, type PrincipalBill } from './agent/events.js';
export {
  type Answer,
  type CreateAgentOptions,
  type CreatedAgent,
  createAgent,
  RunError,
  type RunOptions,
  type Session,
  type TaskOptions,
} from './assembly/create-agent.js';
export { type ErrorKind, type Failure, FrostError } from './errors.js';
export type { ContentPart, Message } from './llm/messages.js';
export type { JsonSchema, ReasoningEffort, Usage } from './llm/port.js';
export type { Access, PermissionMode } from './permissions/access.js';
export { defineAgentProfile } from './profiles/define.js';
export { type AgentDefinition, type AgentDefinitionInput, defineAgent } from './profiles/define-agent.js';
export { defineTool, type ToolInput } from './profiles/define-tool.js';
export type { AgentProfile, AgentProfileInput, Compaction, Limits } from './profiles/profile.js';
export type { Tool, ToolContext, ToolDetails, ToolResult } from './profiles/tool.js';
