// Reports each status that containers reach, at its instant, to a listener.

import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { stateOf } from './state.js';
import { type ContainerRecord, findContainer, listContainers } from './store.js';

/** A container reached a status; `deleted` is its last. */
export interface ContainerChange {
  /** The container's id. */
  id: string;
  project_name: string;
  /** The new status. */
  status: string;
  /** The instant in virtual time. */
  at: string;
  /** What went wrong, or null. */
  error: string | null;
}

export interface ContainerWatch {
  /** A container was changed. */
  touched(id: string): void;
  /** All data were replaced: statuses that exist now are not reported as changes. */
  restart(): void;
  close(): void;
}

interface Watched {
  project_name: string;
  /** The last status that was reported. */
  last: { at: number; order: number };
  nextAt: number | undefined;
}

/** Watches all containers of a world; statuses that they already have are not reported. */
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
    let next = Infinity;
    for (const { nextAt = Infinity } of watched.values()) next = Math.min(next, nextAt);
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
