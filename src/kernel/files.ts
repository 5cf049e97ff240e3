// Where the package's own data files lie, in the source tree as in the built package.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's root: the nearest folder above this code that holds `fixtures`. */
export const packageRoot: string = findRoot(dirname(fileURLToPath(import.meta.url)));

/** A path inside `fixtures`. */
export function fixturePath(...parts: string[]): string {
  return join(packageRoot, 'fixtures', ...parts);
}

function findRoot(from: string): string {
  for (let folder = from; dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, 'fixtures', 'profiles'))) return folder;
  }
  return from;
}
