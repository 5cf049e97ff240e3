// The worlds that a command judges: the one that a flag or the URL names, else all of the emulator.

import type { WorldInfo } from '../modules/worlds/hosting.js';
import { createClient, findTarget, type TargetOptions } from './client.js';

const patienceMs = 60_000;

export interface MeantWorlds {
  /** The id of the only one that is meant. */
  only: string | undefined;
  worlds: WorldInfo[];
  /** Reads a path of the control plane of a world. */
  get<Answer>(world: string, path: string, field: keyof Answer & string): Promise<Answer>;
}

/** Reads which worlds there are. */
export async function meantWorlds(options: TargetOptions): Promise<MeantWorlds> {
  const clientIn = (world: string | undefined) =>
    createClient(findTarget(world === undefined ? options : { ...options, world }), patienceMs);
  const inUrl = decodeURIComponent(/\/w\/([^/]*)$/.exec(findTarget(options).local)?.[1] ?? '');
  const only = options.world ?? (inUrl === '' ? undefined : inUrl);
  const { worlds } = await clientIn(only).get<{ worlds: WorldInfo[] }>('/worlds', 'worlds');
  return {
    only,
    worlds: worlds.filter(({ id }) => only === undefined || id === only),
    get: (world, path, field) => clientIn(world).get(path, field),
  };
}
