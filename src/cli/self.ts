// How this program is run once more: by Node with the file of the command, or as the executable that it is.

import { embedded } from '../core/embedded.js';

/** The words that begin a command line of this program. */
export function selfCommand(): [string, ...string[]] {
  const [, file = ''] = process.argv;
  // The executable has its own arguments for Node inside.
  return embedded === undefined ? [process.execPath, ...process.execArgv, file] : [process.execPath];
}
