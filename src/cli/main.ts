// The command line: `start` the short way, every other command (and every usage error) through yargs.

import { ConfigError } from '../config/error.js';
import { StoreError } from '../db/connection.js';
import { settingsFacts } from './error-document.js';
import { endOnInterrupt } from './interrupt.js';
import { fail, guardOutput } from './print.js';
import { quickStart } from './quick-start.js';
import { Declined, Unreachable } from './refusal.js';

/** Runs a command line; sets the process's exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  guardOutput();
  const options = quickStart(argv);
  if (options !== undefined) {
    const { start } = await import('./commands/start.js');
    return start(options);
  }
  endOnInterrupt();
  if (argv[0] === '--complete') {
    const [{ complete }, { commands }] = await Promise.all([
      import('./commands/completion.js'),
      import('./command-table.js'),
    ]);
    return complete(argv.slice(1), commands);
  }
  const { runCommands } = await import('./commands.js');
  await runCommands(argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv);
}

/** Ends the command with what an error means to a person. */
export function tellFailure(error: unknown): never {
  if (error instanceof Unreachable) fail(1, error.message, error.facts);
  if (error instanceof Declined) fail(error.exitCode, error.message.split('\n'), { code: error.code });
  if (error instanceof ConfigError) fail(2, error.problems, settingsFacts(error.problems));
  if (error instanceof StoreError) fail(2, error.message.split('\n'), { code: 'DATA_UNUSABLE' });
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  fail(1, `Fault of cloudemu itself: ${said}`.split('\n'), { code: 'INTERNAL_ERROR' });
}
