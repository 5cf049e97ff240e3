// Rows of one instant have one order: what a list is sorted by ends with something that no two of its rows share.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

// Columns that are keys of their tables, or of what their lists select; `key` is the place in a list of JSON, `turn` the number of an occurrence.
const unique = ['seq', 'id', 'number', 'name', 'address', 'subject', 'last_seq', 'container_seq', 'key', 'turn'];
const ofRegistry = ['repository', 'digest', 'tag'];

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name}`);

it('every ORDER BY ends with a key', () => {
  const open: string[] = [];
  let found = 0;
  for (const path of sources) {
    for (const [, terms = ''] of readFileSync(path, 'utf8').matchAll(
      /\bORDER BY\s+([^;`]*?)(?=\s+LIMIT\b|[`;]|['"][,)\n;])/g,
    )) {
      found++;
      const last = terms
        .split(',')
        .at(-1)
        ?.trim()
        .replace(/\s+(ASC|DESC|\$\{direction\})$/, '')
        .replace(/^\w+\./, '');
      // These are the keys of a table.
      if (terms.startsWith('${keys')) continue;
      if (![...unique, ...ofRegistry, 'rowid'].includes(last ?? '')) open.push(`${path}: ORDER BY ${terms}`);
    }
  }
  expect(found).toBeGreaterThan(30);
  expect(open).toEqual([]);
});
