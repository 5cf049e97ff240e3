// Hosted agents as responses show them.

import { toCredits } from '../../core/money.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { iso, isoOrNull } from '../../http/wire.js';
import { waitMs } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { webUiUrl } from './access.js';
import { lastBackup } from './backups.js';
import { hourlyPrice, rateClassOf, startPrice } from './billing.js';
import { agentJobAt, isShared, maxAttempts, stateAt } from './lifecycle.js';
import type { Begun } from './operations.js';
import { pollInterval, usualMs } from './plan.js';
import type { AgentJob, HostedAgent } from './store.js';

// What all hosted agents of an organization cost.

/** The hours of a month, for estimates. */
const hoursOfMonth = 730;

/** The summary in a list of an organization's agents. */
export function presentSummary(
  agents: readonly HostedAgent[],
  { world, now, organizationId }: { world: World; now: number; organizationId: string },
) {
  const rates = agents.map((agent) => rateClassOf(agent, stateAt(agent, now)));
  const shared = rates.filter((rate) => rate === 'shared-usage').length;
  const running = rates.filter((rate) => rate === 'running').length;
  const idle = rates.filter((rate) => rate === 'idle').length;
  const dedicated = rates.length - shared;
  const hourly = rates.reduce((sum, rate) => sum + hourlyPrice(world, rate), 0);
  const balance = findOrganization(world.db, organizationId)?.balance ?? 0;
  const { runningHour, idleHour, lowCredit } = world.config.hostedAgents;
  return {
    sharedCount: shared,
    dedicatedRunningCount: running,
    dedicatedIdleCount: idle,
    hasAgents: shared + dedicated > 0,
    hasDedicatedHosting: dedicated > 0,
    hourlyHostingCostUsd: toCredits(hourly),
    monthlyHostingCostUsd: roundedUsd(toCredits(hourly) * hoursOfMonth),
    creditBalanceUsd: toCredits(balance),
    hoursRemaining: hourly === 0 ? null : Math.floor(balance / hourly),
    lowBalance: hourly > 0 && toCredits(balance) < lowCredit,
    dedicatedRunningHourlyRateUsd: runningHour,
    dedicatedIdleHourlyRateUsd: idleHour,
    minimumDepositUsd: toCredits(startPrice(world)),
    lowCreditWarningUsd: lowCredit,
  };
}

/** An amount without what floating point adds. */
export function roundedUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

export type Viewing = Pick<HandlerContext, 'world' | 'now' | 'baseUrl'>;

const heartbeatMs = 30_000;

/** When a job is likely to end, as far as clients are told: failures do not show. */
export function estimateOf(world: World, job: AgentJob): string {
  return iso(job.created_at + usualMs(world, job.type));
}

/** An agent as lists show it. */
export function presentHostedAgent(agent: HostedAgent, { world, now, baseUrl }: Viewing) {
  const state = stateAt(agent, now);
  const rateClass = rateClassOf(agent, state);
  const hourly = toCredits(hourlyPrice(world, rateClass));
  const { activeJob, status } = state;
  const isAlive = status === 'running';
  // The latest of the heartbeats, which come each half a minute from when it began to run.
  const heartbeat = state.since + Math.floor((now - state.since) / heartbeatMs) * heartbeatMs;
  return {
    id: agent.id,
    agentName: agent.name,
    status,
    databaseStatus: state.database,
    lastBackupAt: isoOrNull(lastBackup(world, agent, now)?.createdAt),
    lastHeartbeatAt: isAlive && !isShared(agent) ? iso(Math.max(heartbeat, state.since)) : null,
    errorMessage: state.error,
    createdAt: iso(agent.created_at),
    updatedAt: iso(Math.max(agent.updated_at, Math.min(state.since, now))),
    token_address: null,
    token_chain: null,
    token_name: null,
    token_ticker: null,
    dockerImage: agent.docker_image,
    executionTier: agent.tier,
    hostingCost: { rateClass, hourlyRateUsd: hourly, monthlyEstimateUsd: roundedUsd(hourly * hoursOfMonth) },
    webUiUrl: webUiUrl(baseUrl, agent),
    activeJob: activeJob === null ? null : presentActive(world, activeJob, now),
  };
}

function presentActive(world: World, job: AgentJob, now: number) {
  const { status, attempts, startedAt } = agentJobAt(job, now);
  return {
    id: job.id,
    type: job.type,
    status,
    attempts,
    maxAttempts,
    estimatedCompletionAt: estimateOf(world, job),
    scheduledFor: iso(job.created_at),
    startedAt: isoOrNull(startedAt),
    createdAt: iso(job.created_at),
    updatedAt: iso(startedAt ?? job.created_at),
  };
}

/** An agent with all its details. */
export function presentHostedDetails(agent: HostedAgent, viewing: Viewing) {
  const { status, errors } = stateAt(agent, viewing.now);
  const isReached = status === 'running' && !isShared(agent);
  return {
    ...presentHostedAgent(agent, viewing),
    bridgeUrl: isReached ? `${webUiUrl(viewing.baseUrl, agent)}/bridge` : null,
    meshAddressPresent: isReached,
    errorCount: errors,
    walletAddress: null,
    walletProvider: null,
    walletStatus: 'none' as const,
    adminDetails: null,
  };
}

/** How to poll a job. */
export function presentPolling(world: World, { id, type }: Pick<AgentJob, 'id' | 'type'>) {
  return {
    endpoint: `${world.prefix}/api/v1/jobs/${id}`,
    intervalMs: pollInterval(world, type),
    expectedDurationMs: waitMs(world, usualMs(world, type)),
  };
}

/** The body of a 202: a job has begun, or was in progress. */
export function presentBegun({ agent, job, alreadyInProgress }: Begun, { world, now }: Pick<Viewing, 'world' | 'now'>) {
  const action = job.type.replace('agent_', '');
  const title = action.charAt(0).toUpperCase() + action.slice(1);
  const message = alreadyInProgress
    ? `${title} is already in progress.`
    : `${title} job created. Poll the job endpoint for status.`;
  return {
    success: true as const,
    created: !alreadyInProgress,
    alreadyInProgress,
    message,
    data: {
      agentId: agent.id,
      action,
      jobId: job.id,
      status: agentJobAt(job, now).status,
      message,
      previousStatus: job.previous,
      estimatedCompletionAt: estimateOf(world, job),
      executionTier: agent.tier,
    },
    polling: presentPolling(world, job),
  };
}
