// What happened to hosted agents and jobs, as entries of the timeline.

import { iso } from '../../http/wire.js';
import { stepsOf } from '../../platform/hosted-agents/history.js';
import { listAgentActs, listAgentJobs, listHostedAgents } from '../../platform/hosted-agents/store.js';

import { type AnyJob, stepsOfJob } from '../../platform/jobs/named.js';

import { titleOfJob } from '../../platform/timed/timed.js';
import type { World } from '../../world/world.js';
import { nothing } from './entries.js';
import { type Placed, tonesOf } from './timeline.js';

/** All hosted agents of a world with what they went through, as they are stored now. */
export function storedAgents({ db }: World) {
  return {
    agents: listHostedAgents(db),
    jobs: listAgentJobs(db),
    acts: listAgentActs(db),
  };
}

/** The statuses of hosted agents by an instant. */
export function agentEntries(
  { agents, jobs, acts }: ReturnType<typeof storedAgents>,
  now: number,
  numberOf: (requestId: string | null) => number,
): Placed[] {
  const jobsOf = byAgent(jobs);
  const actsOf = byAgent(acts);
  const placed: Placed[] = [];
  for (const agent of agents) {
    for (const step of stepsOf(agent, now, jobsOf.get(agent.id) ?? [], actsOf.get(agent.id) ?? [])) {
      const { status, at, order, error, requestId, after, isByTime } = step;
      placed.push({
        at,
        request: after ?? (isByTime ? 0 : numberOf(requestId)),
        order,
        entry: {
          ...nothing,
          id: `agent:${agent.id}:${order}`,
          kind: 'agent',
          at: iso(at),
          title: `Hosted agent ${agent.name}`,
          result: status,
          tone: tonesOf.agent[status] ?? 'neutral',
          detail: error,
          subject: agent.id,
          requestId,
        },
      });
    }
  }
  return placed;
}

/** The steps of jobs by an instant. */
export function jobEntries(
  jobs: readonly AnyJob[],
  now: number,
  numberOf: (requestId: string | null) => number,
): Placed[] {
  return jobs.flatMap((job) => {
    const { id, created_at: createdAt, request_id: requestId } = job.voice ?? job.agent;
    return stepsOfJob(job, now).map(({ status, at, order, error, after }, index) => ({
      at,
      request: after ?? (at === createdAt ? numberOf(requestId) : 0),
      order,
      entry: {
        ...nothing,
        id: `job:${id}:${status}`,
        kind: 'job' as const,
        at: iso(at),
        title: titleOfJob(job),
        result: status,
        tone: tonesOf.job[status] ?? 'neutral',
        detail: error,
        subject: id,
        requestId: index === 0 ? requestId : null,
      },
    }));
  });
}

function byAgent<One extends { agent_id: string }>(all: readonly One[]): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of all) {
    const group = groups.get(one.agent_id);
    if (group === undefined) groups.set(one.agent_id, [one]);
    else group.push(one);
  }
  return groups;
}
