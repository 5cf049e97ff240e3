// Failure modes of deployments in groups: a client can tell the modes of a group apart only by their messages.

import { failureModes, readFailure } from '../containers/failures.js';

/** The best-known modes, which represent their groups. */
const known = ['image-not-found', 'crash-loop', 'oom-later', 'timeout', 'flapping-health', 'credits-exhausted'];

/** All modes; the first of each group represents it. */
export function modesAlike(): string[][] {
  const groups = new Map<string, string[]>();
  for (const mode of [...known, ...failureModes().filter((one) => !known.includes(one))]) {
    const { stage, refund, phases } = readFailure(mode);
    const key = [stage, refund, ...phases.map(({ status, lasts }) => `${status} ${lasts === 'limit'}`)].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), mode]);
  }
  return [...groups.values()];
}
