// Values that conform to the schemas of a request.

import { isTree, type Tree } from '../../core/tree.js';
import { valueFor } from './schemas/make.js';
import type { SentSchema } from './schemas/strict.js';

type Sent = Pick<SentSchema, 'schema' | 'field'>;

/** A value that conforms to a schema. @param now what times show, in milliseconds */
export function sampleOf({ schema, field }: Sent, now: number): unknown {
  return valueFor(schema, field, {}, now);
}

/** An object that conforms to a schema: the arguments of a call. */
export function sampleObject({ schema, field }: Sent, now: number): Tree {
  const sample = valueFor(schema, field, { type: 'object' }, now);
  return isTree(sample) ? sample : {};
}
