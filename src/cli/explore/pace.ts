// How many runs there are at a time, and the time that each gets, on a machine that may be slower now than it was without
// faults.

export interface Pace {
  /** Notes how long a run took that came to its end. */
  note(seconds: number): void;
  limitMs(): number;
  /** The longest of the last runs. */
  longestMs(): number;
}

const remembered = 6;
const patience = 3;

/** @param leastMs what a run gets at least */
export function createPace(leastMs: number): Pace {
  const last: number[] = [];
  const longestMs = (): number => Math.max(0, ...last);
  return {
    note(seconds) {
      last.push(seconds * 1_000);
      if (last.length > remembered) last.shift();
    },
    limitMs: () => Math.max(leastMs, patience * longestMs()),
    longestMs,
  };
}

/** Does something as often as there is something to do, several at a time: as many as `jobs` says by then. */
export async function inParallel(jobs: () => number, work: () => Promise<boolean>): Promise<void> {
  let working = 0;
  // A worker that finds nothing to do ends; the others do the work that they add later themselves.
  const worker = async (): Promise<void> => {
    working++;
    try {
      while (working <= jobs() && (await work())) if (working < jobs()) more.push(worker());
    } finally {
      working--;
    }
  };
  const more: Promise<void>[] = Array.from({ length: jobs() }, worker);
  for (let one = more.shift(); one !== undefined; one = more.shift()) await one;
}
