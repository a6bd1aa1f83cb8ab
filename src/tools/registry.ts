/** The tool registry: a plain map from name to tool. */
import { FrostError } from '../errors.js';
import type { ToolSchema } from '../llm/port.js';
import type { Tool } from '../profiles/tool.js';

export type ToolRegistry = ReadonlyMap<string, Tool>;

/** The tools by name; a name used twice is a configuration error, since one of the two would never be called. */
export function toolRegistry(tools: readonly Tool[]): ToolRegistry {
  const registry = new Map<string, Tool>();
  for (const tool of tools) {
    if (registry.has(tool.name)) throw new FrostError('config', `Two tools are named «${tool.name}». Rename one of them.`);
    registry.set(tool.name, tool);
  }
  return registry;
}

/** What the model is told of a tool. */
export function schemaOf({ name, description, parameters }: Tool): ToolSchema {
  return { name, description, parameters };
}
