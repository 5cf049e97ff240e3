// What follows from the label of a world: the same id and seed each time a test of that name runs.

import { createHash } from 'node:crypto';

const digest = (label: string): string => createHash('sha256').update(label).digest('hex');

/**
 * The id of the world of a test, which shows the test's own name.
 *
 * @example idOfLabel('deploy.spec.ts > shop > is deployed') // 'is-deployed-0c2f…'
 */
export function idOfLabel(label: string): string {
  const name = label.split(/ > |::/).at(-1) ?? label;
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 40)
    .replace(/-$/, '');
  const hash = digest(label).slice(0, 8);
  return slug === '' ? hash : `${slug}-${hash}`;
}

/** The seed of a world that is given none. */
export const seedOfLabel = (label: string): string => digest(label).slice(0, 16);

/** The n-th id of a label, for worlds that are there at the same time. */
export const numberedIdOf = (label: string, number: number): string =>
  number === 1 ? idOfLabel(label) : `${idOfLabel(label)}-${number}`;
