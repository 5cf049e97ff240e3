// Every setting there is: its shape, its default and what it means. The JSON Schema for editors comes from here.

import * as z from 'zod';
import { progression, readsPerStage, timing } from './deployment.js';
import { duration } from './duration.js';
import { models } from './models.js';
import { amount, billing, credits, prices } from './money.js';
import { failureMode, operationId, scenarioReference } from './names.js';
import { replies } from './replies.js';
import { legacyVoiceProvider, voice } from './voice.js';

const port = z.int().min(0).max(65_535);
const count = z.int().min(0).max(1_000_000_000);

const preset = (limit: number, windowMs: number) =>
  z
    .strictObject({
      limit: z.int().min(1).max(1_000_000_000).default(limit),
      window: duration.default(windowMs),
    })
    .prefault({});

const quota = z.tuple([count, count, count, count]);

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('Where an editor finds the schema of this file'),
  profile: z.string().default('spec').describe('A named overlay of settings: spec or elizacloud'),
  service: z
    .strictObject({
      name: z.string().min(1).max(100).default('Example').describe('The platform’s name, as signed texts carry it'),
      slug: z
        .string()
        .regex(/^[a-z0-9-]{1,30}$/)
        .default('example')
        .describe('The name in stack names'),
      legacyVoiceProvider,
    })
    .prefault({}),
  env: z
    .strictObject({
      baseUrl: z.array(z.string().regex(/^[A-Z_][A-Z0-9_]*$/)).default(['CLOUD_BASE_URL']),
      apiKey: z.array(z.string().regex(/^[A-Z_][A-Z0-9_]*$/)).default(['CLOUD_API_KEY']),
    })
    .prefault({})
    .describe('The variables that `cloudemu env` prints for your client'),
  server: z
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
    .prefault({}),
  data: z
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
    .prefault({}),
  seed: z
    .union([z.string().min(1), z.number()])
    .transform(String)
    .pipe(z.string())
    .nullable()
    .default(null)
    .describe('The root of all ids and keys; null: a fresh one per data directory'),
  scenario: scenarioReference.min(1).nullable().default(null).describe('What new worlds begin with: a name, or a file'),
  clock: z
    .strictObject({
      start: z.iso.datetime({ offset: true }).nullable().default(null).describe('Where virtual time begins; null: now'),
      frozen: z.boolean().default(false),
      exposed: z
        .enum(['wall', 'virtual'])
        .default('wall')
        .describe('The time in instants that clients compare with their own clock'),
    })
    .prefault({}),
  errors: z
    .strictObject({
      style: z
        .enum(['coded', 'flat'])
        .default('coded')
        .describe('coded: error is {code, message}; flat: error is the message'),
    })
    .prefault({}),
  strict: z
    .strictObject({
      inputs: z.boolean().default(false).describe('Unknown fields and query parameters are 400 instead of a warning'),
      guesses: z.boolean().default(false).describe('Operations that rest wholly on a guess answer 501'),
      responses: z.boolean().default(false).describe('An answer outside its declared schema is a 500 that says so'),
    })
    .prefault({}),
  keys: z
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
      acceptLive: z.boolean().default(false),
    })
    .prefault({}),
  auth: z
    .strictObject({
      enforcePermissions: z.boolean().default(true),
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
    .prefault({}),
  rateLimits: z
    .strictObject({
      enabled: z.boolean().default(true),
      multiplier: z.number().min(0.001).max(1_000_000).default(1),
      perKey: z
        .int()
        .min(1)
        .max(1_000_000_000)
        .default(1_000)
        .describe('Requests a minute of a key that has no limit of its own'),
      presets: z
        .strictObject({
          STANDARD: preset(60, 60_000),
          STRICT: preset(10, 60_000),
          RELAXED: preset(200, 60_000),
          CRITICAL: preset(5, 300_000),
          BURST: preset(10, 1_000),
          AGGRESSIVE: preset(100, 60_000),
        })
        .prefault({}),
      operations: z
        .record(operationId, z.enum(['STANDARD', 'STRICT', 'RELAXED', 'CRITICAL', 'BURST', 'AGGRESSIVE', 'none']))
        .default({})
        .describe('A preset per operation id, over the declared one'),
      mode: z
        .enum(['shared', 'plans'])
        .default('shared')
        .describe('plans: the organization’s plan bounds all requests of a key, too'),
      plans: z
        .strictObject({
          free: z.int().min(1).default(60),
          pro: z.int().min(1).default(300),
          enterprise: z.int().min(1).default(3_000),
        })
        .prefault({})
        .describe('Requests a minute by plan'),
      resetFormat: z.enum(['iso', 'unix']).default('iso'),
      policy: z
        .string()
        .regex(/^[\x20-\x7e]{1,40}$/)
        .default('in-memory')
        .describe('The label in X-RateLimit-Policy'),
    })
    .prefault({}),
  quotas: z
    .strictObject({
      enabled: z.boolean().default(true),
      tiers: z.tuple([amount, amount, amount]).default([1, 10, 100]).describe('Balances at which the next tier begins'),
      containers: quota.default([1, 5, 25, 100]),
      agents: quota.default([5, 20, 100, 500]),
    })
    .prefault({}),
  credits,
  prices,
  billing: billing.describe('Billing of containers by the day'),
  containers: z
    .strictObject({
      timing: timing.default('fast'),
      progression: progression.default('clock').describe('What moves a deployment on: time, GETs of it, or you'),
      readsPerStage: readsPerStage.default(1),
      urlStyle: z.enum(['port', 'path', 'subdomain']).default('port').describe('How a running container is reached'),
      urlFrom: z
        .enum(['running', 'creation'])
        .default('running')
        .describe('Since when a container has its url: it is null until it first runs, or there from its creation'),
      upstreams: z
        .record(z.string(), z.union([port, z.url({ protocol: /^https?$/ })]))
        .default({})
        .describe('Per project_name: the local port (or URL) that a running container forwards to'),
      upstreamTimeout: duration
        .default(60_000)
        .describe('How long an upstream may take to begin its answer, in wall time; then it is 504'),
      acceptImage: z.boolean().default(false).describe('Bodies may say image instead of ecr_image_uri'),
      deletion: duration
        .default(0)
        .describe('How long a container is shown as deleting, keeping its project_name and its place in the quota'),
      failure: failureMode.nullable().default(null).describe('A failure mode for every deployment that names none'),
    })
    .prefault({}),
  voice,
  models,
  replies,
  x402: z
    .strictObject({
      versions: z
        .array(z.union([z.literal(1), z.literal(2)]))
        .min(1)
        .default([1, 2])
        .describe('The versions of the payment protocol that are offered and taken'),
      network: z.enum(['base-sepolia', 'base']).default('base-sepolia').describe('Where the virtual USDC lie'),
      payTo: z
        .string()
        .regex(/^0x[0-9a-fA-F]{40}$/)
        .nullable()
        .default(null)
        .describe('The address that is paid; null: one that follows from the seed'),
      challengeAnonymous: z
        .boolean()
        .default(false)
        .describe('What costs credits answers 402 instead of 401 where nobody says who he is'),
      balance: z
        .number()
        .min(0)
        .max(1_000_000_000)
        .default(1_000_000)
        .describe('The USDC that every wallet begins with'),
      maxTimeoutSeconds: z.int().min(10).max(86_400).default(300).describe('How long a payment may be valid'),
    })
    .prefault({})
    .describe('Payments with USDC (x402)'),
  registry: z
    .strictObject({
      require: z
        .enum(['afterFirstPush', 'always', 'never'])
        .default('afterFirstPush')
        .describe('When an image must have been pushed'),
      host: z
        .string()
        .regex(/^[\w.[\]:-]+$/, 'must be a host name, with a port where it is not 80')
        .nullable()
        .default(null)
        .describe('The host and port under which clients reach the registry; null: where they reach the emulator'),
      namespace: z
        .string()
        .regex(/^([a-z0-9]+([._-][a-z0-9]+)*)?$/, 'must be lower-case letters and digits')
        .default('')
        .describe('What names of repositories begin with, before the organization'),
      challenge: z
        .enum(['basic', 'bearer'])
        .default('basic')
        .describe('How clients that send no credentials are told to log in; both ways are always accepted'),
      maxImageSize: z
        .number()
        .min(0)
        .max(1_000_000)
        .default(10_000)
        .describe('The largest image that can be deployed, in MB'),
    })
    .prefault({})
    .describe('The image registry'),
  log: z
    .strictObject({
      requests: z.boolean().default(true).describe('One line a request'),
      banner: z.boolean().default(true).describe('What `cloudemu start` prints when it is ready'),
      format: z.enum(['auto', 'pretty', 'json']).default('auto').describe('auto: pretty on a terminal'),
    })
    .prefault({}),
});

export type Config = z.infer<typeof configSchema>;
export type ConfigInput = z.input<typeof configSchema>;
export type PresetName = keyof Config['rateLimits']['presets'];
