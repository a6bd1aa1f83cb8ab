/** From the text a model wrote as a call's arguments to an object that fits the tool's schema, or a sentence for the model. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Tool } from '../profiles/tool.js';

export type ParsedArguments = { args: Record<string, unknown> } | { problem: string };

const validators = new WeakMap<Tool, ValidateFunction>();

/** Ajv is loaded with the first call: a question that needs no tool does not pay for it. */
async function validatorOf(tool: Tool): Promise<ValidateFunction> {
  const known = validators.get(tool);
  if (known) return known;
  const { default: Ajv } = await import('ajv');
  const validate = new Ajv({ allErrors: true, strict: false, logger: false, validateFormats: false }).compile(tool.parameters);
  validators.set(tool, validate);
  return validate;
}

function sentenceOf({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'the arguments' : instancePath.slice(1).replaceAll('/', '.');
  const extra = typeof params['additionalProperty'] === 'string' ? ` («${params['additionalProperty']}»)` : '';
  return `${place} ${message ?? 'are not valid'}${extra}`;
}

/** Parses and validates. An empty text counts as no arguments, as several servers send it for a call without any. */
export async function parseArguments(tool: Tool, text: string): Promise<ParsedArguments> {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    return {
      problem: `The arguments of ${tool.name} could not be read as JSON (${(error as Error).message}). Call it again with a valid JSON object.`,
    };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      problem: `The arguments of ${tool.name} must be a JSON object, not ${JSON.stringify(value).slice(0, 80)}. Call it again with an object.`,
    };
  }
  const args = tool.prepare ? tool.prepare(value as Record<string, unknown>) : (value as Record<string, unknown>);
  const validate = await validatorOf(tool);
  if (validate(args)) return { args };
  const problems = (validate.errors ?? []).slice(0, 3).map(sentenceOf).join('; ');
  return { problem: `The arguments of ${tool.name} do not fit: ${problems}. Its parameters are ${JSON.stringify(tool.parameters)}` };
}
