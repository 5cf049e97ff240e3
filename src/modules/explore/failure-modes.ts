// Failure modes of deployments in groups: those that a client cannot tell apart but by their message.

import { failureModes, readFailure } from '../containers/failures.js';

/** The best known ones stand for their groups. */
const known = ['image-not-found', 'crash-loop', 'oom-later', 'timeout', 'flapping-health', 'credits-exhausted'];

/** All modes; of each group the one that stands for it is the first. */
export function modesAlike(): string[][] {
  const groups = new Map<string, string[]>();
  for (const mode of [...known, ...failureModes().filter((one) => !known.includes(one))]) {
    const { stage, refund, phases } = readFailure(mode);
    const key = [stage, refund, ...phases.map(({ status, lasts }) => `${status} ${lasts === 'limit'}`)].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), mode]);
  }
  return [...groups.values()];
}
