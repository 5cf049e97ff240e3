// Long work in slices: done at once for a caller in process, in turns with everything else for a request.

import { nextTurn } from './clock.js';

/** Work that yields wherever others may have their turn, every few hundred things, and returns its result. */
export type Sliced<Result> = Generator<void, Result, void>;

/** What work comes to, whether it is sliced or not. */
export type Finished<Work> = Work extends Generator<void, infer Result, void> ? Result : Work;

// Several may run at once, and each takes as long before the others get their turn.
const sliceMs = 5;
const itemsPerSlice = 200;

/** Does the work without a pause. */
export function finish<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * Does the work in turns with everything else that the process does.
 *
 * @param goOn called before each further slice; throws when the work has become pointless
 */
export async function inTurns<Result>(work: Sliced<Result>, goOn: () => void): Promise<Result> {
  for (;;) {
    const until = performance.now() + sliceMs;
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < until);
    await nextTurn();
    goOn();
  }
}

/** Does something with each item of a list, in slices. */
export function* forEach<Item>(items: readonly Item[], act: (item: Item) => void): Sliced<void> {
  for (let index = 0; index < items.length; index++) {
    act(items[index] as Item);
    if (index % itemsPerSlice === itemsPerSlice - 1) yield;
  }
}
