// What the emulator says about itself: health, settings, guesses, failure modes.

import type { Config } from '../../config/schema.js';
import type { ClockView } from '../../core/clock.js';

import { type Assumption, assumptions } from '../../http/assumptions.js';
import type { World } from '../../world/world.js';
import { type FailureDescription, listFailures } from '../containers/controls.js';

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
export interface InfoContext {
  world: World;
  version: string;
  /** Wall milliseconds since the emulator started. */
  uptimeMs: () => number;
  hosting: { ids: () => string[] };
}

export function createInfoControls({ world, version, uptimeMs, hosting }: InfoContext) {
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
