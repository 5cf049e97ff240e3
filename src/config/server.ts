// Settings of the process: the address of the server, who may reach it, and how its worlds are kept.

import * as z from 'zod';
import { duration } from '../core/duration-schemas.js';
import { snapshotNames } from './names.js';

const port = z.int().min(0).max(65_535);

const controlToken = z.lazy(() =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,29}$/)
      .describe('Name of the team'),
    token: z.string().min(8).describe('What its members send as Authorization: Bearer'),
    prefix: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,29}$/)
      .describe('What the ids of its worlds begin with'),
    worlds: z.int().min(1).max(1_000_000).default(100).describe('Number of worlds that it may have at once'),
    ttl: duration.default(86_400_000).describe('Longest ttl of its worlds'),
  }),
);

export const server = z.lazy(() =>
  z
    .strictObject({
      port: port.default(4747).describe('Port to listen on; 0 picks a free port'),
      host: z.string().min(1).default('localhost').describe('Address to listen on; localhost means 127.0.0.1 and ::1'),
      publicUrl: z
        .url({ protocol: /^https?$/ })
        .refine((url) => !/[?#]/.test(url), { message: 'must end with its path: no query, no fragment' })
        // Shells, files and pages repeat it.
        .refine((url) => /^https?:\/\/[\w.~:[\]-]+(\/[\w.~/-]*)?$/i.test(url), {
          message:
            'must have letters, digits and - . _ ~ alone in its host and its path, and neither user nor password',
        })
        .nullable()
        .default(null)
        .describe('Origin used in the URLs that responses contain; null: the client’s Host header'),
      worldDomain: z
        .string()
        .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/)
        .nullable()
        .default(null)
        .describe(
          'Parent domain of worlds: the label below it names the world (blue.emulator.example); null: that of publicUrl',
        ),
      controlToken: z
        .string()
        .min(8)
        .nullable()
        .default(null)
        .describe('Token that /_emulator requires from other machines'),
      controlTokens: z
        .array(controlToken)
        .max(1_000)
        .default([])
        .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
          message: 'must have names of their own',
        })
        .refine((all) => new Set(all.map(({ token }) => token)).size === all.length, {
          message: 'must be different tokens',
        })
        .describe(
          'Tokens of teams. Each is for the worlds whose ids begin with its prefix. With an entry, every call needs a token',
        ),
      maxBody: z
        .int()
        .min(1_024)
        .max(1_073_741_824)
        .default(16 * 1_024 * 1_024)
        .describe(
          'Largest JSON body that is accepted, in bytes; those of control operations that hold no files have at most 4 MB',
        ),
      corsOrigins: z
        .array(z.string())
        .default([])
        .describe('Origins that may send credentials, in addition to loopback'),
    })
    .prefault({})
    .describe('The address of the server, and who may reach it'),
);

export const worlds = z.lazy(() =>
  z
    .strictObject({
      persist: z
        .boolean()
        .default(false)
        .describe('Keep each world in a file of its own in the data directory, until its ttl ends it'),
      open: z
        .int()
        .min(1)
        .max(100_000)
        .default(200)
        .describe(
          'Number of worlds that stay open: beyond it those that are idle are closed, and a request opens them again',
        ),
      base: z
        .string()
        .regex(snapshotNames)
        .nullable()
        .default(null)
        .describe(
          'Snapshot of the default world of the shared emulator with which `cloudemu env` begins the world of this directory; null: none',
        ),
    })
    .prefault({})
    .describe('Worlds beside the default one'),
);
