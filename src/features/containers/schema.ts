// Containers on the wire.

import * as z from 'zod';
import { characters, confirmation, id, isoTime, success } from '../../api/wire.js';
import { parseImage } from './image.js';
import { statuses } from './phases.js';

const maxVariables = 50;
const maxValueBytes = 32_768;

const image = characters(1, 1_000)
  .refine((uri) => parseImage(uri) !== undefined, {
    message: 'must be an image URI with a tag or digest, such as registry/app:v1',
  })
  .meta({ example: '127.0.0.1:4747/acme/web:v1' });
const port = z.int().min(1).max(65_535);
const cpu = z.int().min(256).max(2_048);
const memory = z.int().min(256).max(2_048);
const desiredCount = z.int().min(1).max(10);

const environment = z
  .record(z.string(), z.string())
  .superRefine((variables, context) => {
    const names = Object.keys(variables);
    if (names.length > maxVariables) {
      context.addIssue({
        code: 'custom',
        message: `must have at most ${maxVariables} variables (got ${names.length})`,
      });
    }
    for (const name of names.slice(0, 200)) {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        context.addIssue({
          code: 'custom',
          path: [name.slice(0, 100)],
          message: 'is no variable name: letters, digits and _ only, no digit first',
        });
      }
      const bytes = Buffer.byteLength(variables[name] ?? '');
      if (bytes > maxValueBytes) {
        context.addIssue({
          code: 'custom',
          path: [name.slice(0, 100)],
          message: `must have at most ${maxValueBytes} bytes (got ${bytes})`,
        });
      }
    }
  })
  .meta({ description: `At most ${maxVariables} variables of at most ${maxValueBytes} bytes` });

export const createBody = z.object({
  name: characters(1, 100),
  project_name: characters(1, 50),
  ecr_image_uri: image,
  port: port.default(3_000),
  cpu: cpu.default(1_792),
  memory: memory.default(1_792),
  desired_count: desiredCount.default(1),
  architecture: z.enum(['arm64', 'x86_64']).default('arm64'),
  health_check_path: characters(1, 500)
    .refine((path) => path.startsWith('/'), { message: 'must begin with /' })
    .default('/health'),
  environment_vars: environment.default({}),
  description: characters(0, 500).optional(),
});

export const updateBody = z
  .object({ cpu, memory, port, desired_count: desiredCount, ecr_image_uri: image, environment_vars: environment })
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'must have at least one of cpu, memory, port, desired_count, ecr_image_uri, environment_vars',
  });

// Any text may stand in the path: an id that is none is simply not found.
export const containerParams = z.object({ id: z.string().meta({ format: 'uuid' }) });

export const getQuery = z.object({
  reveal: z.boolean().default(false).meta({ description: 'Show the values of environment variables' }),
});

export const logsQuery = z.object({
  tail: z.int().min(1).max(10_000).optional().meta({ description: 'How many of the last lines', default: 100 }),
  limit: z.int().min(1).max(10_000).optional().meta({ description: 'The same, under the name that other clients use' }),
  since: z.iso.datetime({ offset: true }).optional(),
  level: z.enum(['info', 'warn', 'error', 'debug', 'all']).optional(),
});

export const credentialsBody = z.object({
  projectId: characters(1, 50).optional(),
  version: characters(1, 100).optional(),
  metadata: z.unknown().optional(),
});

const status = z.enum(statuses);

// Only where containers are billed by the day.
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
export const containerItem = z.lazy(() =>
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

/** A container as its own page shows it. */
export const containerDetails = z.lazy(() =>
  containerItem
    .unwrap()
    .extend({
      deployment_log: z.string(),
      exit_code: z.int().nullable(),
      progress: z.int().min(0).max(100),
      statusHistory: z.array(z.object({ status, at: isoTime })),
      nextTransitionAt: isoTime.nullable(),
    })
    .meta({ id: 'ContainerDetails' }),
);

export const listAnswer = z.lazy(() => z.object({ success, data: z.array(containerItem) }));
export const getAnswer = z.lazy(() => z.object({ success, data: containerDetails }));
export const deleteAnswer = z.lazy(() =>
  confirmation.extend({
    refundAmount: z.number().optional().meta({ description: 'Credits that were paid back' }),
  }),
);
export const updateAnswer = z.lazy(() => z.object({ success, message: z.string(), data: containerDetails }));

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

export const metricsQuery = z.object({
  period: z.int().min(1).max(10_080).default(60).meta({ description: 'Minutes' }),
});

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
