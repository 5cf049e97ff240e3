// Ending on a signal: within a second, whatever is open, with exit code 0.

import { afterWall } from '../core/clock.js';
import { takeInterrupts } from './interrupt.js';
import { note } from './print.js';

const forcedExitMs = 900;

export interface Ending {
  /** Adds what has to be done before the end; the last added is done first. */
  first(act: () => void | Promise<void>): void;
}

/** Makes Ctrl-C, SIGTERM and a closed terminal an orderly end; a second signal ends at once. */
export function endOnSignal(): Ending {
  const acts: (() => void | Promise<void>)[] = [];
  let ending = false;

  async function end(): Promise<void> {
    if (ending) process.exit(0);
    ending = true;
    afterWall(forcedExitMs, () => process.exit(0));
    for (const act of acts.reverse()) {
      try {
        await act();
      } catch (error) {
        note(`warning: ${String(error)}`);
      }
    }
    process.exit(0);
  }
  takeInterrupts(() => void end());
  return { first: (act) => void acts.push(act) };
}
