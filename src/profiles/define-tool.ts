import type { JsonSchema } from '../llm/port.js';
import type { Access } from '../permissions/access.js';
import { checkText, checkUnknown, copyOfData, deepFreeze, isRecord, type Refuse, refuser } from './check-fields.js';
import type { Tool, ToolContext, ToolResult } from './tool.js';
import { isTakenToolName } from './tool-names.js';

type Arguments = Record<string, unknown>;

/** A tool as its author writes it. */
export interface ToolInput {
  /** What the model calls: a letter or `_`, then letters, digits, `_`, `-`; 64 characters at most. */
  name: string;
  /** When to use it and what comes back; the model reads this. */
  description: string;
  /** JSON Schema of the arguments object. Omitted: the tool takes none. */
  parameters?: JsonSchema;
  /** What a call would do, for the permission rules. Omitted: it touches nothing that they guard. */
  access?(args: Arguments): Access | Promise<Access>;
  /** One short line for the screen. */
  summary?(args: Arguments): string;
  /**
   * Does the work. A text is the result as it is; other plain data is given to the model as JSON. Throwing is an error
   * result that the model reads.
   */
  run(args: Arguments, context: ToolContext): unknown;
}

const FIELDS = ['name', 'description', 'parameters', 'access', 'summary', 'run'];
const HINTS = {
  execute: "the function of a tool is called 'run'.",
  handler: "the function of a tool is called 'run'.",
  input: "the schema of a tool's arguments is called 'parameters'.",
  inputSchema: "the schema of a tool's arguments is called 'parameters'.",
};
const made = new WeakSet<object>();

/**
 * Makes a tool for the `tools` of an agent or a profile.
 * @throws {FrostError} of the kind `config`, naming the tool and the field.
 */
export function defineTool(input: ToolInput): Tool {
  return toolFrom(input, isRecord(input) && typeof input['name'] === 'string' ? `Tool '${input['name']}'` : 'Tool');
}

/** Accepts what `defineTool` made, or makes a tool of an object of that form. */
export function toolFrom(input: unknown, what: string): Tool {
  const refuse = refuser(what);
  if (!isRecord(input)) return refuse('tool', 'a tool is an object with name, description and run.');
  if (made.has(input)) return input as unknown as Tool;
  checkUnknown(input, FIELDS, HINTS, refuse);
  const { access, summary, run } = input;
  if (typeof run !== 'function') refuse('run', "'run' must be a function.");
  const tool: Tool = {
    name: checkToolName(input['name'], refuse),
    description: checkText(input['description'], 'description', refuse),
    parameters: checkParameters(input['parameters'], refuse),
    ...(access !== undefined && { access: checkFunction<NonNullable<Tool['access']>>(access, 'access', refuse) }),
    ...(summary !== undefined && { summary: checkFunction<NonNullable<Tool['summary']>>(summary, 'summary', refuse) }),
    run: async (args, context) => resultOf(await (run as ToolInput['run'])(args, context)),
  };
  made.add(deepFreeze(tool));
  return tool;
}

function checkToolName(value: unknown, refuse: Refuse): string {
  if (typeof value !== 'string' || !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(value)) {
    refuse('name', "'name' must be a letter or _, then letters, digits, _ or -, 64 characters at most.");
  }
  if (isTakenToolName(value)) refuse('name', `'${value}' is the name of a tool of frost; choose another one.`);
  return value;
}

function checkParameters(value: unknown, refuse: Refuse): JsonSchema {
  if (value === undefined) return { type: 'object', properties: {} };
  if (!isRecord(value)) refuse('parameters', "'parameters' must be a JSON Schema object.");
  const type = value['type'] ?? 'object';
  if (type !== 'object') refuse('parameters', "'parameters' must describe an object: a tool is called with named arguments.");
  return { ...copyOfData(value, 'parameters', refuse), type, properties: copyOfProperties(value['properties'], refuse) };
}

function copyOfProperties(value: unknown, refuse: Refuse): JsonSchema {
  if (value === undefined) return {};
  if (!isRecord(value)) refuse('parameters', "'parameters.properties' must be an object.");
  return copyOfData(value, 'parameters', refuse);
}

function checkFunction<F>(value: unknown, field: string, refuse: Refuse): F {
  if (typeof value !== 'function') refuse(field, `'${field}' must be a function.`);
  return value as F;
}

/** What a user's function returned, in the form that the loop takes. */
function resultOf(value: unknown): ToolResult | string {
  if (typeof value === 'string') return value;
  if (value === undefined) return 'Done.';
  if (isRecord(value) && typeof value['text'] === 'string') return value as unknown as ToolResult;
  return JSON.stringify(value, null, 2) ?? String(value);
}
