// What runs the tested command: a process for each run, or one that stays.

import { type ChildOptions, runChild } from '../child.js';
import type { DirectCommand } from './direct.js';

export interface Runner {
  /** Where the emulator of its runs listens; undefined: anywhere. */
  port: number | undefined;
  /**
   * Runs the command as `runChild` does; one that stays keeps the environment of its first run.
   *
   * @param tests the labels of the tests that are wanted, if it can leave out others
   */
  run(options: ChildOptions, tests?: readonly string[]): Promise<number>;
}

/** A runner that starts the command anew each time. */
export function coldRunner({ command }: DirectCommand): Runner {
  return { port: undefined, run: (options) => runChild(command, options) };
}
