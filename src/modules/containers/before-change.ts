// Tells those who watch containers about each one that is going to change, while it is still as it was.

import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';
import type { ContainerRecord } from './store.js';

type Listener = (record: ContainerRecord) => void;

interface Listeners extends WorldPart {
  all: Set<Listener>;
}

const listenersKey: PartKey<Listeners> = { name: 'before change', create: () => ({ all: new Set() }) };

/** Calls back with each container, as it was, whenever it changes, until the returned function is called. */
export function onBeforeChange(world: World, listener: Listener): () => void {
  const { all } = world.part(listenersKey);
  all.add(listener);
  return () => void all.delete(listener);
}

/** Announces a container as it was before a change. */
export function beforeChange(world: World, record: ContainerRecord): void {
  for (const listener of world.part(listenersKey).all) listener(record);
}
