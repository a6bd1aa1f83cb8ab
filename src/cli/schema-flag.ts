/** `--schema`: a JSON Schema, inline or in a file. */
import fs from 'node:fs';
import { schemaValidator } from '../agent/answer-form.js';
import { FrostError } from '../errors.js';
import type { JsonSchema } from '../llm/port.js';

/** Throws FrostError: `input_missing` without the file, `usage` where it is no JSON Schema. */
export async function readSchema(given: string): Promise<JsonSchema> {
  const isInline = given.trimStart().startsWith('{');
  const from = isInline ? '--schema' : given;
  let text = given;
  if (!isInline) {
    if (!fs.existsSync(given)) throw new FrostError('input_missing', `There is no schema file ${given}.`, { file: given });
    text = fs.readFileSync(given, 'utf8');
  }
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new FrostError('usage', `${from} is not JSON: ${(error as Error).message}`);
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new FrostError('usage', `${from} is not a JSON Schema: it must be an object.`);
  await schemaValidator(schema as JsonSchema);
  return schema as JsonSchema;
}
