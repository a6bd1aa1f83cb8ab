import { SETTINGS, type SettingDefinition } from './table.js';
import { JSON_FIELDS, type Shape } from './user-settings.js';

type Schema = Record<string, unknown>;

function schemaOf(shape: Shape): Schema {
  switch (shape.is) {
    case 'any':
      return {};
    case 'text':
      return { type: 'string' };
    case 'number':
      return { type: 'number', minimum: 0 };
    case 'list':
      return { type: 'array', items: schemaOf(shape.of) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(shape.of) };
    case 'false or':
      return { anyOf: [{ const: false }, schemaOf(shape.other)] };
    case 'fields': {
      const properties = Object.fromEntries(Object.entries(shape.fields).map(([name, field]) => [name, schemaOf(field)]));
      return { type: 'object', properties, additionalProperties: false, ...(shape.required && { required: shape.required }) };
    }
  }
}

function settingSchema({ kind, least, choices, description, name }: SettingDefinition): Schema {
  const type = { integer: 'integer', number: 'number', boolean: 'boolean' }[kind as string] ?? 'string';
  return {
    type,
    ...(least !== undefined && { minimum: least }),
    ...(choices && { enum: choices }),
    description: `${description} (${name})`,
  };
}

/** The JSON Schema of settings.json, for editors. */
export function settingsSchema(): Schema {
  const properties: Record<string, Schema> = { $schema: { type: 'string' } };
  for (const [name, { shape, description }] of Object.entries(JSON_FIELDS)) properties[name] = { ...schemaOf(shape), description };
  for (const definition of SETTINGS as readonly SettingDefinition[]) {
    if (definition.json === undefined) continue;
    const [field = '', inner] = definition.json.split('.');
    if (inner === undefined) properties[field] = settingSchema(definition);
    else {
      const parent = properties[field] ?? { type: 'object', properties: {}, additionalProperties: false };
      properties[field] = { ...parent, properties: { ...(parent['properties'] as object), [inner]: settingSchema(definition) } };
    }
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'settings.json of frost',
    type: 'object',
    properties,
    additionalProperties: false,
  };
}
