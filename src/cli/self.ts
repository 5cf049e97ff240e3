// How this program is run once more: by Node with the file of the command, or as the executable that it is.

import { createRequire } from 'node:module';

/** The words that begin a command line of this program. */
export function selfCommand(): [string, ...string[]] {
  const [, file = ''] = process.argv;
  return [process.execPath, ...process.execArgv, ...(isExecutable() ? [] : [file])];
}

// node:sea came with Node 20.12.
function isExecutable(): boolean {
  try {
    const { isSea } = createRequire(import.meta.url)('node:sea') as { isSea: () => boolean };
    return isSea();
  } catch {
    return false;
  }
}
