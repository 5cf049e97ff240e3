// The hosted agents of a scenario: created at their instants, and in their statuses when it begins.

import { milliseconds } from '../../core/duration.js';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { beginHours, seedAgent } from '../../platform/hosted-agents/create.js';
import { stateAt } from '../../platform/hosted-agents/lifecycle.js';
import { beginJob } from '../../platform/hosted-agents/operations.js';
import { type AgentStatus, findHostedAgent } from '../../platform/hosted-agents/store.js';
import { statusBefore } from '../../platform/jobs/named.js';
import type { World } from '../../world/world.js';
import { at } from './check.js';
import type { Holdings, ScenarioHostedAgent } from './data-schema.js';
import { type SeedEvent, usualAgeMs } from './seed-world.js';

/** An agent that was made, and its place in the document. */
export interface MadeAgent {
  id: string;
  place: string;
  wanted: ScenarioHostedAgent;
}

interface Account {
  place: string;
  holdings: Holdings;
  organizationId: string;
  userId: string;
}

/** The age of an agent in milliseconds. One that is being provisioned was created just now. */
export function hostedAgentAge({ age, status, job }: ScenarioHostedAgent): number {
  if (age !== undefined) return milliseconds(age);
  return status === 'provisioning' ? 0 : Math.max(usualAgeMs, milliseconds(job?.age ?? 0));
}

/** The events by which the hosted agents of an organization, and their jobs, come to be. */
export function hostedAgentEvents(
  world: World,
  { place: of, holdings, ...owner }: Account,
  beginning: number,
  made: MadeAgent[],
): SeedEvent[] {
  return (holdings.hostedAgents ?? []).flatMap((wanted, index): SeedEvent[] => {
    const place = `${of}.hostedAgents[${index}]`;
    const created = beginning - hostedAgentAge(wanted);
    let id = '';
    const begin = (now: number, { type, mode }: Pick<NonNullable<typeof wanted.job>, 'type' | 'mode'>): void => {
      const agent = findHostedAgent(world.db, id);
      const beginning = { world, now, userId: owner.userId, requestId: null, mode: mode ?? null };
      if (agent !== undefined) beginJob(beginning, agent, type);
    };
    const create = (): void => {
      const { name: agentName, agentConfig, environmentVars, dockerImage, error, mode } = wanted;
      const { status, provisions } = firstStatus(wanted);
      const body = { agentName, agentConfig, environmentVars, dockerImage };
      const tier = wanted.tier ?? (dockerImage === undefined ? 'dedicated-always' : 'custom');
      ({ id } = seedAgent(world, owner, created, { body, tier, status, error, mode }));
      made.push({ id, place, wanted });
      if (provisions) begin(created, { type: 'agent_provision' });
    };
    const events: SeedEvent[] = [{ at: created, act: () => at(place, create) }];
    const { job } = wanted;
    if (job === undefined) return events;
    const begun = beginning - milliseconds(job.age ?? 0);
    return [...events, { at: begun, act: () => at(`${place}.job`, () => begin(begun, job)) }];
  });
}

// Where a status is given, it is had from the start: what an agent did before is nobody's concern.
function firstStatus(wanted: ScenarioHostedAgent): { status: AgentStatus; provisions: boolean } {
  const { tier, status, mode, age, job } = wanted;
  if (tier === 'shared') return { status: 'running', provisions: false };
  if (job !== undefined) return { status: status ?? statusBefore[job.type], provisions: false };
  if (status === 'provisioning') return { status: 'pending', provisions: true };
  if (status !== undefined) return { status, provisions: false };
  if (mode === undefined && age === undefined) return { status: 'running', provisions: false };
  return { status: 'pending', provisions: true };
}

/**
 * Begins the hours of an agent of a scenario.
 *
 * @throws ApiError VALIDATION_ERROR when it is not in the status, or its job not in progress, as the scenario says
 */
export function reachHostedStatus(world: World, { id, place, wanted }: MadeAgent, beginning: number): void {
  const agent = findHostedAgent(world.db, id);
  const state = agent === undefined ? undefined : stateAt(agent, beginning);
  const { status, job } = wanted;
  const isOver = (what: string): string => `cannot be had: by the timing of the settings ${what} has ended by then`;
  if (job !== undefined && (state?.activeJob ?? null) === null)
    throw invalid({ path: `${place}.job`, message: isOver('the job'), received: describe(job.type) });
  if (status === 'provisioning' && state?.status !== status)
    throw invalid({ path: `${place}.status`, message: isOver('its provisioning'), received: describe(status) });
  beginHours(world, id, beginning, wanted.unpaid === true);
}
