// The image registry: settings.

import * as z from 'zod';

export const registry = z.lazy(() =>
  z
    .strictObject({
      require: z
        .enum(['afterFirstPush', 'always', 'never'])
        .default('afterFirstPush')
        .describe('When a deployment requires that its image was pushed'),
      host: z
        .string()
        .regex(/^[\w.[\]:-]+$/, 'must be a host name, with a port where it is not 80')
        .nullable()
        .default(null)
        .describe('Host and port under which clients reach the registry; null: those of the emulator'),
      namespace: z
        .string()
        .regex(/^([a-z0-9]+([._-][a-z0-9]+)*)?$/, 'must be lower-case letters and digits')
        .default('')
        .describe('Prefix of repository names, before the organization'),
      challenge: z
        .enum(['basic', 'bearer'])
        .default('basic')
        .describe('Login method offered to clients that send no credentials; both methods are always accepted'),
      maxImageSize: z
        .number()
        .min(0)
        .max(1_000_000)
        .default(10_000)
        .describe('Size of the largest image that can be deployed, in MB'),
    })
    .prefault({})
    .describe('The image registry'),
);
