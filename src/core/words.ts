// Words for people that more than one place needs.

/**
 * A number of things.
 *
 * @example counted(2, 'request') // '2 requests'
 */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
