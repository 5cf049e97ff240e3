// Back to the world's beginning.

import { reopenAddresses } from '../features/containers/open-addresses.js';
import type { ClockView } from '../kernel/clock.js';
import type { World } from '../worlds/world.js';
import { seedWorld } from './seed.js';

/** The reset of a world. */
export function createResetControl(world: World) {
  return {
    /**
     * Puts the world back to its beginning: data, clock, faults, limits. The journal stays and gets a marker, and
     * snapshots stay.
     *
     * @example await controls.reset()
     */
    async reset(): Promise<ClockView> {
      world.startOver({ event: 'reset', subject: '' }, () => seedWorld(world));
      await reopenAddresses(world);
      return world.clock.view();
    },
  };
}
