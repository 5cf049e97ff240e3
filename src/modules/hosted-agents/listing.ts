// The list of an organization's hosted agents: of many, in pages, so that others get their turn.

import { nextTurn } from '../../core/clock.js';
import { type JsonAnswer, ok, type PiecesAnswer } from '../../http/response.js';
import { presentHostedAgent, type Viewing } from './present.js';
import { type HostedAgent, pageHostedAgents } from './store.js';
import { addToCosts, noCosts, presentSummary } from './summary.js';

/** Agents that are read and shown at once: some milliseconds. */
const pageSize = 200;

/** Answers with all agents of an organization, the newest first. */
export function answerHostedAgents(view: Viewing, organizationId: string): JsonAnswer | PiecesAnswer {
  const first = pageHostedAgents(view.world.db, organizationId, Number.MAX_SAFE_INTEGER, pageSize);
  if (first.length === pageSize)
    return { kind: 'pieces', status: 200, pieces: piecesFrom(view, organizationId, first) };
  const costs = addToCosts(noCosts, first, view);
  return ok({
    success: true,
    data: first.map((agent) => presentHostedAgent(agent, view)),
    hostingSummary: presentSummary(costs, { ...view, organizationId }),
  });
}

async function* piecesFrom(view: Viewing, organizationId: string, first: HostedAgent[]): AsyncGenerator<string> {
  const { world } = view;
  const { epoch } = world;
  let costs = noCosts;
  let page = first;
  yield '{"success":true,"data":[';
  for (let isFirst = true; page.length > 0; isFirst = false) {
    costs = addToCosts(costs, page, view);
    const text = page.map((agent) => JSON.stringify(presentHostedAgent(agent, view))).join(',');
    yield isFirst ? text : `,${text}`;
    if (page.length < pageSize) break;
    await nextTurn();
    if (world.epoch !== epoch) throw new Error('the world was reset while its agents were being listed');
    page = pageHostedAgents(world.db, organizationId, page.at(-1)?.seq ?? 0, pageSize);
  }
  yield `],"hostingSummary":${JSON.stringify(presentSummary(costs, { ...view, organizationId }))}}`;
}
