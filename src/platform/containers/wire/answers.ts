// Response schemas of containers.

import * as z from 'zod';
import { confirmation, id, isoTime, success } from '../../../http/wire.js';
import { statuses } from '../lifecycle/phases.js';

const status = z.enum(statuses);

// Present only where containers are billed by the day.
const billing = () =>
  z
    .object({
      billing_status: z.enum(['active', 'shutdown_pending', 'suspended']),
      total_billed: z.string(),
      last_billed_at: isoTime.nullable(),
      next_billing_at: isoTime.nullable(),
      shutdown_warning_sent_at: isoTime.nullable(),
      scheduled_shutdown_at: isoTime.nullable(),
    })
    .partial().shape;

/** A container as lists show it. */
const containerItem = z.lazy(() =>
  z
    .object({
      id,
      name: z.string(),
      project_name: z.string(),
      description: z.string().nullable(),
      status,
      url: z.string().nullable(),
      load_balancer_url: z.string().nullable(),
      cpu: z.int(),
      memory: z.int(),
      port: z.int(),
      architecture: z.enum(['arm64', 'x86_64']),
      desired_count: z.int(),
      ecr_image_uri: z.string(),
      health_check_path: z.string(),
      environment_vars: z.record(z.string(), z.string()),
      error_message: z.string().nullable(),
      organization_id: id,
      user_id: id,
      api_key_id: id.nullable(),
      stackName: z.string(),
      cloudformation_stack_name: z.string(),
      is_update: z.enum(['true', 'false']),
      last_deployed_at: isoTime.nullable(),
      created_at: isoTime,
      updated_at: isoTime,
      ...billing(),
    })
    .meta({ id: 'Container' }),
);

/** A container as the details endpoint shows it. */
const containerDetails = z.lazy(() =>
  containerItem
    .unwrap()
    .extend({
      deployment_log: z.string(),
      exit_code: z.int().nullable(),
      progress: z.int().min(0).max(100),
      statusHistory: z
        .array(z.object({ status, at: isoTime }))
        .describe('The last 1,000 changes of status, oldest first'),
      nextTransitionAt: isoTime.nullable(),
    })
    .meta({ id: 'ContainerDetails' }),
);

export const listAnswer = z.lazy(() => z.object({ success, data: z.array(containerItem) }));
export const getAnswer = z.lazy(() => z.object({ success, data: containerDetails }));
export const deleteAnswer = z.lazy(() =>
  confirmation.unwrap().extend({
    refundAmount: z.number().optional().meta({ description: 'Credits that were paid back' }),
  }),
);
export const updateAnswer = z.lazy(() =>
  z.object({
    success,
    message: z.string(),
    data: containerDetails,
    creditsDeducted: z.number(),
    creditsRemaining: z.number(),
  }),
);

export const createAnswer = z.lazy(() =>
  z.object({
    success,
    data: containerItem,
    message: z.string(),
    creditsDeducted: z.number(),
    creditsRemaining: z.number(),
    stackName: z.string(),
    polling: z.object({ endpoint: z.string(), intervalMs: z.int(), expectedDurationMs: z.int() }),
  }),
);

const logEntry = z.lazy(() =>
  z.object({ timestamp: isoTime, level: z.enum(['info', 'warn', 'error']), message: z.string() }),
);
const containerMention = z.lazy(() => z.object({ id, name: z.string(), status }));

export const logsAnswer = z.lazy(() =>
  z.object({
    success,
    logs: z.array(logEntry),
    data: z.object({
      container: containerMention,
      logs: z.array(logEntry),
      total: z.int(),
      hasLogs: z.boolean(),
      message: z.string().optional(),
      filters: z.object({ limit: z.int(), since: z.string().nullable(), level: z.string() }),
    }),
  }),
);

export const metricsAnswer = z.lazy(() =>
  z.object({
    success,
    cpu: z.object({ usage: z.number(), limit: z.number() }),
    memory: z.object({ usage: z.number(), limit: z.number(), unit: z.string() }),
    network: z.object({ rx: z.number(), tx: z.number() }),
    data: z.object({
      container: containerMention,
      metrics: z.object({
        cpu_utilization: z.number(),
        memory_utilization: z.number(),
        network_rx_bytes: z.number(),
        network_tx_bytes: z.number(),
        task_count: z.int(),
        healthy_task_count: z.int(),
        timestamp: isoTime,
      }),
      period_minutes: z.int(),
    }),
  }),
);

export const healthAnswer = z.lazy(() =>
  z.object({
    success,
    status: z.enum(['pending', 'healthy', 'unhealthy', 'stopped']),
    checks: z.object({ http: z.string(), memory: z.string(), disk: z.string() }),
    message: z.string().optional(),
    data: z.object({
      containerId: id,
      healthy: z.boolean(),
      statusCode: z.int().nullable(),
      responseTime: z.number().nullable(),
      error: z.string().nullable(),
      checkedAt: isoTime,
      containerStatus: status,
      lastHealthCheck: isoTime,
    }),
  }),
);

export const deploymentsAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.object({
      container: z.object({ id, name: z.string(), current_status: status, load_balancer_url: z.string().nullable() }),
      deployments: z.array(
        z.object({
          id,
          status: z.enum(['success', 'failed', 'pending']),
          cost: z.string(),
          error: z.string().nullable(),
          metadata: z.object({
            container_id: id,
            container_name: z.string(),
            desired_count: z.int(),
            cpu: z.int(),
            memory: z.int(),
            port: z.int(),
            image_tag: z.string().nullable(),
            ecr_image_uri: z.string(),
          }),
          deployed_at: isoTime,
          duration_ms: z.int().nullable(),
        }),
      ),
      total: z.int(),
    }),
  }),
);

export const quotaAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.object({
      quota: z.object({ current: z.int(), max: z.int(), remaining: z.int(), percentage: z.number() }),
      credits: z.object({ balance: z.number(), canDeploy: z.boolean() }),
      billing: z.object({
        model: z.literal('daily'),
        dailyCostPerContainer: z.number(),
        monthlyEquivalent: z.number(),
        currentDailyBurn: z.number(),
        runningContainers: z.int(),
        daysOfRunway: z.int().nullable(),
        warningThreshold: z.number(),
        shutdownWarningHours: z.number(),
      }),
      pricing: z.object({
        imageUpload: z.number(),
        deployment: z.number(),
        totalForNewContainer: z.number(),
        perDay: z.number(),
        perMonth: z.number(),
        perAdditionalInstance: z.number(),
      }),
      limits: z.object({ maxImageSize: z.int(), maxInstancesPerContainer: z.int(), maxEnvVars: z.int() }),
    }),
  }),
);

export const credentialsAnswer = z.lazy(() =>
  z.object({
    success,
    credentials: z.object({
      username: z.string(),
      password: z.string(),
      proxyEndpoint: z.string(),
      expiresAt: isoTime,
    }),
    repository: z.object({ uri: z.string(), name: z.string() }),
    data: z.object({
      ecrRepositoryUri: z.string(),
      ecrImageUri: z.string(),
      ecrImageTag: z.string(),
      authToken: z.string(),
      authTokenExpiresAt: isoTime,
      registryEndpoint: z.string(),
    }),
  }),
);
