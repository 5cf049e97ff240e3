// The request for a new world: its fields, how they are shown, and how it differs from an earlier request.

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { scenarioName, worldIds } from '../../config/names.js';
import { formatDuration, parseDuration } from '../../core/duration.js';
import { anyDuration } from '../../core/duration-schemas.js';
import { type FieldProblem, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { characters } from '../../http/wire.js';
import { type AskedWorld, endless } from '../../world/made-world.js';
import { sides } from '../history/places.js';
import { scenarioSchema } from '../scenarios/schema.js';
import { snapshotName } from '../snapshots/schema.js';

const clockStart = z.lazy(() =>
  z.object({
    start: z.iso.datetime({ offset: true }).optional().describe('Start of its virtual time (ISO 8601)'),
    frozen: z.boolean().optional().describe('Start with its clock frozen'),
  }),
);

const worldId = z.string().refine((id) => worldIds.test(id), {
  error: 'must be 1 to 63 lower-case letters, digits, dashes or underscores, and begin with a letter or digit',
});

/** The id of a world in a path. */
export const worldParams = z.object({
  id: worldId.describe('Id of the world'),
});

export const worldRequest = z.lazy(() =>
  z.object({
    id: worldId.optional().describe('Id of the world, used in its path; by default a new one'),
    label: characters(1, 1_000)
      .optional()
      .describe('What it is for, such as the full name of a test; id and seed follow from it unless they are given'),
    seed: z
      .union([z.string().min(1).max(200), z.number()])
      .optional()
      .describe(
        'Seed of its ids and keys; by default that of the scenario, or derived from the label, else from the seed of the world that makes it and the id',
      ),
    clock: z
      .union([z.iso.datetime({ offset: true }), clockStart])
      .optional()
      .describe('Start of its virtual time, or {start?, frozen?}'),
    scenario: z
      .union([scenarioName, scenarioSchema])
      .nullable()
      .optional()
      .describe('Name or document of a scenario; null: none, even if the settings name one'),
    at: z
      .object({
        world: worldId.optional().describe('The world whose history it is; by default the one that is asked'),
        point: z
          .union([z.int().min(1), z.string().min(1).max(100)])
          .optional()
          .describe('The number of a point of the history, or the id of a request'),
        requestId: z.string().max(100).optional().describe('Instead of the number of a point: the id of a request'),
        side: z.enum(sides).optional().describe('Whether the point is in it; by default it begins after the point'),
      })
      .optional()
      .describe('Begin as another world was at a point of its history, with its keys, clock, limits and faults'),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe('Additional port that serves only this world; 0 picks a free port'),
    ttl: anyDuration()
      .nullable()
      .optional()
      .describe(
        'Wall time without requests after which it is deleted: "30m" or milliseconds; by default an hour; null: it does not end by itself',
      ),
    checkout: z
      .object({
        root: characters(1, 4_096).describe('Real path of the directory'),
        branch: characters(1, 1_000).optional().describe('Branch that is checked out there'),
      })
      .optional()
      .describe('The directory that it is for: `cloudemu env` names it where a shared emulator serves many'),
    settings: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Settings of its own, over those of the emulator and under those of scenarios; a reset keeps them'),
    base: snapshotName
      .optional()
      .describe(
        'Snapshot of the world that makes it (the default one) with which it begins, and to which a reset returns',
      ),
  }),
);

/**
 * How to create a world. `clock` is the start of its time, or `{start?, frozen?}`. `scenario` is its initial state; the
 * `clock` and `seed` given here override those of the scenario. `port` gives it a port of its own in addition to its path
 * (0: any free one). After `ttl` of wall time without a request it is deleted (default "1h"; null: never). `checkout` says
 * which directory it is for. With `base` it begins as that snapshot of the world that makes it, with its keys and its clock.
 */
export type WorldRequest = z.input<typeof worldRequest>;

/** The request for a world whose id is in the path. */
export const namedWorldRequest = z.lazy(() => worldRequest.unwrap().omit({ id: true }));

export type NamedWorldRequest = z.input<typeof namedWorldRequest>;

/** The fields of a request, apart from the id. */
export function asked({ seed, clock, ttl, ...rest }: NamedWorldRequest, longest: number = longestTtlMs): AskedWorld {
  const written = {
    ...rest,
    seed: seed === undefined ? undefined : String(seed),
    clock: typeof clock === 'string' ? { start: clock } : clock,
    ttl: lifetime(ttl, longest),
  };
  // Fields that were left out and fields that were given as undefined are the same.
  return JSON.parse(JSON.stringify(written)) as AskedWorld;
}

/** Each field in which a request differs from the one that made the world. */
export function differences(made: AskedWorld, request: AskedWorld): FieldProblem[] {
  const fields = [...new Set([...Object.keys(made), ...Object.keys(request)])];
  // The world of a directory stays, whatever its settings say by now of how it begins.
  const isOfSame = made.checkout !== undefined && isDeepStrictEqual(made.checkout, request.checkout);
  return fields
    .filter(
      (field) => !(isOfSame && /^(base|ttl|settings)$/.test(field)) && !isDeepStrictEqual(made[field], request[field]),
    )
    .map((path) => ({
      path,
      message: `is ${describe(made[path])} in the world that exists`,
      received: describe(request[path]),
    }));
}

const defaultTtlMs = 3_600_000;
const longestTtlMs = 30 * 86_400_000;

function lifetime(ttl: string | number | null | undefined, longest: number): number {
  if (ttl === undefined) return Math.min(defaultTtlMs, longest);
  if (ttl === null && longest === longestTtlMs) return endless;
  const ms = ttl === null ? undefined : parseDuration(ttl);
  if (ms !== undefined && ms >= 1_000 && ms <= Math.min(longest, longestTtlMs)) return ms;
  const most = longest < longestTtlMs ? `${formatDuration(longest)}, the longest of your token` : '30 days';
  throw invalid({
    path: 'ttl',
    message: `must be a duration from a second to ${most}: "90s", "10m" or milliseconds`,
    received: describe(ttl),
  });
}

export const worldInfo = z.lazy(() =>
  z.object({
    id: z.string().describe('What its path is called: `/w/<id>`'),
    label: z.string().nullable().describe('What it is for: the full name of a test, where its fixture says so'),
    baseUrl: z.string().describe('What a client takes for the platform’s base URL'),
    apiKey: z.string().describe('The test key of its seeded organization'),
    organizationId: z.string().describe('The seeded organization'),
    userId: z.string().describe('Its owner'),
    now: z.string().describe('Its virtual time, ISO 8601'),
    frozen: z.boolean().describe('Whether its clock is frozen'),
    port: z.int().nullable().describe('The port of its own, or null'),
    root: z.string().nullable().describe('The directory that it is for, where that was said'),
    branch: z.string().nullable().describe('The branch that was checked out there when it was created'),
    usedAt: z.string().nullable().describe('Wall time of its last request, ISO 8601; null: it is the default world'),
    bytes: z.number().nullable().describe('Size of its database; null: it is the default world'),
    ttlMs: z.number().nullable().describe('Milliseconds of wall time; null: it does not end by itself'),
  }),
);

/** A world and how a client reaches it. */
export type WorldInfo = z.output<typeof worldInfo>;
