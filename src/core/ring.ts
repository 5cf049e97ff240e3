// The newest items of a series, in a place of fixed size.

export interface Ring<Item> {
  push(item: Item): void;
  size(): number;
  /** The i-th, from the oldest on. */
  at(index: number): Item | undefined;
  /** Takes away so many of the oldest. */
  drop(count: number): void;
  clear(): void;
}

/**
 * An empty ring for at most `capacity` items: one more takes the place of the oldest.
 *
 * @example
 * const last = createRing<number>(2);
 * for (const number of [1, 2, 3]) last.push(number);
 * last.at(0); // 2
 */
export function createRing<Item>(capacity: number): Ring<Item> {
  let items: (Item | undefined)[] = [];
  let oldest = 0;
  let size = 0;
  const place = (index: number): number => (oldest + index) % Math.max(1, capacity);
  return {
    push(item) {
      items[place(size)] = item;
      if (size < capacity) size++;
      else oldest = place(1);
    },
    size: () => size,
    at: (index) => (index < size ? items[place(index)] : undefined),
    drop(count) {
      for (let i = 0; i < count; i++) items[place(i)] = undefined;
      oldest = place(count);
      size -= count;
    },
    clear() {
      items = [];
      oldest = 0;
      size = 0;
    },
  };
}
