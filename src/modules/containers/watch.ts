// Tells each status that containers come to, at its instant, for as long as somebody listens.

import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { stateOf } from './state.js';
import { type ContainerRecord, findContainer, listContainers } from './store.js';

/** A container came to a status; `deleted` is its last. */
export interface ContainerChange {
  /** The container's. */
  id: string;
  project_name: string;
  /** What it has become. */
  status: string;
  /** The instant in virtual time. */
  at: string;
  /** What went wrong, or null. */
  error: string | null;
}

export interface ContainerWatch {
  /** Something was done to a container. */
  touched(id: string): void;
  /** All data were replaced: what there is now is nobody's change. */
  restart(): void;
  close(): void;
}

interface Watched {
  project_name: string;
  /** The last status that was told. */
  last: { at: number; order: number };
  nextAt: number | undefined;
}

/** Watches all containers of a world; those statuses that they have already are not told. */
export function watchContainers(world: World, tell: (change: ContainerChange) => void): ContainerWatch {
  const { clock, db } = world;
  const watched = new Map<string, Watched>();
  let cancelSleep: (() => void) | undefined;

  function look(id: string, record: ContainerRecord | undefined, silent: boolean): void {
    const now = clock.now();
    const before = watched.get(id);
    if (record === undefined) {
      if (before !== undefined)
        tell({ id, project_name: before.project_name, status: 'deleted', at: iso(now), error: null });
      watched.delete(id);
      return;
    }
    const state = stateOf(world, record, now);
    let last = before?.last ?? { at: -Infinity, order: 0 };
    for (const { status, at, order } of state.history) {
      if (at < last.at || (at === last.at && order <= last.order)) continue;
      last = { at, order };
      const { project_name } = record;
      const error = status === state.status ? state.error : null;
      if (!silent) tell({ id, project_name, status, at: iso(at), error });
    }
    watched.set(id, { project_name: record.project_name, last, nextAt: state.nextAt ?? undefined });
  }
  function arm(): void {
    cancelSleep?.();
    const next = Math.min(...[...watched.values()].map(({ nextAt = Infinity }) => nextAt));
    cancelSleep = next === Infinity ? undefined : clock.sleepUntil(next, due);
  }
  function due(): void {
    const now = clock.now();
    world.settle(now);
    for (const [id, { nextAt = Infinity }] of [...watched]) if (nextAt <= now) look(id, findContainer(db, id), false);
    arm();
  }
  function restart(): void {
    watched.clear();
    for (const record of listContainers(db)) look(record.id, record, true);
    arm();
  }
  restart();
  return {
    touched(id) {
      look(id, findContainer(db, id), false);
      arm();
    },
    restart,
    close: () => cancelSleep?.(),
  };
}
