// Back to the world's beginning.

import { reopenAddresses } from '../features/containers/open-addresses.js';
import type { ClockView } from '../kernel/clock.js';
import type { World } from '../worlds/world.js';
import { fillWorld } from './scenarios/fill.js';

/** The reset of a world. */
export function createResetControl(world: World) {
  return {
    /**
     * Puts the world back to its beginning: data, clock, faults, limits, and the scenario that it began with. The
     * journal stays and gets a marker, and snapshots stay.
     *
     * @example await controls.reset()
     */
    async reset(): Promise<ClockView> {
      world.startOver({ event: 'reset', subject: '' }, () => fillWorld(world));
      await reopenAddresses(world);
      return world.clock.view();
    },
  };
}
