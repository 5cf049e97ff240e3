// The image registry: settings.

import * as z from 'zod';

export const registry = z.lazy(() =>
  z
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
);
