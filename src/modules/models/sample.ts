// A value that conforms to a JSON Schema: the same for equal schemas, and plain to read.

import { invalid } from '../../core/errors.js';
import { isTree, type Tree } from '../../core/tree.js';
import { makerOf } from './schemas/make.js';
import { mostCharacters, tooLong } from './schemas/maker.js';
import { pathOf, readSchemas, type Schemas } from './schemas/nodes.js';
import type { SentSchema } from './schemas/strict.js';

type Sent = Pick<SentSchema, 'schema' | 'field'>;

/**
 * A value that conforms to a schema; parts that may be left out are left out below the top.
 *
 * @param now what times show, in milliseconds
 * @throws ApiError VALIDATION_ERROR that names the part that is no schema, that no value meets, or that asks for too much
 */
export function sampleOf(sent: Sent, now: number): unknown {
  return sampleWith(sent, {}, now);
}

/** An object that conforms to a schema: the arguments of a call. */
export function sampleObject(sent: Sent, now: number): Tree {
  const sample = sampleWith(sent, { type: 'object' }, now);
  return isTree(sample) ? sample : {};
}

function sampleWith({ schema, field }: Sent, more: Tree, now: number): unknown {
  const schemas = readSchemas(schema, field);
  const { root, derived } = schemas;
  const maker = makerOf(schemas, now);
  const [value] = maker.values({ demands: [root, derived(root, more)], name: 'value', depth: 0, above: undefined });
  if (value === undefined) {
    const { path, message } = maker.failure ?? { path: root.path, message: 'allows no value' };
    throw invalid({ path: pathOf(path), message });
  }
  checkLength(value, schemas);
  return value;
}

// Bounds the whole length of a value: a text that is in a schema once may be in its value any number of times.
function checkLength(value: unknown, { root, spend }: Schemas): void {
  let length = 0;
  const add = (part: unknown): void => {
    spend(1);
    if (typeof part === 'string') length += part.length + 2;
    else if (Array.isArray(part)) {
      length += 2 + part.length;
      part.forEach(add);
    } else if (isTree(part)) {
      for (const [name, below] of Object.entries(part)) {
        length += name.length + 4;
        add(below);
      }
    } else length += String(part).length;
    if (length > mostCharacters) throw tooLong(root.path);
  };
  add(value);
}
