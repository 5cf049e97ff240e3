// How long an act holds up everything else that the process does: how often others have their turn meanwhile.

export interface Held<Result> {
  result: Result;
  /** How often others had their turn. */
  turns: number;
  /** The longest that they waited for one, in milliseconds. */
  longestMs: number;
}

/** Does something, and watches the event loop meanwhile. */
export async function watchTurns<Result>(act: () => Promise<Result>): Promise<Held<Result>> {
  let [turns, longestMs, last, isOver] = [0, 0, performance.now(), false];
  const tick = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    turns++;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    return { result: await act(), turns, longestMs: Math.max(longestMs, performance.now() - last) };
  } finally {
    isOver = true;
  }
}
