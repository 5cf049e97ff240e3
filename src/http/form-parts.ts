// What the parts of a form are: hashed as they come, so that equal forms are known whatever their boundaries.

import { createHash } from 'node:crypto';
import type busboy from 'busboy';

export interface FormParts {
  /** Equal for equal parts in the same order. */
  hash: string;
  /** The text of the part `name`. */
  name: string | undefined;
}

/** Hashes the parts that a parser finds; call the result when it has found all. */
export function hashParts(parser: busboy.Busboy): () => FormParts {
  const digests: (() => string)[] = [];
  let parts: FormParts | undefined;
  let formName: string | undefined;
  const add = (label: readonly string[]) => {
    const hash = createHash('sha256').update(JSON.stringify(label));
    digests.push(() => hash.digest('hex'));
    return hash;
  };
  parser.on('file', (field, content, { filename }) => {
    const hash = add(['file', field, filename ?? '']);
    // A form that was refused goes on to come while its request is written down.
    content.on('data', (piece: Buffer) => parts === undefined && hash.update(piece));
  });
  parser.on('field', (name, value) => {
    add(['text', name, value]);
    if (name === 'name') formName = value.slice(0, 200);
  });
  return () => {
    parts ??= { hash: hashOf(digests.map((digest) => digest()).join(' ')), name: formName };
    return parts;
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
