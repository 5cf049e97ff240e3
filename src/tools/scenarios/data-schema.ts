// The data with which a scenario begins: organizations with their credits and what they have, and the next replies of models.

import * as z from 'zod';
import { failureMode } from '../../config/names.js';
import { durationUpTo } from '../../core/duration-schemas.js';
import { characters } from '../../http/wire.js';
import { plans } from '../../platform/accounts/create-organization.js';
import { createBody as agentBody } from '../../platform/agents/schema.js';
import { createBody as containerBody } from '../../platform/containers/wire/schema.js';
import { ofMachine } from '../../platform/containers/wire/today/schema.js';
import { createBody as hostedBody } from '../../platform/hosted-agents/schema.js';
import { agentStatuses, jobTypes, tiers } from '../../platform/hosted-agents/store.js';
import * as keys from '../../platform/keys/schema.js';
import { name as documentName, documentText, uploadBody } from '../../platform/knowledge/schema.js';
import { replyRequest } from '../../platform/models/control.js';
import { mostCredits } from '../../platform/organizations/control.js';
import { cloneForm } from '../../platform/voice/schema.js';

const year = 366 * 86_400_000;

const age = durationUpTo(year, 'a year').describe('Age when the world starts');
const lifetime = durationUpTo(100 * year, 'a century').describe(
  'Time after the start of the world at which it expires',
);

const credits = z.number().min(0).max(mostCredits).describe('Initial balance');

const key = z.lazy(() =>
  z.strictObject({
    name: keys.name.describe('Name'),
    permissions: keys.permissions.optional().describe('Permissions; by default all'),
    rateLimit: keys.rateLimit.optional().describe('Requests per minute'),
    environment: z.enum(['test', 'live']).optional().describe('Kind of key, which decides its prefix'),
    expiresIn: lifetime.optional(),
  }),
);

const { project_name: _, name, ecr_image_uri, ...others } = containerBody.unwrap().shape;
// On today's server containers may be larger, and have longer names.
const project_name = characters(1, 100).describe('Identifies the container: deploying it again is an update');
const spec = {
  ...others,
  cpu: ofMachine.default(1_792).describe('CPU units per instance; 1024 are one CPU'),
  memory: ofMachine.default(1_792).describe('Memory per instance, in MB'),
};

export const container = z.lazy(() =>
  z.strictObject({
    project_name,
    name: name.optional().describe('Name; by default the project_name'),
    ecr_image_uri: ecr_image_uri
      .optional()
      .describe('Image; those in `images` can be shortened to web:v1; by default one named like the project'),
    ...spec,
    age: age.optional(),
    status: z
      .enum(['pending', 'building', 'deploying', 'running', 'failed', 'stopped'])
      .optional()
      .describe('Initial status; by default the one that mode and age lead to, or running'),
    mode: failureMode.max(100).optional().describe('The failure mode of its deployment'),
  }),
);

export const agent = z.lazy(() => z.strictObject({ ...agentBody.unwrap().shape, age: age.optional() }));

const { agentName, agentConfig, environmentVars, dockerImage } = hostedBody.unwrap().shape;

const agentFailure = z.string().min(1).max(100);

export const hostedAgent = z.lazy(() =>
  z.strictObject({
    name: agentName,
    tier: z.enum(tiers).optional().describe('Tier; by default dedicated-always, with an image of your own custom'),
    agentConfig: agentConfig.describe('Its configuration').optional(),
    environmentVars,
    dockerImage: dockerImage.describe('An image of your own'),
    age: age.optional(),
    status: z
      .enum(agentStatuses)
      .exclude(['deletion_pending'])
      .optional()
      .describe(
        'Initial status, before its job if it has one; by default the one that mode and age lead to, or running',
      ),
    error: characters(1, 500).optional().describe('Why it is in that status, which responses show'),
    mode: agentFailure.optional().describe('The failure mode that its jobs follow'),
    unpaid: z
      .literal(true)
      .optional()
      .describe('The credits did not cover its next hour: it costs nothing until it is started again'),
    job: z
      .strictObject({
        type: z.enum(jobTypes).describe('What it does'),
        age: durationUpTo(year, 'a year')
          .optional()
          .describe('How long it has been going on; by default it begins now'),
        mode: agentFailure.optional().describe('Its failure mode; by default that of the agent'),
      })
      .optional()
      .describe('The job in progress'),
  }),
);

/** In a scenario's documents together, which are read at once. */
export const mostCharacters = 100_000;

const voiceFields = cloneForm.unwrap().shape;
const documentFields = uploadBody.unwrap().shape;

export const voice = z.lazy(() =>
  z.strictObject({
    name: voiceFields.name,
    description: voiceFields.description.optional().describe('Description'),
    cloneType: voiceFields.cloneType.default('instant').describe('How it was cloned'),
    isActive: z.boolean().optional().describe('false: switched off by its owner'),
    age: age.optional(),
  }),
);

export const document = z.lazy(() =>
  z.strictObject({
    name: documentName.describe('Name of its file'),
    content: documentText().describe('Its text'),
    type: documentFields.type.describe('Media type; by default that of its name'),
    metadata: documentFields.metadata.describe('Metadata'),
    age: age.optional(),
  }),
);

const holdings = {
  credits: credits.optional(),
  keys: z.array(key).max(100).optional().describe('Additional keys'),
  containers: z.array(container).max(500).optional().describe('Existing containers'),
  agents: z.array(agent).max(500).optional().describe('Existing agents'),
  hostedAgents: z.array(hostedAgent).max(500).optional().describe('Existing hosted agents'),
  voices: z.array(voice).max(100).optional().describe('Existing cloned voices'),
  documents: z
    .array(document)
    .max(100)
    .optional()
    .describe('Existing documents of its knowledge; at most 100,000 characters in a scenario'),
};

export const dataSchema = z.lazy(() =>
  z.strictObject({
    key: key
      .unwrap()
      .pick({ permissions: true, rateLimit: true, expiresIn: true })
      .optional()
      .describe('The test key that clients use'),
    ...holdings,
    replies: z.array(replyRequest).max(1_000).optional().describe('The next replies of models, in order'),
    organizations: z
      .array(
        z.strictObject({
          name: characters(1, 100).describe('Name'),
          plan: z.enum(plans).optional().describe('Plan'),
          ...holdings,
        }),
      )
      .max(100)
      .optional()
      .describe('Organizations in addition to the seeded one'),
  }),
);

export type ScenarioData = z.output<typeof dataSchema>;
/** The balance, and what else is there, of an organization. */
export type Holdings = Pick<ScenarioData, keyof typeof holdings>;
export type ScenarioContainer = z.output<typeof container>;
export type ScenarioVoice = z.output<typeof voice>;
export type ScenarioHostedAgent = z.output<typeof hostedAgent>;
