// What is there when a scenario begins: organizations with their credits, keys, containers and agents.

import * as z from 'zod';
import { durationUpTo } from '../../config/duration.js';
import { failureMode } from '../../config/names.js';
import { characters } from '../../http/wire.js';
import { plans } from '../accounts/create-organization.js';
import { createBody as agentBody } from '../agents/schema.js';
import { createBody as containerBody } from '../containers/schema.js';
import * as keys from '../keys/schema.js';

const year = 366 * 86_400_000;

const age = durationUpTo(year, 'a year').describe('How long before the beginning it was made');
const lifetime = durationUpTo(100 * year, 'a century').describe('How long from the beginning on it is let in');

const credits = z.number().min(0).max(1_000_000_000).describe('The balance at the beginning');

const key = z.strictObject({
  name: keys.name.describe('What it is called'),
  permissions: keys.permissions.optional().describe('Without it everything is allowed'),
  rateLimit: keys.rateLimit.optional().describe('Requests a minute'),
  environment: z.enum(['test', 'live']).optional().describe('What its value begins with'),
  expiresIn: lifetime.optional(),
});

const { project_name, name, ecr_image_uri, ...spec } = containerBody.unwrap().shape;

const container = z.strictObject({
  project_name,
  name: name.optional().describe('Without it the project_name'),
  ecr_image_uri: ecr_image_uri
    .optional()
    .describe('An image of `images` may be named shortly, as web:v1; without it one that is named like the project'),
  ...spec,
  age: age.optional(),
  status: z
    .enum(['pending', 'building', 'deploying', 'running', 'failed', 'stopped'])
    .optional()
    .describe('At the beginning; without it what follows from mode and age, or running'),
  mode: failureMode.max(100).optional().describe('The failure mode of its deployment'),
});

const agent = z.strictObject({ ...agentBody.unwrap().shape, age: age.optional() });

const holdings = {
  credits: credits.optional(),
  keys: z.array(key).max(100).optional().describe('Keys beside the one that clients are given'),
  containers: z.array(container).max(500).optional().describe('Containers that are there already'),
  agents: z.array(agent).max(500).optional().describe('Agents that are there already'),
};

export const dataSchema = z.strictObject({
  key: key
    .pick({ permissions: true, rateLimit: true, expiresIn: true })
    .optional()
    .describe('The key that clients are given'),
  ...holdings,
  organizations: z
    .array(
      z.strictObject({
        name: characters(1, 100).describe('What it is called'),
        plan: z.enum(plans).optional().describe('What it has subscribed to'),
        ...holdings,
      }),
    )
    .max(100)
    .optional()
    .describe('Beside the one that is always there'),
});

export type ScenarioData = z.output<typeof dataSchema>;
/** What an organization has. */
export type Holdings = Pick<ScenarioData, keyof typeof holdings>;
export type ScenarioContainer = z.output<typeof container>;
export type ScenarioAgent = z.output<typeof agent>;
export type ScenarioKey = z.output<typeof key>;
