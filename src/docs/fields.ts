// The fields of a schema as rows of a table: name, type, default, meaning.

import * as z from 'zod';
import { errorTable } from '../core/errors.js';
import { code, prose, table } from './markdown.js';

export interface JsonSchema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  items?: JsonSchema | JsonSchema[];
  prefixItems?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  minimum?: number;
  maximum?: number;
  format?: string;
}

/** The JSON Schema of a request. */
function inputSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema;
}

/** The type of a field in words: "string or null", "`instant`, `fast` or `realistic`", "integer, 1 to 10". */
export function typeText(schema: JsonSchema): string {
  const types = [...new Set(typesOf(schema))];
  if (types.length < 3) return types.join(' or ');
  return `${types.slice(0, -1).join(', ')} or ${types.at(-1)}`;
}

function typesOf(schema: JsonSchema): string[] {
  const { type, anyOf, enum: words, const: only, items, minimum, maximum } = schema;
  if (anyOf !== undefined) return anyOf.flatMap(typesOf);
  if (only !== undefined) return [code(String(only))];
  if (words?.join() === Object.keys(errorTable).join()) return ['an [error code](error-codes.md)'];
  if (words !== undefined) return words.map((word) => code(String(word)));
  return [type ?? 'any'].flat().map((name) => {
    if (name === 'array') return items === undefined || Array.isArray(items) ? 'list' : `list of ${typeText(items)}`;
    return name === 'integer' || name === 'number' ? name + range(minimum, maximum) : name;
  });
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  const isBound = (limit: number | undefined): limit is number =>
    limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  if (isBound(minimum) && isBound(maximum)) return `, ${minimum} to ${maximum}`;
  return isBound(minimum) ? `, at least ${minimum}` : '';
}

/** The fields of objects, those of objects within them as `outer.inner`. */
export function leaves(schema: JsonSchema, before = ''): { path: string; schema: JsonSchema; required: boolean }[] {
  const here = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const path = before + name;
    const required = schema.required?.includes(name) === true;
    return part.properties === undefined ? [{ path, schema: part, required }] : leaves(part, `${path}.`);
  });
  const choices = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((choice) =>
    leaves(choice, before).map((leaf) => ({ ...leaf, required: false })),
  );
  const known = new Set(here.map(({ path }) => path));
  return [...here, ...choices.filter(({ path }) => !known.has(path) && known.add(path))];
}

/** A table of what a request takes in its path, query and body; nothing when it takes nothing. */
export function inputTable(input: Partial<Record<'params' | 'query' | 'body', z.ZodType | undefined>>): string {
  const places = { params: 'path', query: 'query', body: 'body' } as const;
  const rows = (Object.keys(places) as (keyof typeof places)[]).flatMap((key) => {
    const schema = input[key];
    return schema === undefined
      ? []
      : leaves(inputSchema(schema)).map(({ path, schema: field, required }) => [
          code(path),
          places[key],
          typeText(field),
          required || key === 'params' ? 'yes' : '',
          prose(field.description ?? ''),
        ]);
  });
  return rows.length === 0 ? '' : table(['Field', 'In', 'Type', 'Required', 'Meaning'], rows);
}
