// Schemas of what requests about hosted agents hold.

import * as z from 'zod';
import { characters, jsonObject } from '../../http/wire.js';
import { environment } from '../containers/schema.js';

export { environment };

// A list of agents reads the configuration of each.
const maxConfig = 100_000;

const agentName = characters(1, 100).describe('Name for people');
const agentConfig = jsonObject(maxConfig);

/** Variables that the platform sets itself. */
export const reservedVariables = ['AGENT_ID', 'DATABASE_URL', 'ELIZA_API_TOKEN', 'JWT_SECRET', 'PORT'] as const;

/** The names of variables that the platform keeps for itself, among some. */
export function reservedAmong(names: readonly string[]): string[] {
  return names.filter(
    (name) => (reservedVariables as readonly string[]).includes(name) || name.startsWith('ELIZA_CLOUD_'),
  );
}

const reserved = `The platform sets ${reservedVariables.join(', ')} and what begins with ELIZA_CLOUD_ itself`;

const environmentVars = environment.superRefine((variables, context) => {
  for (const name of reservedAmong(Object.keys(variables)).slice(0, 50))
    context.addIssue({ code: 'custom', path: [name.slice(0, 100)], message: 'is a variable of the platform' });
});

export const createBody = z.lazy(() =>
  z.object({
    agentName,
    characterId: z.uuid().optional().describe('Id of the character that it plays'),
    agentConfig: agentConfig.optional().describe('Its configuration; plug-ins for chat networks make it dedicated'),
    environmentVars: environmentVars.optional().describe(reserved),
    dockerImage: characters(1, 512).optional().describe('An image of your own: tier custom'),
    alwaysOn: z.boolean().optional().describe('Makes it dedicated'),
    statefulRuntime: z.boolean().optional().describe('Makes it dedicated'),
    modelTooLargeForShared: z.boolean().optional().describe('Makes it dedicated'),
    autoProvision: z.boolean().optional().describe('Provision a dedicated agent at once, which is the default'),
    forceCreate: z
      .boolean()
      .optional()
      .describe('Create an agent although there is one; only for dedicated agents, which are always created'),
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

export const deleteBody = z.lazy(() =>
  z.object({
    expectedAgentName: z.string().max(100).optional().describe('Delete it only if it has this name'),
    expectedCreatedAt: z.iso.datetime({ offset: true }).optional().describe('Delete it only if it was created then'),
    expectedExecutionTier: z
      .enum(['shared', 'dedicated-lazy', 'dedicated-always', 'custom'])
      .optional()
      .describe('Delete it only if it has this tier'),
  }),
);

export const provisionQuery = z.lazy(() =>
  z.object({
    sync: z.boolean().default(false).describe('Answer 200 with the agent where its job ends at once'),
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
