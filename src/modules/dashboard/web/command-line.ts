// Command lines that do the same as a button, in the world that the page shows.

import { worldId } from './api.js';

/** The flag that names this world, after a blank; the default world needs none. */
export const worldFlag = worldId === 'default' ? '' : ` --world ${worldId}`;

/** How the program is called where its emulator was started. */
export const program = document.documentElement.dataset.command ?? 'cloudemu';

/** A command, given without `cloudemu`, as it is typed into a shell; `isOfAll`: of all worlds, or it names its own. */
export function commandLine(command: string, isOfAll = false): string {
  return `${program} ${command}${isOfAll ? '' : worldFlag}`;
}
