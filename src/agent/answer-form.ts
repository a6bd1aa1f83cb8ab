/** Answers of a demanded form: JSON that meets a schema, or code. Checked always, whatever the endpoint promised. */
import type { Failure } from '../errors.js';
import { FrostError } from '../errors.js';
import type { JsonSchema } from '../llm/port.js';
import { codeBlocks, firstCode } from '../text/code-blocks.js';
import type { AnswerForm } from './setup.js';

export type Formed = { text: string; structured?: unknown } | { problem: string };

/** The JSON in an answer: the whole text, or its first fenced block. */
function jsonIn(text: string): unknown {
  const candidates = [text, ...codeBlocks(text).map(({ code }) => code)];
  for (const candidate of candidates) {
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}

/** Compiles a JSON Schema (draft-07 or 2020-12). Throws FrostError `usage` where it is none. */
export async function schemaValidator(schema: JsonSchema): Promise<(value: unknown) => string | undefined> {
  const is2020 = String(schema['$schema'] ?? '').includes('2020-12');
  const { default: addFormats } = await import('ajv-formats');
  const { default: Ajv } = await (is2020 ? import('ajv/dist/2020.js') : import('ajv'));
  const ajv = new Ajv({ allErrors: true, strict: false, logger: false });
  addFormats(ajv);
  try {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors?.slice(0, 5), { dataVar: 'answer', separator: '; ' }));
  } catch (error) {
    throw new FrostError('usage', `The JSON Schema cannot be used: ${(error as Error).message}`, {}, { cause: error });
  }
}

/** Whether an answer has the form, and its value. */
export async function formed(form: AnswerForm | undefined, text: string): Promise<Formed> {
  if (form?.output === 'json') {
    const value = jsonIn(text);
    if (value === undefined) return { problem: 'the answer is not JSON' };
    const problem = form.schema && (await schemaValidator(form.schema))(value);
    return problem ? { problem } : { text: JSON.stringify(value), structured: value };
  }
  if (form?.output === 'code') {
    const code = firstCode(text);
    return code === undefined ? { problem: 'the answer has no code block' } : { text: code };
  }
  return { text };
}

/** What the model is told where its answer has not the form; it gets one more try. */
export function repairPrompt(form: AnswerForm, problem: string): string {
  if (form.output === 'code') return 'Your answer has no code block. Answer again with one fenced code block.';
  const schema = form.schema ? ` It must meet this JSON Schema: ${JSON.stringify(form.schema)}` : '';
  return `Your answer does not fit: ${problem}. Reply with the corrected JSON only, no other text.${schema}`;
}

/** What the system prompt is told of the form. */
export function formInstruction(form: AnswerForm | undefined): string {
  if (form?.output === 'code') return '\n\nAnswer with one fenced code block.';
  if (form?.output !== 'json') return '';
  return `\n\nAnswer with JSON only, no other text.${form.schema ? ` It must meet this JSON Schema: ${JSON.stringify(form.schema)}` : ''}`;
}

export function formFailure(who: string, problem: string): Failure {
  return { kind: 'form', message: `${who}: the answer has not the form asked for, after one more try: ${problem}.` };
}
