/** The checks on single fields of a definition. Each takes what a user wrote and returns it in the kept form, or throws. */
import { FrostError } from '../errors.js';
import type { JsonSchema, ReasoningEffort } from '../llm/port.js';
import { closest } from '../text/closest.js';
import type { Compaction, Limits } from './profile.js';

/** Throws the error of one field of one definition. */
export type Refuse = (field: string, why: string) => never;

/** @param what such as `Agent profile 'Coder'`. The error is of the kind `config` and carries the field in its facts. */
export function refuser(what: string): Refuse {
  return (field, why) => {
    throw new FrostError('config', `${what}: ${why}`, { field });
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Freezes a value all the way down; functions and what is frozen already are left as they are. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

export function checkUnknown(
  input: Record<string, unknown>,
  known: readonly string[],
  hints: Record<string, string>,
  refuse: Refuse,
): void {
  for (const field of Object.keys(input)) {
    if (known.includes(field)) continue;
    const hint = hints[field];
    if (hint) refuse(field, hint);
    const near = closest(field, known);
    refuse(field, `unknown field '${field}'${near ? `; did you mean '${near}'?` : `. Known fields: ${known.join(', ')}.`}`);
  }
}

/** A text that is not blank. */
export function checkText(value: unknown, field: string, refuse: Refuse): string {
  if (typeof value !== 'string' || value.trim() === '') refuse(field, `'${field}' must be a text that is not empty.`);
  return value;
}

const LEVELS: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

export function checkThinkingLevel(value: unknown, refuse: Refuse): ReasoningEffort {
  const level = LEVELS.find((known) => known === value);
  return level ?? refuse('thinkingLevel', `'thinkingLevel' must be one of ${LEVELS.join(', ')}.`);
}

/** The value is not repeated in the error: a URL may hold a password. */
export function checkEndpoint(value: unknown, refuse: Refuse): string {
  const text = typeof value === 'string' ? value.trim() : '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    refuse('endpoint', "'endpoint' must be an http or https URL, such as https://api.example.com/v1.");
  }
  if (url.username || url.password)
    refuse('endpoint', "'endpoint' must not hold a user name or password; name the key's variable in apiKeyEnv.");
  return text;
}

/** The value is not repeated in the error: it may be a key that was put in the wrong place. */
export function checkKeyName(value: unknown, refuse: Refuse): string {
  if (typeof value !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) {
    refuse('apiKeyEnv', "'apiKeyEnv' must be the name of the variable that holds the key (such as CODER_API_KEY), never the key itself.");
  }
  return value;
}

const LIMITS: Record<keyof Limits, { unit: string; whole: boolean }> = {
  turns: { unit: 'model requests', whole: true },
  tokens: { unit: 'tokens', whole: true },
  cost: { unit: 'USD', whole: false },
  seconds: { unit: 'seconds', whole: false },
};

export function checkLimits(value: unknown, refuse: Refuse): Limits {
  if (!isRecord(value)) refuse('limits', `'limits' must be an object with ${Object.keys(LIMITS).join(', ')}.`);
  checkUnknown(value, Object.keys(LIMITS), {}, (field, why) => refuse(`limits.${field}`, `limits: ${why}`));
  const limits: Limits = {};
  for (const [name, { unit, whole }] of Object.entries(LIMITS) as [keyof Limits, { unit: string; whole: boolean }][]) {
    const bound = value[name];
    if (bound === undefined) continue;
    const fits = typeof bound === 'number' && Number.isFinite(bound) && bound > 0 && (!whole || Number.isInteger(bound));
    if (!fits) refuse(`limits.${name}`, `limits.${name} must be a ${whole ? 'whole ' : ''}number of ${unit} above 0.`);
    limits[name] = bound;
  }
  return limits;
}

export function checkCompaction(value: unknown, refuse: Refuse): Compaction {
  if (value === false) return false;
  if (!isRecord(value)) refuse('compaction', "'compaction' must be false, or an object with reserveTokens, keepRecentTokens, model.");
  checkUnknown(value, ['reserveTokens', 'keepRecentTokens', 'model'], {}, (field, why) =>
    refuse(`compaction.${field}`, `compaction: ${why}`),
  );
  const compaction: Exclude<Compaction, false> = {};
  for (const field of ['reserveTokens', 'keepRecentTokens'] as const) {
    const tokens = value[field];
    if (tokens === undefined) continue;
    if (typeof tokens !== 'number' || !Number.isInteger(tokens) || tokens <= 0) {
      refuse(`compaction.${field}`, `compaction.${field} must be a whole number of tokens above 0.`);
    }
    compaction[field] = tokens;
  }
  if (value['model'] !== undefined) compaction.model = checkText(value['model'], 'compaction.model', refuse);
  return compaction;
}

export interface AnswerForm {
  output?: 'text' | 'code' | 'json';
  schema?: JsonSchema;
}

/** A schema alone means `json`; a schema with another form is a contradiction. */
export function checkAnswerForm(output: unknown, schema: unknown, refuse: Refuse): AnswerForm {
  const form = (['text', 'code', 'json'] as const).find((known) => known === output);
  if (output !== undefined && !form) refuse('output', "'output' must be text, code or json.");
  if (schema === undefined) return form ? { output: form } : {};
  if (!isRecord(schema)) refuse('schema', "'schema' must be a JSON Schema object.");
  if (form && form !== 'json') refuse('schema', `'schema' goes with output 'json', not with '${form}'.`);
  return { output: 'json', schema: copyOfData(schema, 'schema', refuse) };
}

/** A copy of plain data, so that a later change by its author does not reach the definition. */
export function copyOfData(value: Record<string, unknown>, field: string, refuse: Refuse): JsonSchema {
  try {
    return structuredClone(value);
  } catch {
    return refuse(field, `'${field}' must be plain data (no functions).`);
  }
}
