// Schemas of what requests about hosted agents hold.

import * as z from 'zod';
import { characters, jsonObject } from '../../http/wire.js';
import { reservedAmong, reservedVariables } from '../containers/wire/reserved-variables.js';
import { environment } from '../containers/wire/schema.js';
import { tiers } from './store.js';

export { environment };

// A list of agents reads the configuration of each.
const maxConfig = 100_000;

const agentName = characters(1, 100).describe('Name for people');
const agentConfig = jsonObject(maxConfig);

const reserved = `The platform sets itself: ${reservedVariables.join(', ')}`;

const environmentVars = environment.superRefine((variables, context) => {
  for (const name of reservedAmong(Object.keys(variables)))
    context.addIssue({ code: 'custom', path: [name], message: 'is a variable of the platform' });
});

export const createBody = z.lazy(() =>
  z.object({
    agentName,
    characterId: z.uuid().optional().describe('Id of the character that it plays'),
    agentConfig: agentConfig.optional().describe('Its configuration; plug-ins for chat networks make it dedicated'),
    environmentVars: environmentVars.optional().describe(reserved),
    dockerImage: z
      .string()
      .trim()
      .pipe(
        z
          .string()
          .min(1)
          .max(512)
          .regex(/^[A-Za-z0-9._/:@-]+$/, { message: 'Invalid Docker image reference' }),
      )
      .optional()
      .meta({ minLength: 1, maxLength: 512, pattern: '^[A-Za-z0-9._/:@-]+$' })
      .describe('An image of your own: tier custom'),
    alwaysOn: z.boolean().optional().describe('Makes it dedicated'),
    statefulRuntime: z.boolean().optional().describe('Makes it dedicated'),
    modelTooLargeForShared: z.boolean().optional().describe('Makes it dedicated'),
    autoProvision: z.boolean().optional().describe('Provision a dedicated agent at once, which is the default'),
    forceCreate: z.boolean().optional().describe('Create a dedicated agent although there is one'),
  }),
);

export type CreateBody = z.output<typeof createBody>;

export const createQuery = z.lazy(() =>
  z.object({ autoProvision: z.boolean().optional().describe('The same as in the body, which wins') }),
);

export const updateBody = z.lazy(() =>
  z
    .object({
      agentName: agentName.optional(),
      agentConfig: agentConfig.optional(),
      action: z.enum(['shutdown', 'suspend']).optional().describe('Suspends the agent; not together with the others'),
    })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      message: 'must have at least one of agentName, agentConfig, action',
    })
    .refine((body) => body.action === undefined || (body.agentName ?? body.agentConfig) === undefined, {
      path: ['action'],
      message: 'cannot be combined with agentName or agentConfig',
    }),
);

// What is left out means no guard; of a guard no part is.
export const deleteBody = z.lazy(() =>
  z
    .object({
      expectedAgentName: characters(1, 100).optional().describe('Delete it only if it has this name'),
      expectedCreatedAt: z.iso.datetime({ offset: true }).optional().describe('Delete it only if it was created then'),
      expectedExecutionTier: z.enum(tiers).optional().describe('Delete it only if it has this tier'),
    })
    .superRefine((guard, context) => {
      const given = ['expectedAgentName', 'expectedCreatedAt', 'expectedExecutionTier'] as const;
      const missing = given.filter((name) => guard[name] === undefined);
      if (missing.length === given.length) return;
      for (const name of missing) context.addIssue({ code: 'custom', path: [name], message: 'is required' });
    }),
);

export const syncQuery = z.lazy(() =>
  z.object({
    sync: z
      .enum(['true', 'false', ''])
      .default('false')
      .describe('true: 409 for agents without a container. It waits for nothing'),
  }),
);

export const restoreBody = z.lazy(() =>
  z.object({ backupId: z.uuid().optional().describe('Which backup; by default the newest') }),
);

// A variable that is null is removed.
export const environmentBody = z.lazy(() =>
  z.object({
    environmentVars: z
      .record(z.string().max(200), z.string().max(10_000).nullable())
      .refine((variables) => Object.keys(variables).length <= 50, { message: 'must have at most 50 variables' })
      .refine((variables) => Object.keys(variables).length > 0, { message: 'must have at least one variable' })
      .describe('Variables to set; null removes one'),
  }),
);
