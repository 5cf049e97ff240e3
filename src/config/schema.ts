// All settings with their types, defaults and descriptions. The JSON Schema for editors is generated from them.

import * as z from 'zod';
import { duration } from '../core/duration-schemas.js';
import { progression, readsPerStage, timing } from './deployment.js';
import { hostedAgents } from './hosted-agents.js';
import { quotas, rateLimits } from './limits.js';
import { models } from './models.js';
import { billing, credits, prices } from './money.js';
import { clientVariables, failureMode, scenarioReference } from './names.js';
import { path } from './path.js';
import { registry } from './registry.js';
import { replies } from './replies.js';
import { server, worlds } from './server.js';
import { legacyVoiceProvider, voice } from './voice.js';
import { x402 } from './x402.js';

const port = z.int().min(0).max(65_535);

/** `clock.exposed`, which a world may have of its own. */
export const exposedClock = z
  .enum(['wall', 'virtual'])
  .default('wall')
  .describe('The clock behind timestamps that clients compare with their own clock: wall or virtual');

const clientVariable = z
  .string()
  .regex(clientVariables, 'must be capital letters, digits and underscores that end in _URL or _KEY');

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('The JSON Schema of this file, for completion in an editor'),
  profile: z
    .enum(['spec', 'elizacloud', 'elizacloud-v1'])
    .default('spec')
    .describe(
      'The server that is emulated: the documented API (spec), the public server as it is today (elizacloud), or as SDK 2.0.0-beta.1, CLI 1.7 and plug-in 1.7 know it (elizacloud-v1)',
    ),
  service: z.lazy(() =>
    z
      .strictObject({
        name: z
          .string()
          .min(1)
          .max(100)
          .refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters')
          .default('Example')
          .describe('The platform’s name, used in the messages that wallets sign'),
        slug: z
          .string()
          .regex(/^[a-z0-9-]{1,30}$/)
          .default('example')
          .describe('The platform’s short name, used in the names of stacks'),
        legacyVoiceProvider,
      })
      .prefault({})
      .describe('The names of the platform'),
  ),
  env: z.lazy(() =>
    z
      .strictObject({
        baseUrl: z.array(clientVariable).default(['CLOUD_BASE_URL']).describe('Variables that hold the base URL'),
        apiKey: z.array(clientVariable).default(['CLOUD_API_KEY']).describe('Variables that hold the test key'),
      })
      .prefault({})
      .describe('The variables that `cloudemu env` prints for your client'),
  ),
  server,
  data: z.lazy(() =>
    z
      .strictObject({
        dir: path
          .default('.cloudemu')
          .describe('Data directory, relative to the settings file; by default in the root directory'),
        ephemeral: z.boolean().default(false).describe('Keep all data in memory'),
        scenarios: path
          .nullable()
          .default(null)
          .describe(
            'Directory of your own scenarios, relative to the settings file; null: scenarios in the root directory',
          ),
        journal: z.int().min(10).max(10_000).default(1_000).describe('Number of requests that the journal keeps'),
        history: z
          .enum(['on', 'off'])
          .default('on')
          .describe('Record what each request changes, so that a world can be forked as it was before or after it'),
        historyBytes: z
          .int()
          .min(100_000)
          .max(1_000_000_000)
          .default(16_000_000)
          .describe('Bytes that the history of a world may take; the oldest goes first'),
        receipt: path
          .nullable()
          .default(null)
          .describe(
            'File in which a receipt of what clients have exercised is written when the emulator ends; null: none',
          ),
      })
      .prefault({})
      .describe('Storage of data'),
  ),
  worlds,
  seed: z
    .union([z.string().min(1), z.number()])
    .transform(String)
    .pipe(z.string())
    .nullable()
    .default(null)
    .describe('Seed from which all ids and keys are generated; null: a random one per data directory'),
  scenario: scenarioReference
    .min(1)
    .nullable()
    .default(null)
    .describe('Scenario that new worlds start with: a name or a file'),
  clock: z.lazy(() =>
    z
      .strictObject({
        start: z.iso.datetime({ offset: true }).nullable().default(null).describe('Start of virtual time; null: now'),
        frozen: z
          .boolean()
          .default(false)
          .describe('Start with the clock frozen: time changes only when it is advanced'),
        exposed: exposedClock,
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
          .describe('coded: `error` is {code, message}; flat: `error` is the message'),
      })
      .prefault({})
      .describe('The format of errors'),
  ),
  strict: z.lazy(() =>
    z
      .strictObject({
        inputs: z
          .boolean()
          .default(false)
          .describe('Reject unknown fields and query parameters with 400 instead of a warning'),
        guesses: z.boolean().default(false).describe('Answer 501 for operations that rest entirely on an assumption'),
        responses: z.boolean().default(false).describe('Answer 500 when a response does not match its declared schema'),
      })
      .prefault({})
      .describe('Stricter checks'),
  ),
  keys: z.lazy(() =>
    z
      .strictObject({
        prefix: z
          .string()
          .regex(/^[a-z0-9_]{1,20}$/)
          .default('ek_test_')
          .describe('Prefix of test keys'),
        livePrefix: z
          .string()
          .regex(/^[a-z0-9_]{1,20}$/)
          .default('ek_live_')
          .describe('Prefix of live keys, which are rejected'),
        acceptLive: z
          .boolean()
          .default(false)
          .describe('Look up live keys like any other key instead of rejecting them'),
        inactive: z
          .union([z.literal(401), z.literal(403)])
          .default(401)
          .describe('Status of requests with a deactivated key'),
      })
      .prefault({})
      .describe('API keys'),
  ),
  auth: z.lazy(() =>
    z
      .strictObject({
        enforcePermissions: z
          .boolean()
          .default(true)
          .describe('Reject requests for which a restricted key lacks the permission'),
        walletPaths: z
          .array(z.string().regex(/^\//))
          .nullable()
          .default(null)
          .describe('Prefixes of the paths that accept wallet headers; null: all paths'),
        cookieName: z
          .string()
          .regex(/^[\w-]+$/)
          .default('session')
          .describe('Name of the session cookie'),
        sessionLifetime: duration.default(86_400_000).describe('Lifetime of a session, in virtual time'),
      })
      .prefault({})
      .describe('Authentication'),
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
          .describe(
            'Duration of deployments: none (instant), about 12 s (fast), 8 to 12 min (realistic), or a duration per stage',
          ),
        progression: progression
          .default('clock')
          .describe('What advances a deployment: the clock, each GET of it, or only control operations'),
        readsPerStage: readsPerStage.default(1).describe('Number of GETs per stage, if progression is reads'),
        urlStyle: z
          .enum(['port', 'path', 'subdomain'])
          .default('port')
          .describe('The kind of URL under which a running container is reached'),
        run: z
          .enum(['simulated', 'image'])
          .default('simulated')
          .describe(
            'What responds for a pushed image: the emulator, or the image’s own process, started with docker or podman',
          ),
        upstreams: z
          .record(z.string(), z.union([port, z.url({ protocol: /^https?$/ })]))
          .default({})
          .describe('Local port or URL to which a running container forwards requests, by project_name'),
        upstreamTimeout: duration
          .default(60_000)
          .describe('Wall time that an upstream may take to begin its response; after that the response is 504'),
        allowedImages: z
          .array(z.string().min(1).max(512))
          .max(1_000)
          .default(['ghcr.io/elizaos/*', 'ghcr.io/dexploarer/*', 'ghcr.io/waifufun/*'])
          .describe(
            'With the profile elizacloud: images that may be deployed; `*` is any text, and an empty list allows none',
          ),
        requireDigest: z
          .boolean()
          .default(false)
          .describe('With the profile elizacloud: refuse an image that is not named by its digest'),
        deletion: duration
          .default(0)
          .describe(
            'Time for which a container is deleting; until then it counts towards the quota and, except with the profile elizacloud, keeps its project_name. With the timing instant it takes none',
          ),
        failure: failureMode
          .nullable()
          .default(null)
          .describe('Failure mode of every deployment that does not name one'),
      })
      .prefault({})
      .describe('Containers and their deployments'),
  ),
  hostedAgents,
  voice,
  models,
  replies,
  x402,
  registry,
  log: z.lazy(() =>
    z
      .strictObject({
        requests: z.boolean().default(true).describe('Print one line per request'),
        banner: z.boolean().default(true).describe('Print the banner when the emulator is ready'),
        format: z
          .enum(['auto', 'pretty', 'json'])
          .default('auto')
          .describe('Format of the request log; auto: pretty on a terminal, otherwise json'),
      })
      .prefault({})
      .describe('What `cloudemu start` prints'),
  ),
});

export type Config = z.infer<typeof configSchema>;
export type ConfigInput = z.input<typeof configSchema>;
export type PresetName = keyof Config['rateLimits']['presets'];
