// Outages wait until it is known what the client does after a single 503: if it sends no further request of the operation,
// an outage is but that to it.

import type { Try } from '../../modules/explore/fault-kinds.js';
import type { Tried } from '../../modules/explore/finds.js';
import { nameOf } from '../../modules/explore/points.js';

export interface Outages {
  /** Those that are to be tried. */
  readonly ready: Try[];
  /** Those that wait. */
  readonly waiting: Set<Try>;
  /** How many need not be tried. */
  merged(): number;
  /** Notes what came of a try; undefined: its fault was not met. */
  note(one: Try, tried: Tried | undefined): void;
}

export const isOutage = ({ kind }: Try): boolean => kind.id === 'outage';
const isRefusal = ({ kind }: Try): boolean => kind.id === '503';

/** @param full each is tried, whatever the client does after a 503 */
export function createOutages(tries: readonly Try[], full: boolean): Outages {
  const refused = new Set(full ? [] : tries.filter(isRefusal).map(({ point }) => nameOf(point)));
  const waiting = new Set(tries.filter((one) => isOutage(one) && refused.has(nameOf(one.point))));
  const ready = tries.filter((one) => isOutage(one) && !waiting.has(one));
  let merged = 0;
  return {
    ready,
    waiting,
    merged: () => merged,
    note(one, tried) {
      const outage = isRefusal(one) ? [...waiting].find(({ point }) => nameOf(point) === nameOf(one.point)) : undefined;
      if (outage === undefined) return;
      waiting.delete(outage);
      if (tried !== undefined && isLastOfOperation(tried)) merged++;
      else ready.push(outage);
    },
  };
}

function isLastOfOperation({ tried: { point }, seen }: Tried): boolean {
  const last = seen.requests.findLast(({ operation }) => operation === point.operation);
  return last !== undefined && last.fault !== null;
}
