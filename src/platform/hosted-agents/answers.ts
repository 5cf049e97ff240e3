// Schemas of responses about hosted agents.

import * as z from 'zod';
import { id, isoTime, success } from '../../http/wire.js';
import { rateClasses } from './billing.js';
import { agentJobStatuses } from './lifecycle.js';
import { agentStatuses, jobTypes, tiers } from './store.js';

const tier = z.enum(tiers);
const status = z.enum(agentStatuses);
const jobStatus = z.enum(agentJobStatuses);
const source = z.literal('shared_runtime').optional();

export const polling = z.lazy(() =>
  z.object({ endpoint: z.string(), intervalMs: z.int(), expectedDurationMs: z.int() }).meta({ id: 'JobPolling' }),
);

const activeJob = z.lazy(() =>
  z.object({
    id,
    type: z.enum(jobTypes),
    status: jobStatus,
    attempts: z.int(),
    maxAttempts: z.int(),
    estimatedCompletionAt: isoTime,
    scheduledFor: isoTime,
    startedAt: isoTime.nullable(),
    createdAt: isoTime,
    updatedAt: isoTime,
  }),
);

export const agentItem = z.lazy(() =>
  z
    .object({
      id,
      agentName: z.string(),
      status,
      databaseStatus: z.enum(['none', 'provisioning', 'ready', 'error']),
      lastBackupAt: isoTime.nullable(),
      lastHeartbeatAt: isoTime.nullable(),
      errorMessage: z.string().nullable(),
      createdAt: isoTime,
      updatedAt: isoTime,
      token_address: z.string().nullable(),
      token_chain: z.string().nullable(),
      token_name: z.string().nullable(),
      token_ticker: z.string().nullable(),
      dockerImage: z.string().nullable(),
      executionTier: tier,
      hostingCost: z.object({
        rateClass: z.enum(rateClasses),
        hourlyRateUsd: z.number(),
        monthlyEstimateUsd: z.number(),
      }),
      webUiUrl: z.string(),
      activeJob: activeJob.nullable(),
    })
    .meta({ id: 'HostedAgent' }),
);

const agentDetails = z.lazy(() =>
  agentItem
    .unwrap()
    .extend({
      bridgeUrl: z.string().nullable(),
      meshAddressPresent: z.boolean(),
      errorCount: z.int(),
      walletAddress: z.string().nullable(),
      walletProvider: z.string().nullable(),
      walletStatus: z.enum(['active', 'pending', 'none', 'error']),
      adminDetails: z.null(),
    })
    .meta({ id: 'HostedAgentDetails' }),
);

export const hostingSummary = z.lazy(() =>
  z
    .object({
      sharedCount: z.int(),
      dedicatedRunningCount: z.int(),
      dedicatedIdleCount: z.int(),
      hasAgents: z.boolean(),
      hasDedicatedHosting: z.boolean(),
      hourlyHostingCostUsd: z.number(),
      monthlyHostingCostUsd: z.number(),
      creditBalanceUsd: z.number(),
      hoursRemaining: z.number().nullable(),
      lowBalance: z.boolean(),
      dedicatedRunningHourlyRateUsd: z.number(),
      dedicatedIdleHourlyRateUsd: z.number(),
      minimumDepositUsd: z.number(),
      lowCreditWarningUsd: z.number(),
    })
    .meta({ id: 'HostingSummary' }),
);

const created = z.object({
  id,
  agentId: id,
  agentName: z.string(),
  status: z.string(),
  createdAt: isoTime,
  executionTier: tier,
  webUiUrl: z.string().optional(),
  bridgeUrl: z.string().optional().describe('Of one from the warm pool'),
  healthUrl: z.string().optional().describe('Of one from the warm pool'),
});

export const reusedAnswer = z.lazy(() => z.object({ success, created: z.literal(false), data: created }));
export const createdAnswer = z.lazy(() =>
  z.object({
    success,
    created: z.literal(true),
    source: z.enum(['shared_runtime', 'warm_pool']).optional(),
    data: created,
  }),
);
export const provisionedAnswer = z.lazy(() =>
  z.object({
    success,
    created: z.literal(true),
    message: z.string(),
    data: created.omit({ createdAt: true }).extend({ jobId: id, estimatedCompletionAt: isoTime }),
    polling,
  }),
);

export const listAnswer = z.lazy(() => z.object({ success, data: z.array(agentItem), hostingSummary }));
export const getAnswer = z.lazy(() => z.object({ success, data: agentDetails }));

/** What stands in the response to an action that has nothing to wait for. */
export const doneAnswer = z.lazy(() =>
  z.object({
    success,
    source,
    message: z.string().optional(),
    data: z
      .object({
        id: id.optional(),
        agentId: id.optional(),
        action: z.string().optional(),
        agentName: z.string().optional(),
        status: z.string().optional(),
        executionTier: tier.optional(),
        message: z.string().optional(),
        webUiUrl: z.string().optional(),
        updatedAt: isoTime.optional(),
      })
      .loose(),
  }),
);

export const deletedAnswer = z.lazy(() =>
  z.object({
    success,
    deleted: z.literal(true),
    source,
    data: z.object({ agentId: id, status: z.literal('deleted'), executionTier: tier }),
  }),
);

/** A job that has begun, or was in progress. */
export const jobAnswer = z.lazy(() =>
  z.object({
    success,
    created: z.boolean(),
    alreadyInProgress: z.boolean(),
    message: z.string(),
    data: z.object({
      agentId: id,
      action: z.string(),
      jobId: id,
      status: jobStatus,
      message: z.string(),
      previousStatus: status,
      estimatedCompletionAt: isoTime,
      executionTier: tier,
    }),
    polling,
  }),
);

export const backupsAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.array(
      z.object({
        id,
        snapshotType: z.enum(['auto', 'manual', 'pre-shutdown']),
        backupKind: z.enum(['full', 'incremental']),
        parentBackupId: id.nullable(),
        sizeBytes: z.int(),
        createdAt: isoTime,
      }),
    ),
  }),
);

export const restoredAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.object({
      restoredFromBackupId: id,
      snapshotType: z.enum(['auto', 'manual', 'pre-shutdown']),
      createdAt: isoTime,
    }),
  }),
);

export const environmentAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.object({
      agentId: id,
      updatedKeys: z.array(z.string()),
      removedKeys: z.array(z.string()),
      status,
      executionTier: tier,
      needsRestart: z.boolean(),
    }),
  }),
);
