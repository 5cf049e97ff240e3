// Resets a world to its initial state.

import * as z from 'zod';
import type { ClockView } from '../../core/clock.js';
import { checkInput } from '../../http/validate.js';
import type { World } from '../../world/world.js';
import { reopenAddresses } from '../containers/open-addresses.js';
import { fillWorld } from '../scenarios/fill.js';

export const resetRequest = z.object({
  scenario: z.null().optional().describe('null: reset to a plain world, without the scenario that it was created with'),
});

export type ResetRequest = z.input<typeof resetRequest>;

export type ResetControls = ReturnType<typeof createResetControl>;

/** The reset of a world. */
export function createResetControl(world: World) {
  return {
    /**
     * Puts the world back to its beginning: data, clock, faults, limits, and the scenario that it began with. The
     * journal is emptied, and with it what verdicts and coverage count; snapshots stay. Numbers of requests go on.
     *
     * @param request.scenario null leaves the scenario out: a plain world
     * @example await controls.reset()
     * @throws ApiError VALIDATION_ERROR
     */
    async reset(request: ResetRequest = {}): Promise<ClockView> {
      const { scenario } = checkInput(resetRequest, request, { strict: true, warn: () => {} });
      const plain = scenario === null ? { scenario: undefined } : {};
      world.reset({ event: 'reset', subject: '', ...plain }, () => fillWorld(world));
      await reopenAddresses(world);
      return world.clock.view();
    },
  };
}
