// Images of worlds without the values of environment variables, which are kept as they came.

import type Database from 'better-sqlite3';
import { mask } from '../core/secrets.js';
import type { Sliced } from '../core/slices.js';
import { compacted } from './compacted.js';
import { connect } from './connection.js';
import type { WorldImage } from './world-image.js';

const rowsPerSlice = 500;

/** The number by which the rows of a table with variables are gone through. */
const numbers: Record<string, string> = { deployments: 'container_seq', hosted_agents: 'seq' };

/** The image without values of environment variables, also in the parts of the file that hold nothing any more. */
export function* withoutSecrets({ bytes }: WorldImage): Sliced<WorldImage> {
  const copy = connect(bytes);
  try {
    copy.function('cleared', (text) => (typeof text === 'string' ? cleared(text) : text));
    copy.function('masked', (text) => JSON.stringify(masked(JSON.parse(String(text)))));
    for (const table of ['deployments', 'hosted_agents']) yield* maskTable(copy, table);
    copy.exec("UPDATE meta SET value = cleared(value) WHERE value LIKE '%environment_vars%'");
    return { bytes: yield* compacted(copy), isChecked: true };
  } finally {
    copy.close();
  }
}

function* maskTable(copy: Database.Database, table: string): Sliced<void> {
  const number = numbers[table] ?? 'seq';
  const someAfter = `SELECT ${number} AS seq FROM ${table} WHERE ${number} > @after ORDER BY seq LIMIT ${rowsPerSlice}`;
  const lastOfSome = copy.prepare(`SELECT max(seq) FROM (${someAfter})`).pluck();
  const clear = copy.prepare(
    `UPDATE ${table} SET environment_vars = masked(environment_vars) WHERE ${number} > @after AND ${number} <= @last`,
  );
  for (let after = -1, last = -1; ; after = last) {
    const found = lastOfSome.get({ after }) as number | null;
    if (found === null) break;
    last = found;
    clear.run({ after, last });
    yield;
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
