// A queue that holds the newest items up to its capacity and drops the oldest.

export interface Ring<Item> {
  push(item: Item): void;
  size(): number;
  /** The i-th, from the oldest on. */
  at(index: number): Item | undefined;
  clear(): void;
}

/** An empty ring for at most `capacity` items. */
export function createRing<Item>(capacity: number): Ring<Item> {
  let items: Item[] = [];
  let oldest = 0;
  return {
    push(item) {
      if (items.length < capacity) {
        items.push(item);
        return;
      }
      items[oldest] = item;
      oldest = (oldest + 1) % capacity;
    },
    size: () => items.length,
    at: (index) => (index < items.length ? items[(oldest + index) % items.length] : undefined),
    clear() {
      items = [];
      oldest = 0;
    },
  };
}
