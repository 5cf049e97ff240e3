// Request schemas of containers.

import * as z from 'zod';
import type { EventDeclaration } from '../../../http/endpoint.js';
import { characters, someOf, writtenInstant } from '../../../http/wire.js';
import { parseImage } from '../image.js';

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

/** Environment variables of a container or an agent. */
export const environment = z
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
          message: 'is not a variable name: letters, digits and _ only, no digit first',
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

/** The longest project_name, in characters. */
export const longestProject = 50;

export const createBody = z.lazy(() =>
  z.object({
    name: characters(1, 100).describe('Name for people'),
    project_name: characters(1, longestProject).describe('Identifies the container: deploying it again is an update'),
    ecr_image_uri: image.describe('The image, with a tag or digest'),
    port: port.default(3_000).describe('Port that the app listens on'),
    cpu: cpu.default(1_792).describe('CPU units per instance; 1024 are one CPU'),
    memory: memory.default(1_792).describe('Memory per instance, in MB'),
    desired_count: desiredCount.default(1).describe('Number of instances'),
    architecture: z
      .enum(['arm64', 'x86_64'])
      .default('arm64')
      .describe('Processor of the instance, which the image must match'),
    health_check_path: characters(1, 500)
      .refine((path) => path.startsWith('/'), { message: 'must begin with /' })
      .default('/health')
      .describe('Path of the health check: the container is healthy while it returns a status from 200 to 399'),
    environment_vars: environment.default({}),
    description: characters(0, 500).optional().describe('Description for people'),
  }),
);

/** The body for settings with the newer names, in which the project may be left out. */
export const newerCreateBody = z.lazy(() =>
  createBody.unwrap().extend({
    project_name: characters(1, longestProject)
      .optional()
      .describe('Identifies the container: deploying it again is an update; by default it follows from the name'),
  }),
);

/** The settings of a deployment, named as in the request. */
export type Spec = Omit<z.output<typeof createBody>, 'name' | 'project_name' | 'description'>;

export const updateBody = z.lazy(() =>
  someOf({ cpu, memory, port, desired_count: desiredCount, ecr_image_uri: image, environment_vars: environment }),
);

// The path accepts any text: an id of the wrong form is simply not found.
export const containerParams = z.lazy(() => z.object({ id: z.string().meta({ format: 'uuid' }) }));

export const getQuery = z.lazy(() =>
  z.object({
    reveal: z.boolean().default(false).meta({ description: 'Show the values of environment variables' }),
  }),
);

export const logsQuery = z.lazy(() =>
  z.object({
    tail: z.int().min(1).max(10_000).optional().meta({ description: 'Number of lines from the end', default: 100 }),
    limit: z.int().min(1).max(10_000).optional().meta({ description: 'Another name of tail' }),
    since: writtenInstant
      .optional()
      .meta({ description: 'Only lines from this ISO 8601 time on; without a zone it is UTC' }),
    level: z.enum(['info', 'warn', 'error', 'debug', 'all']).optional(),
  }),
);

/** The query of logs for settings that ignore `tail` in favour of `limit`: `tail` may be anything. */
export const limitedLogsQuery = z.lazy(() =>
  logsQuery.unwrap().extend({
    tail: z.unknown().optional().meta({ description: 'Ignored' }),
    limit: z.int().min(1).max(500).optional().meta({ description: 'Number of lines from the end', default: 100 }),
  }),
);

export const logStreamQuery = z.lazy(() => logsQuery.unwrap().pick({ tail: true, since: true, level: true }));

/** The events of a log stream; those of lines and statuses have ids, from which a client resumes. */
export const logEvents: readonly EventDeclaration[] = [
  {
    description: 'A line of the log',
    data: z.lazy(() =>
      z.object({
        type: z.literal('log'),
        data: z.object({
          timestamp: z.string(),
          level: z.enum(['info', 'warn', 'error', 'debug']),
          message: z.string(),
        }),
      }),
    ),
  },
  {
    description: 'The container has another status',
    data: z.lazy(() =>
      z.object({ type: z.literal('status'), data: z.object({ status: z.string(), timestamp: z.string() }) }),
    ),
  },
  {
    description:
      'The world was reset or restored: what came before does not apply, the log follows from its last lines',
    data: z.lazy(() => z.object({ type: z.literal('reset') })),
  },
];

export const credentialsBody = z.lazy(() =>
  z.object({
    projectId: characters(1, 50).optional(),
    version: characters(1, 100).optional(),
    metadata: z.unknown().optional(),
  }),
);

export const metricsQuery = z.lazy(() =>
  z.object({
    period: z.int().min(1).max(10_080).default(60).meta({ description: 'Number of minutes to go back' }),
  }),
);
