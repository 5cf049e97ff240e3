// Long work in slices: done at once for a caller in process, in turns with everything else for a request.

import { nextTurn } from './clock.js';
import { elapsed } from './real-time.js';

/** Work that yields wherever others may have their turn, every few hundred things, and returns its result. */
export type Sliced<Result> = Generator<void, Result, void>;

/** The result of work, whether it is sliced or not. */
export type Finished<Work> = Work extends Generator<void, infer Result, void> ? Result : Work;

// The part of each turn of the event loop that a queue takes. Where everything else takes longer, as on a loaded machine,
// the queue takes as long, up to a bound: what waits in it would hardly get on otherwise.
const sliceMs = 5;
const longestSliceMs = 25;
const itemsPerSlice = 200;

/** Does the work without a pause. */
export function finish<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** A queue of work: what waits in it takes one slice of each turn of the event loop, however many wait. */
export interface Turns {
  /**
   * Does the work in turns with everything else that the process does. The first part is done at once, so that the
   * result is as of the call.
   *
   * @param goOn called before each further part; throws when the work has become pointless
   */
  inTurns<Result>(work: Sliced<Result>, goOn?: () => void): Promise<Result>;
  /** Calls a function in its turn; what it does before its first await counts as its part of the slice. */
  inTurn<Result>(act: () => Result | Promise<Result>): Promise<Result>;
  /** Whether work waits: a world stays in memory until it is done. */
  isBusy(): boolean;
}

/** Does a part of some work, and says whether it was the last. */
type Part = () => boolean;

export function createTurns(): Turns {
  const queue = new Set<Part>();

  function enqueue(part: Part): void {
    queue.add(part);
    if (queue.size === 1) serveSoon();
  }

  function serveSoon(): void {
    const since = elapsed();
    void nextTurn().then(() => serve(elapsed() - since));
  }

  function serve(others: number): void {
    const until = elapsed() + Math.min(Math.max(sliceMs, others), longestSliceMs);
    for (const part of queue) {
      // The part stays in the queue while it is done, so that work that it adds to the queue needs no turn of its own.
      const isDone = part();
      queue.delete(part);
      if (!isDone) queue.add(part);
      if (elapsed() >= until) break;
    }
    if (queue.size > 0) serveSoon();
  }

  return {
    inTurns: (work, goOn) =>
      new Promise((resolve, reject) => {
        const advance = (): boolean => {
          const { done, value } = work.next();
          if (done === true) resolve(value);
          return done === true;
        };
        if (advance()) return;
        enqueue(() => {
          try {
            goOn?.();
            return advance();
          } catch (error) {
            reject(error);
            letGo(work);
            return true;
          }
        });
      }),
    inTurn: (act) =>
      new Promise((resolve, reject) => {
        enqueue(() => {
          try {
            resolve(act());
          } catch (error) {
            reject(error);
          }
          return true;
        });
      }),
    isBusy: () => queue.size > 0,
  };
}

// Work that has failed gives back what it holds. What fails in that concerns nobody: its caller has its error already.
function letGo(work: Sliced<unknown>): void {
  try {
    work.return(undefined);
  } catch {
    // The next part of the queue has its turn.
  }
}

/**
 * Does something with each item of a list, in slices.
 *
 * @param atOnce how many take a few milliseconds at most
 */
export function* forEach<Item>(
  items: readonly Item[],
  act: (item: Item) => void,
  atOnce = itemsPerSlice,
): Sliced<void> {
  for (let index = 0; index < items.length; index++) {
    act(items[index] as Item);
    if (index % atOnce === atOnce - 1) yield;
  }
}

// Native sorting of so many takes less than a millisecond.
const sortedAtOnce = 1_000;

/** A sorted copy of a list, made in slices; what compares as equal stays in its order. */
export function* sorted<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Sliced<Item[]> {
  let runs: Item[][] = [];
  for (let from = 0; from < items.length; from += sortedAtOnce) {
    runs.push(items.slice(from, from + sortedAtOnce).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Sliced<Item[]> {
  const merged: Item[] = [];
  for (let a = 0, b = 0; a < first.length || b < second.length; ) {
    const isSecond = a === first.length || (b < second.length && compare(second[b] as Item, first[a] as Item) < 0);
    merged.push((isSecond ? second[b++] : first[a++]) as Item);
    if (merged.length % sortedAtOnce === 0) yield;
  }
  return merged;
}
