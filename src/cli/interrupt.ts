// Commands that a signal ends: one that is interrupted says so, leaves former results as they were, and exits with 130;
// `start` ends in order, within a second, with 0.

import { afterWall } from '../core/clock.js';
import type { Tree } from '../core/tree.js';
import { note, tellError } from './print.js';

/** The exit code of a command that Ctrl-C, SIGTERM or a closed terminal has ended. */
const interruptedCode = 130;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const patienceMs = 1_000;
const forcedExitMs = 900;
const mostListeners = 200;

/**
 * Says what the interruption means for the person, and ends the command.
 *
 * @param beside what was found until then, which belongs into the same document with --json
 */
export function endInterrupted(meaning?: string, beside?: Tree): never {
  tellError(interruptedCode, meaning === undefined ? 'Interrupted.' : `Interrupted: ${meaning}`, {
    code: 'INTERRUPTED',
    beside,
  });
  process.exit(interruptedCode);
}

const endAtOnce = (): void => endInterrupted();

/** Makes a signal end the command at once, unless it has something to do before (`onInterrupt`). */
export function endOnInterrupt(): void {
  for (const signal of signals) process.on(signal, endAtOnce);
}

/** Hears signals in the place of that end, and takes over when and how the command ends. */
export function takeInterrupts(act: (signal: NodeJS.Signals) => void): () => void {
  // There may be one for each of many runs at a time, which is no leak.
  process.setMaxListeners(mostListeners);
  for (const signal of signals) process.off(signal, endAtOnce).on(signal, act);
  return () => {
    for (const signal of signals) process.off(signal, act);
  };
}

/**
 * Says when the command is interrupted, so that it can put things in order and end. After a second signal it has a second
 * left.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  takeInterrupts(() => {
    if (controller.signal.aborted) afterWall(patienceMs, endAtOnce);
    controller.abort();
  });
  return controller.signal;
}

/** Makes Ctrl-C, SIGTERM and a closed terminal an orderly end; a second signal ends at once. */
export function endOnSignal() {
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
  return {
    /** Adds what has to be done before the end; the last added is done first. */
    first: (act: () => void | Promise<void>): void => void acts.push(act),
  };
}
