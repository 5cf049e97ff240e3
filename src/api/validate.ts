// Checks what a client sent against a declaration: every problem at once, unknown names with the nearest known one.

import type * as z from 'zod';
import { type FieldProblem, invalid } from '../kernel/errors.js';
import { nearest } from '../kernel/nearest.js';
import { keysAt, pathText, problemsOf } from '../kernel/problems.js';
import { isTree } from '../kernel/tree.js';

export interface InputOptions {
  /** What stands before paths in messages: 'query', 'path' or nothing for the body. */
  place?: string;
  /** Top-level fields whose values are never repeated. */
  secrets?: readonly string[] | undefined;
  /** Unknown names are refused instead of told. */
  strict: boolean;
  warn: (text: string) => void;
}

/**
 * The input in its declared types.
 *
 * @throws ApiError VALIDATION_ERROR with one entry a field
 */
export function checkInput<T extends z.ZodType>(schema: T, input: unknown, options: InputOptions): z.output<T> {
  const place = options.place === undefined ? '' : `${options.place}.`;
  const problems: FieldProblem[] = [];
  for (const unknown of options.place === 'path' ? [] : unknownFields(schema, input, [])) {
    const path = place + pathText(unknown.path);
    if (options.strict) problems.push({ path, message: 'is unknown', suggestion: unknown.suggestion });
    else {
      const hint = unknown.suggestion === undefined ? '' : `, did you mean ${unknown.suggestion}?`;
      options.warn(`unknown ${options.place === 'query' ? 'query parameter' : 'field'} ${path.slice(0, 100)}${hint}`);
    }
  }
  const result = schema.safeParse(input);
  if (!result.success) {
    const isSecret = (path: readonly PropertyKey[]): boolean => options.secrets?.includes(String(path[0])) === true;
    for (const problem of problemsOf(result.error.issues, input, schema, isSecret)) {
      problems.push({ ...problem, path: problem.path === '(whole)' && place === '' ? 'body' : place + problem.path });
    }
  }
  if (problems.length > 0) throw invalid(...problems.slice(0, 100));
  return result.data as z.output<T>;
}

interface UnknownField {
  path: PropertyKey[];
  suggestion: string | undefined;
}

function unknownFields(schema: z.ZodType, value: unknown, path: PropertyKey[]): UnknownField[] {
  if (!isTree(value) || Object.keys(value).length === 0) return [];
  const known = keysAt(schema, path);
  if (known.length === 0) return [];
  return Object.keys(value).flatMap((key) => {
    const inside = [...path, key];
    if (known.includes(key)) return unknownFields(schema, value[key], inside);
    return [{ path: inside, suggestion: nearest(key, known) }];
  });
}

/** Query strings in the types that a schema asks for: "5" becomes 5 where a number is meant. */
export function readQuery(schema: z.ZodType, query: Record<string, unknown>): Record<string, unknown> {
  const shape = (schema.def as unknown as { shape?: Record<string, z.ZodType> }).shape ?? {};
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    const kind = shape[name] === undefined ? undefined : kindOf(shape[name]);
    if (kind === 'number' && typeof value === 'string' && /^-?\d{1,15}(\.\d{1,10})?$/.test(value))
      read[name] = Number(value);
    else if (kind === 'boolean' && (value === 'true' || value === 'false')) read[name] = value === 'true';
    else read[name] = value;
  }
  return read;
}

function kindOf(schema: z.ZodType): string {
  const def = schema.def as unknown as { type: string; innerType?: z.ZodType };
  return def.innerType === undefined ? def.type : kindOf(def.innerType);
}
