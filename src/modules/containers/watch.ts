// Reports each status that containers reach, at its instant, to a listener.

import { real } from '../../core/real-time.js';
import { lastOccurrence } from '../../db/occurrences.js';
import { iso } from '../../http/wire.js';
import { createRounds } from '../../world/rounds.js';
import type { World } from '../../world/world.js';
import { onBeforeChange } from './before-change.js';
import { historyOf } from './history.js';
import { type ContainerState, containerAt } from './lifecycle.js';
import { type ContainerRecord, findContainer, listContainers } from './store.js';
import { rankWithin } from './timeline.js';
import { newestContainer } from './world-store.js';

/** A container reached a status; `deleted` is its last. */
export interface ContainerChange {
  /** The container's id. */
  id: string;
  project_name: string;
  /** The new status. */
  status: string;
  /** The instant in virtual time. */
  at: string;
  /** The failure of the container, or null. */
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

// Among what follows an occurrence.
const afterAll = 90;

/** The state of the world when the watch began. */
interface Beginning {
  at: number;
  /** The number of the newest container. */
  newest: number;
  epoch: number;
}

/**
 * Watches all containers of a world; statuses that they already have are not reported.
 *
 * @param giveUp called when the world's data cannot be read: nothing is reported any more
 */
export function watchContainers(
  world: World,
  tell: (change: ContainerChange) => void,
  giveUp: (error: unknown) => void,
): ContainerWatch {
  const { clock, db } = world;
  const watched = new Map<string, Watched>();
  let beginning: Beginning;
  // Whether all containers that were there at the beginning are watched.
  let isComplete: boolean;
  let isClosed = false;

  // Changes of several containers, by a jump of the clock or one after the other in one instant, are told in their order.
  let changes: { at: number; order: number; change: ContainerChange }[] = [];
  // The number of the last occurrence before the last change of each container: a deletion leaves no row that has it.
  let changed = new Map<string, number>();
  let isTelling = false;
  function tellFound(): void {
    const sorted = changes.sort((a, b) => a.at - b.at || a.order - b.order);
    changes = [];
    changed = new Map();
    for (const { change } of sorted) tell(change);
  }
  // Reports the changes of one turn of the event loop together.
  function tellSoon(): void {
    if (isTelling) return;
    isTelling = true;
    real.queueMicrotask(() => {
      isTelling = false;
      if (!isClosed) tellFound();
    });
  }

  function look(id: string, record: ContainerRecord | undefined): void {
    const before = watched.get(id);
    const at = clock.now();
    if (record !== undefined) note(record, containerAt(record.deployments, at), at);
    else if (before !== undefined) {
      const change = { id, project_name: before.project_name, status: 'deleted', at: iso(at), error: null };
      changes.push({ at, order: rankWithin(changed.get(id) ?? lastOccurrence(db), afterAll), change });
      watched.delete(id);
    }
  }
  function note(record: ContainerRecord, state: ContainerState, now: number): void {
    const { id, project_name } = record;
    const before = watched.get(id);
    let last = before?.last ?? { at: -Infinity, order: 0 };
    for (const { status, at, order } of historyOf(db, record, now, last)) {
      last = { at, order };
      // One that has not changed since the beginning had then what it has come to by then.
      if (before === undefined && record.seq <= beginning.newest && at <= beginning.at) continue;
      const error = status === state.status ? state.error : null;
      changes.push({ at, order, change: { id, project_name, status, at: iso(at), error } });
    }
    watched.set(id, { project_name, last, nextAt: state.nextAt ?? undefined });
  }

  // Thousands of containers at once, when the watch begins or the clock jumps, would hold up all requests: 6,000 for 160 ms.
  function lookAround(): void {
    if (!isComplete) {
      for (const record of listContainers(db)) if (!watched.has(record.id)) look(record.id, record);
      tellFound();
      isComplete = true;
    }
    for (let due = dueNow(); due.length > 0; due = dueNow()) {
      for (const id of due) {
        if (isDue(watched.get(id))) look(id, findContainer(db, id));
      }
      tellFound();
    }
  }
  const isDue = (one: Watched | undefined): boolean => (one?.nextAt ?? Infinity) <= clock.now();
  function dueNow(): string[] {
    world.settle(clock.now());
    return [...watched].filter(([, one]) => isDue(one)).map(([id]) => id);
  }

  const rounds = createRounds(world, {
    nextAt() {
      let next = Infinity;
      for (const { nextAt = Infinity } of watched.values()) next = Math.min(next, nextAt);
      return next;
    },
    async look(isOver) {
      const settling = world.settleInParts(clock.now());
      if (settling !== undefined) await settling;
      if (isOver()) return;
      lookAround();
    },
    giveUp,
  });
  function restart(): void {
    watched.clear();
    changes = [];
    beginning = { at: clock.now(), newest: newestContainer(db), epoch: world.epoch };
    isComplete = false;
    rounds.restart();
    rounds.begin();
  }

  // One that changes before its turn is watched from what it was on: at a frozen clock the instant tells nothing. Its state is
  // not kept, as one that has changed may have the same version.
  const stopHearing = onBeforeChange(world, (record) => {
    changed.set(record.id, lastOccurrence(db));
    if (isComplete || record.seq > beginning.newest || watched.has(record.id)) return;
    const now = clock.now();
    note(record, containerAt(record.deployments, now), now);
  });
  restart();
  return {
    touched(id) {
      // The world holds other data, which `restart` will say.
      if (world.epoch !== beginning.epoch) return;
      look(id, findContainer(db, id));
      tellSoon();
      rounds.arm();
    },
    restart,
    close() {
      isClosed = true;
      stopHearing();
      rounds.close();
    },
  };
}
