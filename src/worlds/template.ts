// New worlds are created from one world, whose statements are already prepared.

import { createClock } from '../core/clock.js';
import { finish } from '../core/slices.js';
import { forgetNumbers } from '../db/meta.js';
import { allowLooseReferences } from '../db/snapshot.js';
import { journalOf } from '../modules/journal/journal.js';
import { listKeyHashes } from '../modules/keys/store.js';
import { listBlobs } from '../modules/registry/store.js';
import type { OpenRequest } from '../modules/worlds/hosting.js';
import { beginClock } from '../world/initial-state.js';
import type { MadeWorld } from '../world/made-world.js';
import { seededIdentity } from '../world/seeded.js';
import type { World } from '../world/world.js';

/** What a new world begins with. */
interface NewWorld extends Pick<MadeWorld, 'identity' | 'clock' | 'hashes' | 'blobs'> {
  image: Buffer;
}

export interface Template {
  /** The world itself, opened when it is first needed. */
  world(): World;
  opened(): World | undefined;
  create(request: OpenRequest): NewWorld;
}

/** @param open opens the world that others are created from */
export function createTemplate(open: () => World): Template {
  let opened: World | undefined;
  function world(): World {
    if (opened === undefined) {
      opened = open();
      allowLooseReferences(opened.db);
    }
    return opened;
  }
  return {
    world,
    opened: () => opened,
    create({ seed, at, frozen, scenario, fill }) {
      const inside = world();
      const clock = beginClock(inside.base, { at, frozen });
      const beginning = { seed, ownSeed: seed, at: clock.floor, frozen: clock.speed === 0, scenario };
      inside.reset({ event: 'reset', subject: '', ...beginning }, () => fill(inside));
      finish(journalOf(inside).clear());
      forgetNumbers(inside.db);
      const image = inside.image();
      return {
        image,
        identity: seededIdentity(inside),
        hashes: listKeyHashes(inside.db),
        blobs: listBlobs(inside.db),
        clock: createClock({ state: inside.clock.state() }),
      };
    },
  };
}
