// Failure modes of deployments that look alike to a client: one of each group is tried.

import { failureModes, readFailure } from '../../platform/containers/lifecycle/failures.js';

/** The best-known modes, which represent their groups. */
const bestKnown = ['image-not-found', 'crash-loop', 'oom-later', 'timeout', 'flapping-health', 'credits-exhausted'];

/** All failure modes of deployments, in groups that a client can tell apart only by messages; the first represents its group. */
export function modesAlike(): string[][] {
  const groups = new Map<string, string[]>();
  for (const mode of [...bestKnown, ...failureModes().filter((one) => !bestKnown.includes(one))]) {
    const { stage, refund, phases } = readFailure(mode);
    const key = [stage, refund, ...phases.map(({ status, lasts }) => `${status} ${lasts === 'limit'}`)].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), mode]);
  }
  return [...groups.values()];
}
