// The real processes behind containers, where the settings have images run.

import type { World } from './world.js';

/** What stands behind a container that serves. */
export interface ContainerProcess {
  /** Where it answers; undefined while it has not begun to. */
  readonly url: string | undefined;
  /** Resolves when that is known, one way or the other. */
  readonly settled: Promise<void>;
}

export interface ContainerProcesses {
  /** The process of a container, which is started if it is to run now; undefined where the emulator answers itself. */
  find(world: World, containerId: string): ContainerProcess | undefined;
  /** Lets processes come and go with the containers of a world until that ends. */
  supervise(world: World): void;
  close(): Promise<void>;
}
