// The control plane of a world as one object: tests hold it directly, /_emulator and the command line go through it.

import type { World } from '../worlds/world.js';
import { createClockControls } from './clock.js';
import { createContainerControls } from './containers.js';
import { createCreditControls } from './credits.js';
import { createInfoControls } from './info.js';
import { createKeyControls } from './keys.js';

export interface ControlsContext {
  world: World;
  version: string;
  /** Wall milliseconds since the emulator started. */
  uptimeMs: () => number;
  /** How many worlds the process holds. */
  worldCount: () => number;
}

/** Everything that a person or a test can do to a world. */
export function createControls(context: ControlsContext) {
  const { world } = context;
  return {
    ...createInfoControls(context),
    clock: createClockControls(world),
    containers: createContainerControls(world),
    keys: createKeyControls(world),
    ...createCreditControls(world),
  };
}

export type Controls = ReturnType<typeof createControls>;
