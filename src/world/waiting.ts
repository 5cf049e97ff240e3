// Waits in a world until a condition holds: woken by events and by time, never by polling.

import { afterWall, nextTurn } from '../core/clock.js';
import { formatDuration } from '../core/duration.js';
import { ApiError } from '../core/errors.js';
import { lastInstant } from '../core/instant.js';
import { closing, replaced } from './topics.js';
import type { World } from './world.js';

/** How a subject is found when it is looked at. */
export type Look =
  | { holds: object }
  /** The condition will not hold any more; the sentence says why. */
  | { never: string; state: object }
  /** Not yet: a sentence, what was seen, and when time changes something next. */
  | { yet: string; state: object; nextAt: number | null };

/** Something that can be waited for. */
export interface Subject {
  /** Topics of the world's bus that announce a possible change of the subject. */
  topics: readonly string[];
  look(): Look;
}

export interface Waiting {
  /** In milliseconds of wall time. */
  timeout: number;
  /** Advance the clock from one scheduled change to the next while waiting. */
  advance: boolean;
  signal: AbortSignal | undefined;
}

/**
 * Resolves with the state of a subject once its condition holds.
 *
 * @throws ApiError CONFLICT at once when it will never hold, REQUEST_TIMEOUT, SERVICE_UNAVAILABLE when the world ends;
 * the signal's reason when it is aborted
 */
export function waitFor(world: World, subject: Subject, { timeout, advance, signal }: Waiting): Promise<object> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let over = false;
    let jumping = false;
    let last: Look | undefined;
    let cancelSleep: (() => void) | undefined;
    const undo: (() => void)[] = [];

    function end(how: () => void): void {
      if (over) return;
      over = true;
      cancelSleep?.();
      for (const act of undo.splice(0)) act();
      how();
    }
    function check(): void {
      if (over) return;
      cancelSleep?.();
      cancelSleep = undefined;
      try {
        last = subject.look();
      } catch (error) {
        return void end(() => reject(error));
      }
      const look = last;
      if ('holds' in look) return void end(() => resolve(look.holds));
      if ('never' in look)
        return void end(() => reject(new ApiError('CONFLICT', { message: look.never, details: look.state })));
      const { nextAt } = look;
      if (nextAt === null || nextAt > lastInstant) return;
      cancelSleep = world.clock.sleepUntil(nextAt, check);
      if (advance) jump(nextAt);
    }
    // One jump at a time: the waiter is woken while the jump is still under way. Others get their turn before the next one,
    // as there may be one for each day of centuries, and what ends the wait is among them.
    function jump(to: number): void {
      if (jumping) return;
      jumping = true;
      world.clock
        .advanceTo(to)
        .then(nextTurn)
        .finally(() => {
          jumping = false;
        })
        .then(check, (error) => end(() => reject(error)));
    }

    const onAbort = (): void => end(() => reject(signal?.reason));
    signal?.addEventListener('abort', onAbort);
    undo.push(() => signal?.removeEventListener('abort', onAbort));
    undo.push(world.bus.on(closing, () => end(() => reject(ending()))));
    for (const topic of [...subject.topics, replaced]) undo.push(world.bus.on(topic, check));
    undo.push(afterWall(timeout, () => end(() => reject(timedOut(world, last, timeout, advance)))));
    check();
  });
}

function ending(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', { message: 'The world ends, and with it what was waited for' });
}

function timedOut(world: World, last: Look | undefined, timeout: number, advance: boolean): ApiError {
  const look = last !== undefined && 'yet' in last ? last : { yet: 'it does not hold', state: undefined, nextAt: null };
  const { speed } = world.clock.state();
  const hint =
    speed === 0 && look.nextAt !== null && !advance ? '. The clock is frozen: pass `advance`, or advance it' : '';
  return new ApiError('REQUEST_TIMEOUT', {
    message: `After ${formatDuration(timeout)}, ${look.yet}${hint}`,
    details: look.state,
  });
}
