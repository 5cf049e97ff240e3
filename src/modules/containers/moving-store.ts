// Finds the containers that still change after an instant, so that a reader of the latest changes skips thousands of others.

import { cached } from '../../db/cached-reads.js';
import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';
import { type ContainerRecord, findContainer } from './store.js';

/** A container as it is stored, in brief. */
interface Stamp {
  seq: number;
  id: string;
  /** Another one whenever something that its timelines depend on has changed: interventions only become more. */
  stamp: string;
}

interface LastInstants extends WorldPart {
  /** The instant of the last change that each container has come to, or comes to by itself. */
  byId: Map<string, { stamp: string; last: number }>;
}

const lastInstantsKey: PartKey<LastInstants> = {
  name: 'last instants',
  create: () => ({
    byId: new Map(),
    reread() {
      this.byId.clear();
    },
  }),
};

const stampsOf = cached(['containers', 'deployments'], (db) =>
  db.all<Stamp>(
    `SELECT c.seq, c.id, printf('%s %d %d %d', c.graces, max(d.number), sum(d.interventions), sum(d.reads)) AS stamp
      FROM containers AS c JOIN deployments d ON d.container_seq = c.seq GROUP BY c.seq ORDER BY c.seq DESC`,
  ),
);

/**
 * Does something with each container that changed, or will change by itself, at an instant or later; the newest first.
 *
 * @param now containers that are created after it are left out
 */
export function forEachMovingFrom(
  world: World,
  instant: number,
  now: number,
  act: (record: ContainerRecord) => void,
): void {
  const { db } = world;
  const lastInstants = world.part(lastInstantsKey);
  // Made anew each time, so that what was deleted does not stay.
  const byId: LastInstants['byId'] = new Map();
  for (const { id, stamp } of stampsOf(db)) {
    const former = lastInstants.byId.get(id);
    const found = former?.stamp === stamp ? former : { stamp, last: lastInstant(findContainer(db, id)) };
    byId.set(id, found);
    const record = found.last >= instant ? findContainer(db, id) : undefined;
    if (record?.deployments.some(({ startedAt }) => startedAt <= now) === true) act(record);
  }
  lastInstants.byId = byId;
}

function lastInstant(record: ContainerRecord | undefined): number {
  const instants = record?.deployments.flatMap(({ timeline = [] }) => timeline.map(({ at }) => at)) ?? [];
  return instants.reduce((last, at) => Math.max(last, at), -Infinity);
}
