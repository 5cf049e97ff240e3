// Where a world's containers answer beside the emulator's own port.

/** Ports of the machine on which containers of a world answer. */
export interface LocalPorts {
  isOpen(containerId: string): boolean;
  /** Opens a listener on the wanted port or, when that is taken, on another; 0 when none can be had. */
  open(containerId: string, wanted: number): Promise<number>;
  close(containerId: string): void;
  /** Closes all but these. */
  keepOnly(containerIds: ReadonlySet<string>): void;
}
