// What runs the images of containers. It is loaded where they are to be run: a usual start needs nothing of it.

import type { Config } from '../config/schema.js';
import type { ContainerProcesses } from '../platform/containers/processes.js';

/**
 * The engine that runs images, where they are to be run; undefined: containers are simulated.
 */
export async function findProcesses(
  { containers }: Config,
  dataDir: string | null,
  { onError, onWarning }: { onError: (error: unknown) => void; onWarning: (text: string) => void },
): Promise<ContainerProcesses | undefined> {
  if (containers.run !== 'image') return undefined;
  const { findEngine } = await import('../platform/containers/engine/engine.js');
  const { createProcesses } = await import('../platform/containers/engine/processes.js');
  const engine = await findEngine(dataDir);
  if (typeof engine !== 'string') return createProcesses(engine, onError);
  onWarning(`containers.run is image, but ${engine}: containers stay simulated`);
  return undefined;
}
