// A queue that is read with `for await`: items wait while the reader is busy, up to a limit.

import { nextTurn } from './clock.js';

/** The largest unread amount of a queue, in bytes or another unit. */
const maxUnread = 1_024 * 1_024;

/** The reader was too slow, so the unread values were dropped. */
class SlowConsumerError extends Error {
  constructor() {
    super('This reader fell more than 1 MB behind: read faster, or begin again from the last record that you have');
  }
}

export interface QueueWriter<Item> {
  /** @param size the approximate size of the item in bytes */
  push(item: Item, size: number): void;
  end(): void;
  /** Ends the queue with an error, which the reader gets after the items that were pushed before. */
  fail(error: unknown): void;
  /** Runs a listener that pushes items; an error that it throws ends the queue. */
  attempt(act: () => void): void;
}

interface QueueSource<Item> {
  /** Further items, asked for whenever the queue is empty. */
  more(): readonly Item[];
  close(): void;
}

/**
 * Yields the items that `open` pushes, until the queue ends, the reader stops or the signal aborts. `open` is called at the
 * first read.
 *
 * @throws SlowConsumerError to a reader that leaves more than 1 MB unread
 */
export async function* readQueue<Item>(
  open: (writer: QueueWriter<Item>) => QueueSource<Item>,
  signal?: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  let queue: { item: Item; size: number }[] = [];
  let unread = 0;
  let over = signal?.aborted === true;
  let failure: { error: unknown } | undefined;
  let wake = (): void => {};

  const end = (): void => {
    over = true;
    wake();
  };
  function fail(error: unknown): void {
    if (!over) failure = { error };
    end();
  }
  function push(item: Item, size: number): void {
    if (over) return;
    queue.push({ item, size });
    unread += size;
    if (unread > maxUnread) {
      queue = [];
      fail(new SlowConsumerError());
    }
    wake();
  }
  function attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      fail(error);
    }
  }
  signal?.addEventListener('abort', end, { once: true });
  const source = open({ push, end, fail, attempt });
  try {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) {
        unread -= next.size;
        yield next.item;
        continue;
      }
      if (failure !== undefined) throw failure.error;
      if (over) return;
      const more = source.more();
      yield* more;
      // A reader who catches up would otherwise hold up everything else: all of 20,000 records for 360 ms.
      if (more.length > 0) await nextTurn();
      if (more.length > 0 || queue.length > 0 || over) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal?.removeEventListener('abort', end);
    source.close();
  }
}
