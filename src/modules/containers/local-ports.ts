// The listeners of a world's containers beside the emulator's own port.

import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';

/** Ports of the machine on which containers of a world listen. */
export interface LocalPorts extends WorldPart {
  isOpen(containerId: string): boolean;
  /**
   * Whether no more can be opened, from the first that could not on: until the emulator ends, a container without a port
   * is reached by a path of the platform's own, so that its address stays the same.
   */
  readonly exhausted: boolean;
  /** Opens a listener on the wanted port or, when that is taken, on another; 0 when none is available. */
  open(containerId: string, wanted: number): Promise<number>;
  closePort(containerId: string): void;
  /** Closes all but these. */
  keepOnly(containerIds: ReadonlySet<string>): void;
}

/** The host creates the ports, as it knows the address to listen on. */
export const portsKey: PartKey<LocalPorts> = {
  name: 'ports',
  create() {
    throw new Error('the host provides the ports of a world');
  },
};

/** The ports of a world's containers. */
export function portsOf(world: World): LocalPorts {
  return world.part(portsKey);
}
