// Control operations of hosted agents: list them, make one, set its status, and the failure modes of their jobs.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { ApiError } from '../../core/errors.js';
import { toCredits } from '../../core/money.js';
import { iso, isoOrNull } from '../../http/wire.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { namedHostedAgent } from './access.js';
import { hourlyPrice, outOfCredits, rateClasses, rateClassOf } from './billing.js';
import { createRunningAgent } from './create.js';
import { type AgentFailureDescription, agentFailureDescription, listAgentFailures } from './failures.js';
import { historyOfAgent } from './history.js';
import { isShared, stateAt } from './lifecycle.js';
import { setAgentStatus } from './operations.js';
import { agentStatuses, type HostedAgent, listHostedAgents, type Tier, tiers } from './store.js';

export const hostedAgent = z.lazy(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    organizationId: z.string(),
    tier: z.enum(tiers),
    status: z.enum(agentStatuses),
    since: z.string().describe('When it came to have that status'),
    error: z.string().nullable(),
    failure: z.string().nullable().describe('The failure mode that its jobs follow'),
    jobId: z.string().nullable().describe('The job in progress'),
    rate: z.enum(rateClasses),
    hourly: z.number().describe('Credits that an hour of it costs as it is'),
    paidUntil: z.string().nullable().describe('The end of the hour that is paid'),
    totalBilled: z.number().describe('Credits that its hours have cost'),
    createdAt: z.string(),
    nextTransitionAt: z.string().nullable(),
  }),
);

export type ControlledHostedAgent = z.output<typeof hostedAgent>;

export const inspectedAgent = z.lazy(() =>
  hostedAgent.unwrap().extend({
    statusHistory: z.array(z.object({ status: z.enum(agentStatuses), at: z.string(), error: z.string().nullable() })),
  }),
);

/** A hosted agent with the statuses that it has had. */
export type InspectedHostedAgent = z.output<typeof inspectedAgent>;

const named = z.lazy(() => z.object({ id: z.string().describe('Id or name of the agent') }));

/** The statuses that an intervention can set; the others are those of jobs. */
const settable = ['running', 'stopped', 'sleeping', 'disconnected', 'error', 'deletion_failed'] as const;

export const hostedAgentOperations = {
  /** Lists all hosted agents of the world, newest first. */
  list: operation({
    id: 'control.hostedAgents',
    route: 'GET /hosted-agents',
    summary: 'List all hosted agents of the world',
    output: listed('hosted-agents', hostedAgent),
    command: {
      line: 'hosted-agent list',
      columns: 'id name status tier error? nextTransitionAt?',
      examples: [['hosted-agent list', 'hosted agents, and what each does']],
    },
    run({ world }): ControlledHostedAgent[] {
      const now = world.clock.now();
      world.settle(now);
      const shown: ControlledHostedAgent[] = [];
      for (const agent of listHostedAgents(world.db)) {
        shown.push(present(world, agent, now));
      }
      return shown;
    },
  }),
  /** Lists the failure modes of the jobs of hosted agents. */
  failures: operation({
    id: 'control.hostedAgents.failures',
    route: 'GET /hosted-agents/failures',
    summary: 'List the failure modes of the jobs of hosted agents',
    output: listed('failures', agentFailureDescription),
    command: {
      line: 'hosted-agent failures',
      columns: 'mode title message?',
      examples: [['hosted-agent failures --json', 'with what to do about each, and what selects it']],
    },
    run: (): AgentFailureDescription[] => listAgentFailures(),
  }),
  /**
   * Returns a hosted agent with the statuses that it has had.
   *
   * @param id its id or name
   * @throws ApiError NOT_FOUND
   */
  get: operation({
    id: 'control.hostedAgents.get',
    route: 'GET /hosted-agents/{id}',
    summary: 'Show a hosted agent, with the statuses that it has had',
    params: named,
    output: inspectedAgent,
    errors: ['NOT_FOUND'],
    command: { line: 'hosted-agent show <id>', examples: [['hosted-agent show Support', 'by its name or id']] },
    run: ({ world }, id: string): InspectedHostedAgent => inspectHostedAgent(world, id),
  }),
  /**
   * Makes a hosted agent that runs, of the seeded organization: of the tier that new agents have, unless one is named.
   *
   * @example controls.hostedAgents.create({ name: 'Support', tier: 'dedicated-always' })
   * @throws ApiError CONFLICT when the credits do not cover the first hours of a dedicated one
   */
  create: operation({
    id: 'control.hostedAgents.create',
    route: 'POST /hosted-agents',
    summary: 'Make a hosted agent that runs',
    body: z.lazy(() =>
      z.object({
        name: z.string().min(1).max(100).optional().describe('Name; by default Agent'),
        tier: z.enum(tiers).optional().describe('Tier; by default that of hostedAgents.tier'),
      }),
    ),
    bodyOptional: true,
    output: hostedAgent,
    errors: ['CONFLICT'],
    command: {
      line: 'hosted-agent create',
      examples: [['hosted-agent create --name Support --tier dedicated-always', 'runs at once, and costs by the hour']],
    },
    run: ({ world }, options: { name?: string | undefined; tier?: Tier | undefined } = {}): ControlledHostedAgent =>
      world.db.transaction(() => {
        const now = world.clock.now();
        world.settle(now);
        const agent = createRunningAgent(world, seededIdentity(world), options);
        if (agent.billing === 'suspended') throw new ApiError('CONFLICT', { message: outOfCredits });
        return present(world, agent, now);
      }),
  }),
  /**
   * Sets the status of a dedicated agent now. A job in progress fails.
   *
   * @param options.error why, which responses show as errorMessage
   * @example controls.hostedAgents.set('Support', { status: 'error', error: 'Out of memory' })
   * @throws ApiError NOT_FOUND; CONFLICT for a shared agent
   */
  set: operation({
    id: 'control.hostedAgents.set',
    route: 'POST /hosted-agents/{id}/status',
    summary: 'Set the status of a dedicated hosted agent now',
    params: named,
    body: z.lazy(() =>
      z.object({
        status: z.enum(settable).describe('The status that it has from now on'),
        error: z.string().min(1).max(500).optional().describe('Why, which responses show'),
      }),
    ),
    output: hostedAgent,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'hosted-agent set <id>',
      examples: [['hosted-agent set Support --status error --error "Out of memory"', 'it has crashed']],
    },
    run: (
      { world },
      id: string,
      { status, error }: { status: (typeof settable)[number]; error?: string | undefined },
    ): ControlledHostedAgent =>
      world.db.transaction(() => {
        const now = world.clock.now();
        world.settle(now);
        const agent = namedHostedAgent(world, id);
        if (isShared(agent))
          throw new ApiError('CONFLICT', { message: 'A shared agent always runs: its status cannot be set' });
        const why = error ?? (status === 'error' ? 'The agent crashed' : null);
        return present(world, setAgentStatus(world, agent, now, { status, error: why }), now);
      }),
  }),
};

/**
 * The hosted agent of an id or a name, as controls show it.
 *
 * @throws ApiError NOT_FOUND
 */
export function showHostedAgent(world: World, name: string): ControlledHostedAgent {
  const now = world.clock.now();
  world.settle(now);
  return present(world, namedHostedAgent(world, name), now);
}

function inspectHostedAgent(world: World, name: string): InspectedHostedAgent {
  const now = world.clock.now();
  world.settle(now);
  const agent = namedHostedAgent(world, name);
  const steps = historyOfAgent(world, agent, now);
  const statusHistory = steps.map(({ status, at, error }) => ({ status, at: iso(at), error }));
  return { ...present(world, agent, now), statusHistory };
}

function present(world: World, agent: HostedAgent, now: number): ControlledHostedAgent {
  const state = stateAt(agent, now);
  const rate = rateClassOf(agent, state);
  return {
    id: agent.id,
    name: agent.name,
    organizationId: agent.organization_id,
    tier: agent.tier,
    status: state.status,
    since: iso(state.since),
    error: state.error,
    failure: agent.failure,
    jobId: state.activeJob?.id ?? null,
    rate,
    hourly: toCredits(hourlyPrice(world, rate)),
    paidUntil: isoOrNull(agent.paid_until),
    totalBilled: toCredits(agent.total_billed),
    createdAt: iso(agent.created_at),
    nextTransitionAt: isoOrNull(state.nextAt),
  };
}
