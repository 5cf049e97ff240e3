// The JSON Schema of the settings file, for editors, made from the settings' own schema.

import * as z from 'zod';
import { configSchema } from './schema.js';

type JsonSchema = Record<string, unknown>;

/** Draft 7, which editors understand. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(configSchema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema),
  });
  return { ...schema, title: 'Settings of cloudemu' };
}

function tidy(schema: JsonSchema): void {
  // The bounds of every whole number, and patterns that only repeat a format, tell nothing.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
  if (typeof schema.propertyNames === 'object' && Object.keys(schema.propertyNames ?? {}).join() === 'type')
    delete schema.propertyNames;
}
