// Reading a command line as the command does, without running it.

import { commands } from '../../src/cli/command-table.js';
import { readLine, spelledOut } from '../../src/cli/read-line.js';
import { UsageError } from '../../src/cli/usage-errors.js';

/** The usage error in a command line, if there is one. */
export function mistakeIn(argv: readonly string[]): string | undefined {
  try {
    readLine(spelledOut(argv, commands), commands);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}
