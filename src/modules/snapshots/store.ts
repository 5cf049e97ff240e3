// Images of worlds without the values of environment variables, which are kept as they came.

import { connect } from '../../db/connection.js';

// As where a container is shown.
const mask = '********';

/** The image without values of environment variables, also in the parts of the file that hold nothing any more. */
export function withoutSecrets(image: Buffer): Buffer {
  const copy = connect(image);
  try {
    copy.function('cleared', (text) => (typeof text === 'string' ? cleared(text) : text));
    copy.exec(`
      UPDATE deployments SET spec = cleared(spec);
      UPDATE meta SET value = cleared(value) WHERE value LIKE '%environment_vars%';
      VACUUM;
    `);
    return copy.serialize();
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
