// The parts of schemas: the objects, lists and texts that they may accept, and the names that they know.

import type * as z from 'zod';
import { nearest } from './nearest.js';

type Path = readonly PropertyKey[];

/** The parts of a schema. */
export interface SchemaParts {
  innerType?: z.ZodType;
  in?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  options?: z.ZodType[];
  /** The schema of a record's values, or of a list's entries. */
  valueType?: z.ZodType;
  /** The schema of a record's names. */
  keyType?: z.ZodType;
  element?: z.ZodType;
  /** The checks of the value as a whole. */
  checks?: { _zod: { def: { check: string; maximum?: number } } }[];
}

const keysOf = new WeakMap<z.ZodType, string[]>();

/** The property names that a schema knows at a path. */
export function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  if (path.length > 0) return findKeys(schema, path);
  const keys = keysOf.get(schema) ?? findKeys(schema, path);
  keysOf.set(schema, keys);
  return keys;
}

function findKeys(schema: z.ZodType, path: Path): string[] {
  const found = [schema].flatMap(objectsIn);
  let level = found;
  for (const step of path) {
    level = level.flatMap((object) => {
      const known = object.shape !== undefined && Object.hasOwn(object.shape, step);
      const next = known ? object.shape?.[String(step)] : (object.valueType ?? object.element);
      return next === undefined ? [] : objectsIn(next);
    });
  }
  const [only] = level;
  if (level.length === 1) return Object.keys(only?.shape ?? {});
  return level.flatMap((object) => Object.keys(object.shape ?? {}));
}

/** The field that an unknown one stands for: of nearly its name, inside another, or with the beginning of its name. */
export function fieldMeant(schema: z.ZodType, path: Path, name: string, known: readonly string[]): string | undefined {
  const outer = known.find((field) => keysAt(schema, [...path, field]).includes(name));
  return nearest(name, known) ?? (outer && `${outer}.${name}`) ?? known.find((field) => name.startsWith(`${field}_`));
}

/** The objects, records and lists that a schema may accept. */
export function objectsIn(schema: z.ZodType): SchemaParts[] {
  const def = schema.def as unknown as SchemaParts;
  if (def.shape !== undefined || def.valueType !== undefined || def.element !== undefined) return [def];
  return alternativesOf(schema).flatMap(objectsIn);
}

/** The texts that a schema may accept. */
export function textsIn(schema: z.ZodType): z.ZodString[] {
  return schema.def.type === 'string' ? [schema as z.ZodString] : alternativesOf(schema).flatMap(textsIn);
}

// The schemas that a schema of none or several kinds consists of.
function alternativesOf(schema: z.ZodType): z.ZodType[] {
  const def = schema.def as unknown as SchemaParts;
  if (def.options !== undefined) return def.options;
  // A lazy schema keeps what it has made: calling its getter would build the schema anew (7 of the 75 µs of a GET).
  const inner = def.innerType ?? def.in ?? (schema as Partial<z.ZodLazy<z.ZodType>>)._zod?.innerType;
  return inner === undefined ? [] : [inner];
}
