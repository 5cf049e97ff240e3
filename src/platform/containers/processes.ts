// The real processes of containers, where the settings have images run.

import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';

/** The process of a container that serves. */
export interface ContainerProcess {
  /** Its URL; undefined until it listens. */
  readonly url: string | undefined;
  /** Resolves when it listens or has failed. */
  readonly settled: Promise<void>;
}

export interface ContainerProcesses {
  /** The process of a container, started if it is to run now; undefined where the emulator itself serves. */
  find(world: World, containerId: string): ContainerProcess | undefined;
  /** Starts and stops processes along with the containers of a world until the returned function is called. */
  supervise(world: World): void;
  close(): Promise<void>;
}

interface WorldProcesses extends WorldPart {
  readonly all: ContainerProcesses | undefined;
}

/** The host decides whether images run. */
export const processesKey: PartKey<WorldProcesses> = { name: 'processes', create: () => ({ all: undefined }) };

/** The processes of containers; undefined where the emulator runs no images. */
export function processesOf(world: World): ContainerProcesses | undefined {
  return world.part(processesKey).all;
}

/** The part of a world that holds its processes: their plans are followed while the world is open. */
export function processesPart(
  all: ContainerProcesses | undefined,
): WorldPart & { all: ContainerProcesses | undefined } {
  return { all, isBusy: () => all !== undefined };
}
