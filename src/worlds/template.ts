// New worlds are created from one world, whose statements are already prepared.

import { Clock, nextTurn } from '../core/clock.js';
import type { WorldImage } from '../db/image.js';
import { forgetNumbers } from '../db/meta.js';
import { listKeyHashes } from '../platform/keys/store.js';
import { listBlobs } from '../platform/registry/store.js';
import { journalOf } from '../tools/journal/journal.js';
import type { Beginning } from '../tools/scenarios/image-maker.js';
import type { MadeWorld } from '../world/made-world.js';
import { seededIdentity } from '../world/seeded.js';
import type { World } from '../world/world.js';

/** The data of a new world, and what the list of worlds keeps of them. */
export interface NewWorld extends Pick<MadeWorld, 'identity' | 'clock' | 'hashes' | 'blobs'> {
  image: WorldImage;
}

export interface Template {
  /** The world itself, opened when it is first needed. */
  world(): World;
  opened(): World | undefined;
  /**
   * Fills it from an initial state, one after the other.
   *
   * @param fill of the module of scenarios, which most starts do not load
   * @throws ApiError VALIDATION_ERROR where the scenario cannot be had
   */
  create(beginning: Beginning, fill: (world: World) => void): Promise<NewWorld>;
}

/**
 * @param open opens the world that others are created from
 * @param requireOpen throws once the emulator is closed
 */
export function createTemplate(open: () => World, requireOpen: () => void): Template {
  let opened: World | undefined;
  let former: Promise<unknown> = Promise.resolve();
  function world(): World {
    opened ??= open();
    return opened;
  }
  async function filled(beginning: Beginning, fill: (world: World) => void): Promise<NewWorld> {
    // Others may have had their turn before, and the emulator its end.
    requireOpen();
    const inside = world();
    const { id, seed, ...initial } = beginning;
    inside.standFor(id);
    inside.reset({ event: 'reset', subject: '', ownSeed: seed, ...initial, seed }, () => {});
    fill(inside);
    // The image of a large one takes as long as a turn may.
    await nextTurn();
    requireOpen();
    journalOf(inside).clear();
    forgetNumbers(inside.db);
    return describeWorld(inside, inside.image());
  }
  return {
    world,
    opened: () => opened,
    create(beginning, fill) {
      const created = former.then(() => filled(beginning, fill));
      former = created.catch(() => {});
      return created;
    },
  };
}

/** What the list of worlds keeps of a world whose data are an image. */
export function describeWorld(world: World, image: WorldImage): NewWorld {
  return {
    image,
    identity: seededIdentity(world),
    hashes: listKeyHashes(world.db),
    blobs: listBlobs(world.db),
    clock: new Clock({ state: world.clock.state() }),
  };
}
