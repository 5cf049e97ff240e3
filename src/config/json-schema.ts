// The JSON Schema of the settings file, for editors, made from the settings' own schema.

import * as z from 'zod';
import { configSchema } from './schema.js';

type JsonSchema = Record<string, unknown>;

/** Draft 7, which editors understand. */
export function configJsonSchema(): object {
  return { ...editorSchema(configSchema), title: 'Settings of cloudemu' };
}

/** The JSON Schema of a document that people write, for their editors. */
export function editorSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema as JsonSchema),
  }) as Record<string, unknown>;
}

function tidy(schema: JsonSchema): void {
  // The bounds of every whole number, and patterns that only repeat a format, tell nothing.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
  if (typeof schema.propertyNames === 'object' && Object.keys(schema.propertyNames ?? {}).join() === 'type')
    delete schema.propertyNames;
}
