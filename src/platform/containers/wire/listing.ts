// The list of an organization's containers.

import type { JsonAnswer, LaterAnswer } from '../../../http/response.js';
import { openAddresses, withoutPort } from '../address/open-addresses.js';
import { type ContainerRecord, listContainers } from '../store.js';
import { keepAnswer, keptAnswer, sameUntil, type View } from './present.js';

/** Answers with all containers of the caller's organization, the newest first. */
export function answerList(
  view: View,
  organizationId: string,
  present: (record: ContainerRecord, view: View) => object,
): JsonAnswer | LaterAnswer {
  const { world, now } = view;
  const key = `list ${organizationId} ${view.baseUrl}`;
  const known = keptAnswer(view, key);
  if (known !== undefined) return known;
  const answer = () => {
    const records = listContainers(world.db, organizationId);
    const until = Math.min(...records.map((record) => sameUntil(record, view)));
    return keepAnswer(view, key, until, { success: true, data: records.map((record) => present(record, view)) });
  };
  const closed = withoutPort(world, listContainers(world.db, organizationId), now);
  if (closed.length === 0) return answer();
  const ready = async () => {
    await openAddresses(world, closed, now);
    return answer();
  };
  return { kind: 'later', ready };
}
