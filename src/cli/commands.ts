// All commands but a `start`: help, the version, and running the command that a line calls.

import { packageVersion } from '../core/files.js';
import { Declined } from './client.js';
import { commands } from './command-table.js';
import { helpOf } from './help.js';
import { declinedLines, nameIn, typedIn } from './named.js';
import { fail, printLine, printLines } from './print.js';
import { asksForHelp, readLine, spelledOut } from './read-line.js';

/** Reads and runs a command line. */
export async function runCommands(given: readonly string[]): Promise<void> {
  const argv = spelledOut(given, commands);
  const line = readLine(argv, commands);
  if (line === undefined)
    return argv[0] === '--version' && !asksForHelp(argv)
      ? printLine(packageVersion())
      : printLines(helpOf(argv, commands));
  const { command, values } = line;
  try {
    await command.run(values);
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    // The emulator names fields of a request. A person reads the names of the options and arguments that he typed instead.
    const typed = typedIn(command, values);
    fail(
      error.exitCode,
      declinedLines(error, (path) => nameIn(typed, path)),
    );
  }
}
