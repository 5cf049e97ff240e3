// Every setting there is: its shape, its default and what it means. The JSON Schema for editors comes from here.

import * as z from 'zod';
import { progression, readsPerStage, timing } from './deployment.js';
import { duration } from './duration.js';
import { quotas, rateLimits } from './limits.js';
import { models } from './models.js';
import { billing, credits, prices } from './money.js';
import { failureMode, scenarioReference } from './names.js';
import { registry } from './registry.js';
import { replies } from './replies.js';
import { legacyVoiceProvider, voice } from './voice.js';
import { x402 } from './x402.js';

const port = z.int().min(0).max(65_535);

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('Where an editor finds the schema of this file'),
  profile: z.string().default('spec').describe('A named overlay of settings: spec or elizacloud'),
  service: z.lazy(() =>
    z
      .strictObject({
        name: z.string().min(1).max(100).default('Example').describe('The platform’s name, as signed texts carry it'),
        slug: z
          .string()
          .regex(/^[a-z0-9-]{1,30}$/)
          .default('example')
          .describe('The name in stack names'),
        legacyVoiceProvider,
      })
      .prefault({})
      .describe('What the platform is called'),
  ),
  env: z.lazy(() =>
    z
      .strictObject({
        baseUrl: z
          .array(z.string().regex(/^[A-Z_][A-Z0-9_]*$/))
          .default(['CLOUD_BASE_URL'])
          .describe('Those that hold the URL'),
        apiKey: z
          .array(z.string().regex(/^[A-Z_][A-Z0-9_]*$/))
          .default(['CLOUD_API_KEY'])
          .describe('Those that hold the test key'),
      })
      .prefault({})
      .describe('The variables that `cloudemu env` prints for your client'),
  ),
  server: z.lazy(() =>
    z
      .strictObject({
        port: port.default(4747).describe('0 picks a free one'),
        host: z.string().min(1).default('localhost').describe('localhost answers on 127.0.0.1 and ::1'),
        publicUrl: z
          .url({ protocol: /^https?$/ })
          .refine((url) => !/[?#]/.test(url), { message: 'must end with its path: no query, no fragment' })
          .nullable()
          .default(null)
          .describe('The origin put into URLs; null: the Host that the client used'),
        controlToken: z.string().min(8).nullable().default(null).describe('Demanded by /_emulator beyond loopback'),
        maxBody: z
          .int()
          .min(1_024)
          .max(1_073_741_824)
          .default(16 * 1_024 * 1_024)
          .describe('Bytes of a JSON body'),
        corsOrigins: z.array(z.string()).default([]).describe('Origins that may send credentials, beside loopback'),
      })
      .prefault({})
      .describe('Where the emulator answers, and to whom'),
  ),
  data: z.lazy(() =>
    z
      .strictObject({
        dir: z
          .string()
          .min(1)
          .default('.cloudemu')
          .describe('Where the world is kept, relative to the working directory'),
        ephemeral: z.boolean().default(false).describe('Keep everything in memory'),
        scenarios: z
          .string()
          .min(1)
          .nullable()
          .default(null)
          .describe('Where your own scenarios lie, relative to the working directory; null: in scenarios'),
        journal: z.int().min(10).max(1_000_000).default(1_000).describe('How many requests the journal keeps'),
      })
      .prefault({})
      .describe('What is kept, and where'),
  ),
  seed: z
    .union([z.string().min(1), z.number()])
    .transform(String)
    .pipe(z.string())
    .nullable()
    .default(null)
    .describe('The root of all ids and keys; null: a fresh one per data directory'),
  scenario: scenarioReference.min(1).nullable().default(null).describe('What new worlds begin with: a name, or a file'),
  clock: z.lazy(() =>
    z
      .strictObject({
        start: z.iso
          .datetime({ offset: true })
          .nullable()
          .default(null)
          .describe('Where virtual time begins; null: now'),
        frozen: z.boolean().default(false).describe('Time stands still until it is advanced'),
        exposed: z
          .enum(['wall', 'virtual'])
          .default('wall')
          .describe('The time in instants that clients compare with their own clock'),
      })
      .prefault({})
      .describe('Virtual time'),
  ),
  errors: z.lazy(() =>
    z
      .strictObject({
        style: z
          .enum(['coded', 'flat'])
          .default('coded')
          .describe('coded: error is {code, message}; flat: error is the message'),
      })
      .prefault({})
      .describe('What errors look like'),
  ),
  strict: z.lazy(() =>
    z
      .strictObject({
        inputs: z.boolean().default(false).describe('Unknown fields and query parameters are 400 instead of a warning'),
        guesses: z.boolean().default(false).describe('Operations that rest wholly on a guess answer 501'),
        responses: z.boolean().default(false).describe('An answer outside its declared schema is a 500 that says so'),
      })
      .prefault({})
      .describe('What is refused instead of being let pass'),
  ),
  keys: z.lazy(() =>
    z
      .strictObject({
        prefix: z
          .string()
          .regex(/^[a-z0-9_]{1,20}$/)
          .default('ek_test_')
          .describe('What test keys begin with'),
        livePrefix: z
          .string()
          .regex(/^[a-z0-9_]{1,20}$/)
          .default('ek_live_')
          .describe('What live keys begin with: they are refused'),
        acceptLive: z.boolean().default(false).describe('Live keys are looked up like any other'),
        inactive: z
          .union([z.literal(401), z.literal(403)])
          .default(401)
          .describe('The status that a key gets which is switched off'),
      })
      .prefault({})
      .describe('API keys'),
  ),
  auth: z.lazy(() =>
    z
      .strictObject({
        enforcePermissions: z.boolean().default(true).describe('A restricted key is refused what it may not do'),
        walletPaths: z
          .array(z.string().regex(/^\//))
          .nullable()
          .default(null)
          .describe('What paths begin with that wallet headers open; null: all'),
        cookieName: z
          .string()
          .regex(/^[\w-]+$/)
          .default('session')
          .describe('What the cookie of a session is called'),
        sessionLifetime: duration.default(86_400_000).describe('Virtual time that a login lasts'),
      })
      .prefault({})
      .describe('Who is let in'),
  ),
  rateLimits,
  quotas,
  credits,
  prices,
  billing,
  containers: z.lazy(() =>
    z
      .strictObject({
        timing: timing
          .default('fast')
          .describe('How long deployments take: about 12 s (fast), 8 to 12 min (realistic), or as given'),
        progression: progression.default('clock').describe('What moves a deployment on: time, GETs of it, or you'),
        readsPerStage: readsPerStage.default(1).describe('GETs that move a deployment on, where progression is reads'),
        urlStyle: z.enum(['port', 'path', 'subdomain']).default('port').describe('How a running container is reached'),
        urlFrom: z
          .enum(['running', 'creation'])
          .default('running')
          .describe('Since when a container has its url: it is null until it first runs, or there from its creation'),
        run: z
          .enum(['simulated', 'image'])
          .default('simulated')
          .describe(
            'What answers for a pushed image: the emulator, or its process, started by docker or podman in PATH',
          ),
        upstreams: z
          .record(z.string(), z.union([port, z.url({ protocol: /^https?$/ })]))
          .default({})
          .describe('Per project_name: the local port (or URL) that a running container forwards to'),
        upstreamTimeout: duration
          .default(60_000)
          .describe('How long an upstream may take to begin its answer, in wall time; then it is 504'),
        logWindow: z
          .enum(['tail', 'limit'])
          .default('tail')
          .describe(
            'What says how many log lines are wanted: tail, 1 to 10,000; or limit, 1 to 500, with tail ignored',
          ),
        acceptImage: z.boolean().default(false).describe('Bodies may say image instead of ecr_image_uri'),
        deletion: duration
          .default(0)
          .describe('How long a container is shown as deleting, keeping its project_name and its place in the quota'),
        failure: failureMode.nullable().default(null).describe('A failure mode for every deployment that names none'),
      })
      .prefault({})
      .describe('Containers and their deployments'),
  ),
  voice,
  models,
  replies,
  x402,
  registry,
  log: z.lazy(() =>
    z
      .strictObject({
        requests: z.boolean().default(true).describe('One line a request'),
        banner: z.boolean().default(true).describe('What `cloudemu start` prints when it is ready'),
        format: z.enum(['auto', 'pretty', 'json']).default('auto').describe('auto: pretty on a terminal'),
      })
      .prefault({})
      .describe('What `cloudemu start` prints'),
  ),
});

export type Config = z.infer<typeof configSchema>;
export type ConfigInput = z.input<typeof configSchema>;
export type PresetName = keyof Config['rateLimits']['presets'];
