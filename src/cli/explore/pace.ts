// The time that a run gets, on a machine that may be slower now than it was without faults.

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
