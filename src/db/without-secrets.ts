// Images of worlds without the values of environment variables, which are kept as they came.

import { mask } from '../core/secrets.js';
import { connect } from './connection.js';
import { compacted, type WorldImage } from './image.js';

/** The image without values of environment variables, also in the parts of the file that hold nothing any more. */
export function withoutSecrets({ bytes }: WorldImage): WorldImage {
  const copy = connect(bytes);
  try {
    copy.function('cleared', (text) => (typeof text === 'string' ? cleared(text) : text));
    copy.function('masked', (text) => JSON.stringify(masked(JSON.parse(String(text)))));
    for (const table of ['deployments', 'hosted_agents'])
      copy.exec(`UPDATE ${table} SET environment_vars = masked(environment_vars)`);
    copy.exec("UPDATE meta SET value = cleared(value) WHERE value LIKE '%environment_vars%'");
    return { bytes: compacted(copy), isChecked: true };
  } finally {
    copy.close();
  }
}

function cleared(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
    name === 'environment_vars' && value !== null && typeof value === 'object' ? masked(value) : value,
  );
}

function masked(variables: object): Record<string, string> {
  return Object.fromEntries(Object.keys(variables).map((name) => [name, mask]));
}
