// The JSON Schema of a scenario's file, for editors.

import { editorSchema } from '../../config/json-schema.js';
import { worldSettings } from './check.js';
import { scenarioSchema } from './schema.js';

/** Draft 7, with what `settings` may contain. */
export function scenarioJsonSchema(): object {
  const { properties, ...schema } = editorSchema(scenarioSchema) as { properties: Record<string, object> };
  const { $schema: _, ...settings } = editorSchema(worldSettings);
  // Their defaults are the emulator's, which a scenario only changes in part.
  const parts = {
    ...withoutDefaults(settings),
    description: 'Settings of this world, which override those of the emulator',
  };
  return { ...schema, properties: { ...properties, settings: parts }, title: 'Scenario of cloudemu' };
}

function withoutDefaults(schema: unknown): object {
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]) => (key === 'default' ? [] : [[key, clean(inner)]])),
    );
  };
  return clean(schema) as object;
}
