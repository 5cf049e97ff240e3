// The command line: `start` the short way, every other verb (and every mistake) through yargs.

import { guardOutput } from './print.js';
import { quickStart } from './quick-start.js';

/** Runs a command line; sets the process's exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  guardOutput();
  const options = quickStart(argv);
  if (options !== undefined) {
    const { start } = await import('./commands/start.js');
    return start(options);
  }
  const { runCommands } = await import('./commands.js');
  await runCommands(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv);
}
