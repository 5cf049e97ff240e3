// Makes the id and the seed of a world from its label: the same each time a test of that name runs.

import { createHash } from 'node:crypto';
import type { Hosting } from './hosting.js';

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

/** An id that no world has: the given one with a number. */
export function freeId(host: Hosting, prefix: string): string {
  for (let number = host.worlds().count(prefix) || 1; ; number++) {
    const id = `${prefix}w${number}`;
    if (!host.isTaken(id)) return id;
  }
}

// A world of the same test may exist: the test runs twice at a time, or was killed on a shared emulator.
/** An id that follows from a label. */
export function freeIdOf(host: Hosting, prefix: string, label: string): string {
  for (let number = 1; ; number++) {
    const wanted = prefix + numberedIdOf(label, number);
    // The kept world of an earlier failure gives way.
    if (!host.isTaken(wanted) || host.giveWay(wanted)) return wanted;
  }
}
