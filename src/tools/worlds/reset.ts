// The control operation that resets a world to its initial state.

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import type { ClockView } from '../../core/clock.js';
import { clockView } from '../../http/wire.js';
import { readInitialState } from '../../world/initial-state.js';
import { resetWorld } from '../scenarios/reset-world.js';
import { findUsableSnapshot } from '../snapshots/restore.js';
import { returnTo } from './base.js';

export const resetRequest = z.lazy(() =>
  z.object({
    scenario: z
      .null()
      .optional()
      .describe('null: reset to a plain world, without the scenario that it was created with'),
  }),
);

export type ResetRequest = z.input<typeof resetRequest>;

export const resetOperations = {
  /**
   * Resets the world to its initial state: data, clock, faults, limits, and the scenario that it began with. The
   * journal is emptied, and with it what verdicts and coverage count; snapshots stay. Numbers of requests go on.
   *
   * @param request.scenario null leaves the scenario out: a plain world
   * @example await controls.reset()
   * @throws ApiError VALIDATION_ERROR
   */
  reset: operation({
    id: 'control.reset',
    route: 'POST /reset',
    summary: 'Reset the world to its initial state, including clock and scenario',
    body: resetRequest,
    bodyOptional: true,
    output: clockView,
    command: {
      line: 'reset',
      examples: [
        ['reset', 'before a test: resets data, clock, faults and limits'],
        ['reset --scenario null', 'a plain world, without the scenario that it was created with'],
      ],
    },
    runs: 'async',
    run: async ({ world }, request: ResetRequest = {}): Promise<ClockView> => {
      const { base } = readInitialState(world.db);
      const plain = request.scenario === null ? { scenario: undefined, base: undefined } : {};
      // Before anything is gone: the snapshot may be.
      const begun = base === undefined || request.scenario === null ? undefined : await findUsableSnapshot(world, base);
      await resetWorld(world, { event: 'reset', subject: '', ...plain });
      if (begun !== undefined) await returnTo(world, begun);
      return world.clock.view();
    },
  }),
};
