// The fields of an operation's responses, as a table.

import * as z from 'zod';
import type { Endpoint } from '../http/endpoint.js';
import { type JsonSchema, typeText } from './fields.js';
import { code, prose, table } from './markdown.js';

/** Tables of the fields of successful responses, one for statuses of one shape; nothing where no body is JSON. */
export function responseTable(responses: Endpoint['responses']): string {
  const byRows = new Map<string, string[]>();
  for (const [status, { schema }] of Object.entries(responses)) {
    const rows = (schema === undefined ? [] : outputFields(schema)).map(({ path, schema: field, isOptional }) => [
      code(path),
      typeText(field) + (isOptional ? ', may be missing' : ''),
      prose(field.description ?? ''),
    ]);
    if (rows.length === 0) continue;
    const text = table(['Response field', 'Type', 'Meaning'], rows);
    byRows.set(text, [...(byRows.get(text) ?? []), status]);
  }
  return [...byRows].map(([text, statuses]) => `Response ${statuses.join(', ')}:\n\n${text}`).join('\n\n');
}

/** A table of the events of its stream, with the fields of their data; nothing where it has none. */
export function eventTable(responses: Endpoint['responses']): string {
  const rows = Object.values(responses)
    .flatMap(({ events = [] }) => events)
    .map(({ event, description, data }) => [
      event === undefined ? '' : code(event),
      prose(description),
      data === undefined
        ? ''
        : outputFields(data)
            .map(
              ({ path, schema, isOptional }) =>
                `${code(path)} (${typeText(schema)}${isOptional ? ', may be missing' : ''})`,
            )
            .join(', '),
    ]);
  return rows.length === 0 ? '' : `Events of the stream:\n\n${table(['Event', 'Meaning', 'Fields of its data'], rows)}`;
}

interface Field {
  path: string;
  schema: JsonSchema;
  isOptional: boolean;
}

function outputFields(schema: z.ZodType): Field[] {
  const whole = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', reused: 'inline' });
  return fieldsOf(inlined(whole, (whole.$defs ?? {}) as Record<string, object>) as JsonSchema, '');
}

// Shapes that have a name are referred to by it; one that contains itself is shown once.
function inlined(part: unknown, named: Record<string, object>, within: readonly string[] = []): unknown {
  if (Array.isArray(part)) return part.map((one) => inlined(one, named, within));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...own } = part as { $ref?: string };
  const name = $ref?.split('/').at(-1) ?? '';
  const whole = $ref === undefined || within.includes(name) ? own : { ...named[name], ...own };
  const path = $ref === undefined ? within : [...within, name];
  return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, inlined(value, named, path)]));
}

// Objects by their fields, as `outer.inner`; lists of objects by those of one, as `list[].inner`.
function fieldsOf(schema: JsonSchema, before: string): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, part]): Field[] => {
    const path = before + name;
    const field = { path, schema: part, isOptional: schema.required?.includes(name) !== true };
    const item = part.items !== undefined && !Array.isArray(part.items) ? fieldsOf(part.items, `${path}[].`) : [];
    const inner = part.properties !== undefined ? fieldsOf(part, `${path}.`) : choicesOf(part, `${path}.`);
    return [field, ...inner, ...item];
  });
  const known = new Set(own.map(({ path }) => path));
  return [...own, ...choicesOf(schema, before).filter(({ path }) => !known.has(path) && known.add(path))];
}

function choicesOf({ anyOf = [], allOf = [] }: JsonSchema, before: string): Field[] {
  const known = new Set<string>();
  return [...anyOf.map((one) => [one, true] as const), ...allOf.map((one) => [one, false] as const)].flatMap(
    ([choice, isOne]) =>
      fieldsOf(choice, before)
        .filter(({ path }) => !known.has(path) && known.add(path))
        .map((field) => ({ ...field, isOptional: field.isOptional || (isOne && anyOf.length > 1) })),
  );
}
