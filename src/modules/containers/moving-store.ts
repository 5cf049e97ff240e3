// Which containers still change from an instant on: of thousands, those that a reader of the latest changes must look at.

import { cached } from '../../db/cached-reads.js';
import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';
import { type ContainerRecord, findContainer } from './store.js';

/** A container as it is stored, in brief. */
interface Stamp {
  id: string;
  /** All that its timelines depend on, and that may change. */
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
    replaced() {
      this.byId.clear();
    },
  }),
};

const stampsOf = cached(['containers', 'deployments'], (db) =>
  db.all<Stamp>(
    `SELECT c.id, coalesce(c.graces, '') || group_concat(d.number || d.acts || d.reads) AS stamp
      FROM containers c JOIN deployments d ON d.container_seq = c.seq GROUP BY c.seq ORDER BY c.seq DESC`,
  ),
);

/** The containers that changed, or will change by themselves, at an instant or after it; the newest first. */
export function containersMovingFrom(world: World, instant: number): ContainerRecord[] {
  const { db } = world;
  const known = world.part(lastInstantsKey);
  // Made anew each time, so that what was deleted does not stay.
  const byId: LastInstants['byId'] = new Map();
  const moving: ContainerRecord[] = [];
  for (const { id, stamp } of stampsOf(db)) {
    const former = known.byId.get(id);
    const found = former?.stamp === stamp ? former : { stamp, last: lastInstant(findContainer(db, id)) };
    byId.set(id, found);
    const record = found.last >= instant ? findContainer(db, id) : undefined;
    if (record !== undefined) moving.push(record);
  }
  known.byId = byId;
  return moving;
}

function lastInstant(record: ContainerRecord | undefined): number {
  const instants = record?.deployments.flatMap(({ timeline = [] }) => timeline.map(({ at }) => at)) ?? [];
  return instants.reduce((last, at) => Math.max(last, at), -Infinity);
}
