// Pacing: sends pieces at their instants, in virtual or wall time, until all are sent or the client leaves.

import { afterWall, wallNow } from '../../core/clock.js';
import { closing, replaced } from '../../world/topics.js';
import type { World } from '../../world/world.js';

/** When pieces are sent. */
export interface Pace {
  clock: 'virtual' | 'wall';
  /** The virtual instant of the request, from which virtual time counts: it may move before the sending begins. */
  begunAt?: number;
  /** Milliseconds before the first one. */
  first: number;
  /** Milliseconds before each of the others. */
  each: number;
  /** The number of pieces after which nothing more is sent. */
  stallAfter?: number | undefined;
}

/** Why sending ended: all was sent, the client disconnected, the emulator closes, or the world's data were replaced. */
export type End = 'done' | 'gone' | 'closing' | 'replaced';

export interface Stage {
  /** `to` pieces are due, of which `from` were sent before. */
  reach(from: number, to: number): Promise<void> | void;
  /** Called once, with the number of pieces that were sent. */
  over(end: End, reached: number): Promise<void> | void;
}

/** Whether everything is sent at once. */
export function isInstant({ first, each, stallAfter }: Pace): boolean {
  return first === 0 && each === 0 && stallAfter === undefined;
}

/** Begins to send, unless the world has ended; returns the function to call when the client disconnects. */
export function play(world: World, pace: Pace, count: number, stage: Stage): () => void {
  const { clock, first, each, stallAfter } = pace;
  // The world may have been closed while the request that begins this was written to disk.
  if (world.isClosed) {
    void stage.over('closing', 0);
    return () => {};
  }
  const now = (): number => (clock === 'virtual' ? world.clock.now() : wallNow());
  const startedAt = clock === 'virtual' ? (pace.begunAt ?? now()) : now();
  const most = Math.min(count, stallAfter ?? count);
  let reached = 0;
  let isOver = false;
  let cancel: (() => void) | undefined;

  const stopHearing = [
    world.bus.on(closing, () => void finish('closing')),
    world.bus.on(replaced, () => void finish('replaced')),
  ];

  function finish(end: End): Promise<void> | void {
    if (isOver) return;
    isOver = true;
    cancel?.();
    for (const stop of stopHearing) stop();
    return stage.over(end, reached);
  }

  function dueAt(piece: number): number {
    return startedAt + first + piece * each;
  }

  function dueCount(): number {
    const passed = now() - startedAt - first;
    if (passed < 0) return 0;
    return each === 0 ? most : Math.min(most, Math.floor(passed / each) + 1);
  }

  async function go(): Promise<void> {
    const from = reached;
    const to = dueCount();
    if (to > from) {
      reached = to;
      await stage.reach(from, to);
    }
    if (isOver) return;
    if (reached < most) return sleep(dueAt(reached));
    // A stalled stream ends when the client disconnects.
    if (stallAfter !== undefined && stallAfter <= count) return;
    if (count === 0 && now() < dueAt(0)) return sleep(dueAt(0));
    await finish('done');
  }

  // Time may have moved on while bytes were written; then no timer would fire any more.
  function sleep(instant: number): Promise<void> | void {
    if (instant <= now()) return go();
    cancel = clock === 'virtual' ? world.clock.sleepUntil(instant, go) : afterWall(instant - now(), () => void go());
  }

  void go();
  return () => void finish('gone');
}
