// Command lines that do the same as a button, in the world that the page shows.

import { worldId } from './api.js';

/** The flag that names a world, after a blank; the default world needs none. */
export const flagOfWorld = (id: string): string => (id === 'default' ? '' : ` --world ${id}`);

/** The flag that names this world. */
export const worldFlag = flagOfWorld(worldId);

const { command, target: named } = document.documentElement.dataset;

/** How the program is called where its emulator was started. */
export const program = command ?? 'cloudemu';

/** The flags that name this emulator where it was started, each after a blank. */
export const target = named === undefined ? '' : ` ${named}`;

/** A command, given without `cloudemu`, as it is typed into a shell; `isOfAll`: of all worlds, or it names its own. */
export function commandLine(words: string, isOfAll = false): string {
  return `${program} ${words}${target}${isOfAll ? '' : worldFlag}`;
}
