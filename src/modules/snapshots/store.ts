// Images of worlds without the values of environment variables, which are kept as they came.

import type { Sliced } from '../../core/slices.js';
import { connect } from '../../db/connection.js';
import { compacted } from '../../db/snapshot.js';

// As where a container is shown.
const mask = '********';

const containersPerSlice = 500;

/** The image without values of environment variables, also in the parts of the file that hold nothing any more. */
export function* withoutSecrets(image: Buffer): Sliced<Buffer> {
  const copy = connect(image);
  try {
    copy.function('cleared', (text) => (typeof text === 'string' ? cleared(text) : text));
    const last = copy.prepare('SELECT max(container_seq) FROM deployments').pluck().get() as number | null;
    const clear = copy.prepare(
      `UPDATE deployments SET spec = cleared(spec)
        WHERE container_seq > @after AND container_seq <= @after + ${containersPerSlice}`,
    );
    for (let after = 0; after < (last ?? 0); after += containersPerSlice) {
      clear.run({ after });
      yield;
    }
    copy.exec("UPDATE meta SET value = cleared(value) WHERE value LIKE '%environment_vars%'");
    return yield* compacted(copy);
  } finally {
    copy.close();
  }
}

function cleared(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
    name === 'environment_vars' && value !== null && typeof value === 'object'
      ? Object.fromEntries(Object.keys(value).map((variable) => [variable, mask]))
      : value,
  );
}
