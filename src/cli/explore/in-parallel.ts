// Several pieces of work at a time, the next of which one function decides.

/**
 * Does all work that there is, and what comes of it.
 *
 * @param most how many at a time
 * @param next begins the next piece; undefined: there is none now
 */
export async function inParallel(most: number, next: () => Promise<void> | undefined): Promise<void> {
  const underWay = new Set<Promise<void>>();
  try {
    for (;;) {
      const work = underWay.size < most ? next() : undefined;
      if (work !== undefined) {
        const own: Promise<void> = work.finally(() => underWay.delete(own));
        underWay.add(own);
      } else if (underWay.size > 0) await Promise.race(underWay);
      else return;
    }
  } finally {
    await Promise.allSettled(underWay);
  }
}
