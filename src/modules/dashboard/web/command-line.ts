// Command lines that do the same as a button, in the world that the page shows.

import { worldId } from './api.js';

/** The flag that names this world, after a blank; the default world needs none. */
export const worldFlag = worldId === 'default' ? '' : ` --world ${worldId}`;

/** A command, given without `cloudemu`, as it is typed into a shell; `isOfAll`: of all worlds, or it names its own. */
export function commandLine(command: string, isOfAll = false): string {
  return `cloudemu ${command}${isOfAll ? '' : worldFlag}`;
}
