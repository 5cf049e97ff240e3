// Where the server listens, who may reach it, and what becomes of the worlds in it: settings of the process.

import * as z from 'zod';

const port = z.int().min(0).max(65_535);

export const server = z.lazy(() =>
  z
    .strictObject({
      port: port.default(4747).describe('Port to listen on; 0 picks a free port'),
      host: z.string().min(1).default('localhost').describe('Address to listen on; localhost means 127.0.0.1 and ::1'),
      publicUrl: z
        .url({ protocol: /^https?$/ })
        .refine((url) => !/[?#]/.test(url), { message: 'must end with its path: no query, no fragment' })
        .nullable()
        .default(null)
        .describe('Origin used in the URLs that responses contain; null: the client’s Host header'),
      worldDomain: z
        .string()
        .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/)
        .nullable()
        .default(null)
        .describe('Domain whose first label below it names a world (blue.emulator.example); null: that of publicUrl'),
      controlToken: z
        .string()
        .min(8)
        .nullable()
        .default(null)
        .describe('Token that /_emulator requires from other machines'),
      maxBody: z
        .int()
        .min(1_024)
        .max(1_073_741_824)
        .default(16 * 1_024 * 1_024)
        .describe('Largest JSON body that is accepted, in bytes'),
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
        .describe('Number of worlds on disk that are open at most, beside those in use'),
    })
    .prefault({})
    .describe('Worlds beside the default one'),
);
