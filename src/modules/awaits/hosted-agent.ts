// Waiting for a hosted agent to have a status.

import * as z from 'zod';
import type { World } from '../../world/world.js';
import { namedHostedAgent } from '../hosted-agents/access.js';
import { showHostedAgent } from '../hosted-agents/control.js';
import { type AgentState, endOfJob, stateAt } from '../hosted-agents/lifecycle.js';
import { type AgentStatus, agentStatuses, findHostedAgent, type HostedAgent } from '../hosted-agents/store.js';
import type { Look, Subject } from './waiting.js';

const status = z.enum([...agentStatuses, 'deleted']);
type Wanted = z.output<typeof status>;

export const hostedAgentCondition = z.lazy(() =>
  z.object({
    agent: z.string().describe('Id or name of a hosted agent'),
    status: z
      .union([
        status,
        z
          .array(status)
          .min(1)
          .max(agentStatuses.length + 1),
      ])
      .describe('A status, or a list of statuses any of which is enough; deleted: it is gone'),
  }),
);

/** Holds when the hosted agent (an id or a name) has the status, or one of several. */
export type HostedAgentCondition = z.input<typeof hostedAgentCondition>;

/** The hosted agent of a condition, as something to wait for. */
export function hostedAgentSubject(
  world: World,
  { agent: name, status: wanted }: z.output<typeof hostedAgentCondition>,
): Subject {
  const wantedOnes: Wanted[] = [wanted].flat();
  world.settle(world.clock.now());
  const { id } = namedHostedAgent(world, name, 'agent');
  let last = showHostedAgent(world, id);

  return {
    topics: [`hosted-agent:${id}`],
    look(): Look {
      const now = world.clock.now();
      world.settle(now);
      const agent = findHostedAgent(world.db, id);
      if (agent === undefined) {
        if (wantedOnes.includes('deleted')) return { holds: last };
        return { never: `Hosted agent ${last.name} is gone`, state: last };
      }
      last = showHostedAgent(world, id);
      if (wantedOnes.includes(last.status)) return { holds: last };
      const state = stateAt(agent, now);
      const ahead = statusesAhead(agent, state);
      const wish = `Hosted agent ${last.name} is ${last.status}, not ${wantedOnes.join(' or ')}`;
      if (ahead.some((one) => wantedOnes.includes(one))) return { yet: wish, state: last, nextAt: state.nextAt };
      // It stops when the credits do not cover its next hour.
      if (wantedOnes.includes('stopped') && last.rate === 'running' && agent.paid_until !== null)
        return { yet: wish, state: last, nextAt: agent.paid_until };
      return { never: `${wish}, and ${whyNever(ahead, last.error)}`, state: last };
    },
  };
}

// What its job leads to, if nobody interferes.
function statusesAhead({ base, job }: HostedAgent, { activeJob }: AgentState): (AgentStatus | 'deleted')[] {
  if (activeJob === null || job === null) return [];
  const { at } = endOfJob(job);
  if (at === Infinity) return [];
  const { status, gone } = stateAt({ base, job }, at);
  return [gone ? 'deleted' : status];
}

function whyNever(ahead: readonly string[], error: string | null): string {
  if (ahead.length > 0) return `its job leads only to ${ahead.join(', ')}`;
  return `no job of it leads further${error === null ? '' : ` (${error})`}`;
}
