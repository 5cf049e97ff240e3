// Compares two lists of texts.

/**
 * Whether two lists hold the same texts in the same order.
 *
 * @example areSame(['a', 'b'], ['b', 'a']) // false
 */
export function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index]);
}
