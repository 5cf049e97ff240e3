// The statuses that a container has had, kept from one reader to the next: what has happened is never gone through again.

import { maintained } from '../../db/cached-reads.js';
import type { Db } from '../../db/db.js';
import { iso } from '../../http/wire.js';
import { compareSegments, followChanges, type StatusChange, type Step } from './changes.js';
import { deploymentsBefore, remembered } from './deployment-store.js';
import type { ContainerRecord } from './store.js';
import { type Deployment, type Segment, timelineOf } from './timeline.js';

/** So many changes of status are shown at most: the last ones. */
const mostShownChanges = 1_000;
// A stream that resumes may need more.
const mostKept = 10_000;

/** A place in a history. */
type Place = Pick<StatusChange, 'at' | 'order'>;

interface Entry extends StatusChange {
  /** Its instant as responses show it: to write thousands takes milliseconds. */
  text: string;
}

/** The statuses that a container has had by an instant, oldest first, after a place if one is given. */
export function historyOf(db: Db, record: ContainerRecord, now: number, after?: Place): Entry[] {
  // A request whose preparation takes time may be older than a container.
  const until = Math.max(now, record.deployments[0]?.startedAt ?? now);
  const kept = histories(db, record.id);
  if (kept.history?.goesOn(record.deployments, until) !== true)
    kept.history = createHistory(shownDeployments(db, record.deployments), until);
  const { entries } = kept.history;
  const end = entries.findLastIndex(({ at }) => at <= until) + 1;
  const begin = after === undefined ? 0 : entries.findLastIndex((entry) => !isAfter(entry, after)) + 1;
  return entries.slice(begin, Math.max(begin, end));
}

function isAfter({ at, order }: Place, after: Place): boolean {
  return at > after.at || (at === after.at && order > after.order);
}

/** The last statuses of a container by an instant, as responses show them. */
export function presentHistory(db: Db, record: ContainerRecord, now: number) {
  return historyOf(db, record, now)
    .slice(-mostShownChanges)
    .map(({ status, text }) => ({ status, at: text }));
}

/** The deployments of a container that are shown, oldest first, from those that affect what it is. */
export function shownDeployments(db: Db, deployments: readonly Deployment[]): readonly Deployment[] {
  if (deployments[0]?.number === 1) return deployments;
  const older = deploymentsBefore(db, deployments);
  const known = new Set(older.map(({ number }) => number));
  return [...older, ...deployments.filter(({ number }) => !known.has(number))].sort((a, b) => a.number - b.number);
}

interface History {
  /** The last ones. */
  readonly entries: readonly Entry[];
  /** Adds what has happened since; false: that cannot be told from these deployments, or came before what it has. */
  goesOn(deployments: readonly Deployment[], until: number): boolean;
}

const histories = maintained(
  ['containers', 'deployments', 'interventions'],
  (_db, _containerId: string): { history?: History } => ({}),
);

/** The history of a container from all its deployments, oldest first. */
export function createHistory(all: readonly Deployment[], until: number): History {
  const changes = followChanges();
  // How many segments of each deployment it contains, by the deployment's number.
  const contained = new Map<number, number>();
  let entries: Entry[] = [];
  let last: Segment | undefined;

  function add(deployments: readonly Deployment[], by: number): boolean {
    const steps: Step[] = [];
    for (const deployment of deployments) {
      const { number: place } = deployment;
      const timeline = deployment.timeline ?? timelineOf(deployment);
      let next = contained.get(place) ?? 0;
      for (let segment = timeline[next]; segment !== undefined && segment.at <= by; segment = timeline[++next])
        steps.push({ place, segment });
      contained.set(place, next);
    }
    const former = last;
    if (former !== undefined && steps.some(({ segment }) => compareSegments(segment, former) < 0)) return false;
    for (const change of changes.take(steps))
      if (change.status !== entries.at(-1)?.status) entries.push({ ...change, text: iso(change.at) });
    last = steps.at(-1)?.segment ?? last;
    if (entries.length > 2 * mostKept) entries = entries.slice(-mostKept);
    return true;
  }

  add(all, until);
  return {
    get entries() {
      return entries;
    },
    goesOn(deployments, by) {
      const newest = deployments.at(-1)?.number ?? 0;
      const present = new Set(deployments.map(({ number }) => number));
      // The last ones are always there, older ones only where they still matter.
      const isComplete = newest <= remembered || contained.has(newest - remembered);
      return isComplete && changes.open().every((place) => present.has(place)) && add(deployments, by);
    },
  };
}
