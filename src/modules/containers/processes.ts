// The real processes behind containers, where the settings have images run.

import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';

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

interface WorldProcesses extends WorldPart {
  readonly all: ContainerProcesses | undefined;
}

/** The host says whether images are run. */
export const processesKey: PartKey<WorldProcesses> = { name: 'processes', create: () => ({ all: undefined }) };

/** The processes behind containers; undefined where the emulator runs no images. */
export function processesOf(world: World): ContainerProcesses | undefined {
  return world.part(processesKey).all;
}
