// Takes out of an input that is wrong somewhere whatever is right, so that its meaning can be checked all the same.

import type * as z from 'zod';
import { objectsIn } from './schema-parts.js';
import { isTree } from './tree.js';

/** An input of which anything may be missing: what was wrong or unknown is `undefined` in its place. */
export type RightParts<T> = T extends readonly (infer Entry)[]
  ? (RightParts<Entry> | undefined)[]
  : T extends object
    ? { [Name in keyof T]?: RightParts<T[Name]> | undefined }
    : T;

/** The parts of an input that have the form that a schema asks for. */
export function rightParts<T extends z.ZodType>(schema: T, input: unknown): RightParts<z.output<T>> | undefined {
  return partsOf([schema], input) as RightParts<z.output<T>> | undefined;
}

function partsOf(schemas: readonly z.ZodType[], input: unknown): unknown {
  for (const schema of schemas) {
    const result = schema.safeParse(input);
    if (result.success) return result.data;
  }
  const inside = schemas.flatMap(objectsIn);
  if (Array.isArray(input)) {
    const entries = inside.flatMap(({ element }) => element ?? []);
    return entries.length === 0 ? undefined : input.map((entry) => partsOf(entries, entry));
  }
  if (!isTree(input) || inside.every(({ shape, valueType }) => shape === undefined && valueType === undefined))
    return undefined;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const named = inside.flatMap(({ shape, valueType }) =>
        shape !== undefined && Object.hasOwn(shape, name) ? (shape[name] ?? []) : (valueType ?? []),
      );
      return [name, partsOf(named, value)];
    }),
  );
}
