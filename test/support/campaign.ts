// How much of what is random or exhaustive is tried: all of it in `npm run test:full`, a quarter in `npm test`.

export const isFull = process.env.CLOUDEMU_TEST_FULL === '1';

const share = 4;

/** How often a property is tried that the full run tries so many times. */
export function runsOf(full: number): number {
  return isFull ? full : Math.ceil(full / share);
}

/** Whether the case of these places is tried: every fourth of each row and of each column, where it is not all of them. */
export function isTried(row: number, column: number): boolean {
  return isFull || (row + column) % share === 0;
}
