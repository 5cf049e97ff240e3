// What the emulator says about itself: health, settings, guesses, failure modes.

import { type Assumption, assumptions } from '../api/assumptions.js';
import type { Config } from '../config/schema.js';
import type { ClockView } from '../kernel/clock.js';
import { type FailureDescription, listFailures } from './containers.js';
import type { ControlsContext } from './controls.js';

/** Its shape is an API: scripts wait on it. */
export interface Health {
  status: 'ready';
  version: string;
  uptimeMs: number;
  worlds: number;
  clock: Pick<ClockView, 'now' | 'speed' | 'frozen'>;
}

export type InfoControls = ReturnType<typeof createInfoControls>;

/** The informing controls of a world. */
export function createInfoControls({ world, version, uptimeMs, hosting }: ControlsContext) {
  return {
    health(): Health {
      const { now, speed, frozen } = world.clock.view();
      return {
        status: 'ready',
        version,
        uptimeMs: Math.round(uptimeMs()),
        worlds: hosting.ids().length,
        clock: { now, speed, frozen },
      };
    },
    /** The settings in force; the control token is not shown. */
    config: (): Config => ({
      ...world.config,
      server: { ...world.config.server, controlToken: world.config.server.controlToken === null ? null : '********' },
    }),
    /** The guesses that answers may rest on. */
    assumptions: (): ({ id: string } & Assumption)[] =>
      Object.entries(assumptions).map(([id, entry]) => ({ id, ...entry })),
    /** The catalogue of failure modes with their triggers. */
    failures: (): FailureDescription[] => listFailures(),
  };
}
