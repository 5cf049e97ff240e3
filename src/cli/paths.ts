// Paths as a person in the working directory would write them.

import { relative } from 'node:path';

/** A path below the working directory from there on, any other one in full. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short !== '' && !short.startsWith('..') ? `./${short}` : path;
}
