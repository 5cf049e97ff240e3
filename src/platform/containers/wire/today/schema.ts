// Containers on the wire of today's server: what requests take, and what responses hold.

import * as z from 'zod';
import { characters, id, isoTime, success } from '../../../../http/wire.js';
import { withTag } from '../../image.js';
import { statuses } from '../../lifecycle/phases.js';
import { reservedVariables } from '../reserved-variables.js';
import { environment } from '../schema.js';

/** CPU units, or MB of memory. */
export const ofMachine = z.int().min(256).max(65_536);

const environmentVars = environment.describe(
  `At most 50 variables of at most 32,768 bytes; the platform sets itself: ${reservedVariables.join(', ')}`,
);

export const createBody = z.lazy(() =>
  z.object({
    name: characters(1, 100).describe('Name for people'),
    image: characters(1, 512)
      .refine((image) => withTag(image) !== undefined, { message: 'must be an image, such as ghcr.io/elizaos/app:v1' })
      .describe('The image, of those that the platform allows'),
    projectName: characters(1, 100)
      .optional()
      .describe(
        'Identifies the container: creating it again gives the one that is there; by default it follows from the name',
      ),
    port: z.int().min(1).max(65_535).default(3_000).describe('Port that the app listens on'),
    cpu: ofMachine.default(1_792).describe('CPU units; 1024 are one CPU'),
    memoryMb: ofMachine.default(1_792).describe('Memory in MB'),
    environmentVars: environmentVars.default({}),
    healthCheckPath: characters(1, 256)
      .refine((path) => path.startsWith('/'), { message: 'must begin with /' })
      .default('/health')
      .describe('Path of the health check: the container runs once it returns a status from 200 to 399'),
  }),
);

export const changeBody = z.lazy(() =>
  z
    .object({
      action: z.enum(['restart', 'setEnv', 'scale']),
      environmentVars: environmentVars.optional().describe('For setEnv: takes the place of all variables'),
      desiredCount: z.literal(1).optional().describe('For scale: a container has one instance'),
    })
    .superRefine(({ action, environmentVars: variables, desiredCount }, context) => {
      const [needed, given] =
        action === 'setEnv' ? ['environmentVars', variables] : action === 'scale' ? ['desiredCount', desiredCount] : [];
      if (needed !== undefined && given === undefined)
        context.addIssue({ code: 'custom', path: [needed], message: `is required for ${action}` });
    }),
);

export const deleteQuery = z.lazy(() =>
  z.object({
    mode: z.enum(['delete', 'stop']).default('delete').meta({ description: 'stop: it can be started again' }),
    purgeVolume: z
      .boolean()
      .default(false)
      .meta({ description: 'Also delete its data; a simulated container has none' }),
  }),
);

const status = z.enum(statuses);

const container = z.lazy(() =>
  z
    .object({
      id,
      name: z.string(),
      project_name: z.string(),
      description: z.string().nullable(),
      load_balancer_url: z.string().nullable(),
      public_hostname: z.string().nullable(),
      status,
      image_tag: z.string().describe('The image as it was named'),
      desired_count: z.int(),
      cpu: z.int(),
      memory: z.int(),
      port: z.int(),
      health_check_path: z.string(),
      last_deployed_at: isoTime.nullable(),
      last_health_check: isoTime.nullable(),
      error_message: z.string().nullable(),
      billing_status: z.enum(['active', 'warning', 'suspended']),
      last_billed_at: isoTime.nullable(),
      next_billing_at: isoTime.nullable(),
      shutdown_warning_sent_at: isoTime.nullable(),
      scheduled_shutdown_at: isoTime.nullable(),
      total_billed: z.string(),
      created_at: isoTime,
      updated_at: isoTime,
    })
    .meta({ id: 'ContainerV2' }),
);

const leftOut = [
  'description',
  'public_hostname',
  'desired_count',
  'cpu',
  'memory',
  'port',
  'health_check_path',
  'last_deployed_at',
  'last_health_check',
  'billing_status',
  'last_billed_at',
  'next_billing_at',
  'shutdown_warning_sent_at',
  'scheduled_shutdown_at',
  'total_billed',
] as const;

/** The same of each field that the answer to a creation leaves out. */
export function ofEachLeftOut<Value>(value: Value): Record<(typeof leftOut)[number], Value> {
  return Object.fromEntries(leftOut.map((field) => [field, value])) as Record<(typeof leftOut)[number], Value>;
}

const created = z.lazy(() =>
  container
    .unwrap()
    .extend(ofEachLeftOut(z.null()))
    .meta({ id: 'CreatedContainerV2', description: 'A container as it is created: what null stands for, a GET shows' }),
);

const changed = z.lazy(() =>
  z.object({
    id,
    name: z.string(),
    projectName: z.string(),
    status,
    publicUrl: z.string().nullable(),
    image: z.string(),
    createdAt: isoTime,
    updatedAt: isoTime,
    errorMessage: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
  }),
);

export const oneAnswer = z.lazy(() => z.object({ success, data: container }));
export const createdAnswer = z.lazy(() => z.object({ success, data: created }));
export const listAnswer = z.lazy(() => z.object({ success, data: z.array(container) }));
export const changeAnswer = z.lazy(() => z.object({ success, container: changed }));
export const deleteAnswer = z.lazy(() =>
  z.object({
    success,
    deleted: z.literal(true).optional().describe('With the mode delete'),
    container: changed.optional().describe('With the mode stop'),
  }),
);

export const quota = z.lazy(() =>
  z.object({ allowed: z.boolean(), current: z.int(), max: z.int(), error: z.string().optional() }),
);
export const quotaAnswer = z.lazy(() => z.object({ success, quota }));
