// A queue of callbacks that wait for instants of a clock, the earliest first.

type Wake = () => void | Promise<void>;

export interface TimerQueue {
  add(instant: number, wake: Wake): () => void;
  earliest(): number | undefined;
  /** Wakes all that are due, the earliest first, and waits until they have acted. */
  wakeDue(now: number): Promise<void>;
  size(): number;
  clear(): void;
}

/** An empty queue of timers. */
export function createTimerQueue(): TimerQueue {
  let queue: { instant: number; wake: Wake }[] = [];
  return {
    add(instant, wake) {
      const entry = { instant, wake };
      const after = queue.findIndex((other) => other.instant > instant);
      if (after === -1) queue.push(entry);
      else queue.splice(after, 0, entry);
      return () => {
        const index = queue.indexOf(entry);
        if (index !== -1) queue.splice(index, 1);
      };
    },
    earliest: () => queue[0]?.instant,
    async wakeDue(now) {
      const acts: (void | Promise<void>)[] = [];
      // A woken entry may sleep again at once; taking one at a time keeps the order by instant.
      for (let next = queue[0]; next !== undefined && next.instant <= now; next = queue[0]) {
        queue.shift();
        acts.push(next.wake());
      }
      await Promise.all(acts);
    },
    size: () => queue.length,
    clear() {
      queue = [];
    },
  };
}
