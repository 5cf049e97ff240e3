// The worlds of the emulator: made beside each other, sharing nothing, dropped with everything in them.

import * as z from 'zod';
import { scenarioName } from '../../config/names.js';
import { parseDuration } from '../../core/duration.js';
import { ApiError, type FieldProblem, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { isTree } from '../../core/tree.js';
import { checkInput } from '../../http/validate.js';
import { prefixOf, type World } from '../../world/world.js';
import { scenarioProblems } from '../scenarios/check.js';
import { fillWorld, type NamedScenario } from '../scenarios/fill.js';
import type { Library } from '../scenarios/library.js';
import { selectScenario, withClock } from '../scenarios/named.js';
import { scenarioSchema } from '../scenarios/schema.js';

const clockStart = z.object({
  start: z.iso.datetime({ offset: true }).optional().describe('Start of its virtual time (ISO 8601)'),
  frozen: z.boolean().optional().describe('Start with its clock frozen'),
});

export const worldRequest = z.object({
  id: z
    .string()
    .refine((id) => /^[a-z0-9][a-z0-9_-]{0,62}$/.test(id), {
      error: 'must be 1 to 63 lower-case letters, digits, dashes or underscores',
    })
    .optional()
    .describe('Id of the world, used in its path; by default a free one'),
  seed: z
    .union([z.string().min(1).max(200), z.number()])
    .optional()
    .describe('Seed of its ids and keys; by default derived from the default world’s seed and the id'),
  clock: z
    .union([z.iso.datetime({ offset: true }), clockStart])
    .optional()
    .describe('Start of its virtual time, or {start?, frozen?}'),
  scenario: z
    .union([scenarioName, scenarioSchema])
    .nullable()
    .optional()
    .describe('Name or document of a scenario; null: none, even if the settings name one'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Additional port that serves only this world; 0 picks a free port'),
  ttl: z
    .union([z.string(), z.number()])
    .optional()
    .describe('Wall time without requests after which it is deleted; by default an hour'),
});

/**
 * What a new world shall be. `clock` is where its time begins, or `{start?, frozen?}`; `scenario` is what it begins
 * with, under clock and seed that are given here; `port` gives it a port of its own beside its path (0: any); after
 * `ttl` of wall time without a request it ends (default "1h").
 */
export type WorldRequest = z.input<typeof worldRequest>;

/** A world and how a client reaches it. */
export interface WorldInfo {
  /** What its path is called: `/w/<id>`. */
  id: string;
  /** What a client takes for the platform's base URL. */
  baseUrl: string;
  /** The test key of its seeded organization. */
  apiKey: string;
  /** The seeded organization. */
  organizationId: string;
  /** Its owner. */
  userId: string;
  /** Its virtual time, ISO 8601. */
  now: string;
  /** Whether its time stands still. */
  frozen: boolean;
  /** The port of its own, or null. */
  port: number | null;
  /** Milliseconds of wall time; null: it does not end by itself. */
  ttlMs: number | null;
}

/** What makes and ends worlds; the emulator gives it. */
export interface Hosting {
  /** Where the emulator answers, without a trailing slash. */
  origin(): string;
  /** `default` first. */
  ids(): string[];
  /** What worlds begin with unless told otherwise. */
  scenario(): NamedScenario | undefined;
  /**
   * What a client needs to know of a world, without opening one that nobody has asked for.
   *
   * @throws ApiError NOT_FOUND
   */
  describe(id: string): Omit<WorldInfo, 'baseUrl'>;
  /** Makes, seeds and lists a world; the port is there when it resolves. */
  open(request: OpenRequest): Promise<Omit<WorldInfo, 'baseUrl'>>;
  drop(id: string): void;
}

export interface OpenRequest {
  id: string;
  seed: string;
  at: number | undefined;
  frozen: boolean | undefined;
  scenario: NamedScenario | undefined;
  /** Fills it as its beginning says. */
  fill: (world: World) => void;
  port: number | undefined;
  ttl: number;
}

/** What is wrong with the scenario that a request holds as a document, beside its form. */
export function worldProblems(world: World, request: unknown): FieldProblem[] {
  const document = isTree(request) ? request.scenario : undefined;
  return scenarioProblems(world, document).map((problem) => ({ ...problem, path: `scenario.${problem.path}` }));
}

const defaultTtlMs = 3_600_000;
const longestTtlMs = 30 * 86_400_000;

export type WorldControls = ReturnType<typeof createWorldControls>;

/** The world controls of an emulator, seen from one of its worlds. */
export function createWorldControls(world: World, hosting: Hosting, library: Library) {
  return {
    /** All worlds, `default` first. */
    list: (origin: string = hosting.origin()): WorldInfo[] =>
      hosting.ids().map((id) => ({ ...hosting.describe(id), baseUrl: origin + prefixOf(id) })),
    /**
     * Makes a world with data, clock, seed, faults, limits and journal of its own. Without a seed its seed follows
     * from this world's and its id.
     *
     * @example const { baseUrl, apiKey } = await controls.worlds.create({ seed: 42, clock: { frozen: true } })
     * @throws ApiError VALIDATION_ERROR, NOT_FOUND (scenario), or CONFLICT when the id or the port is taken
     */
    async create(request: WorldRequest = {}, origin: string = hosting.origin()): Promise<WorldInfo> {
      const wanted = checkInput(worldRequest, request, { strict: true, warn: () => {} });
      const id = wanted.id ?? freeId(hosting);
      if (hosting.ids().includes(id)) {
        throw new ApiError('CONFLICT', { message: `There is a world "${id}" already: drop it, or choose another id` });
      }
      const clock = typeof wanted.clock === 'string' ? { start: wanted.clock } : wanted.clock;
      const named =
        wanted.scenario === undefined ? hosting.scenario() : selectScenario(world, library, wanted.scenario);
      const scenario = named && withClock(named, clock);
      const made = await hosting.open({
        id,
        seed: String(wanted.seed ?? scenario?.scenario.seed ?? world.random.hex('world', id)),
        at: clock?.start === undefined ? undefined : Date.parse(clock.start),
        frozen: clock?.frozen,
        scenario,
        fill: fillWorld,
        port: wanted.port,
        ttl: lifetime(wanted.ttl),
      });
      return { ...made, baseUrl: origin + prefixOf(id) };
    },
    /** @throws ApiError NOT_FOUND, or CONFLICT for the default world */
    drop(id: string): { dropped: string } {
      if (id === 'default') {
        throw new ApiError('CONFLICT', { message: 'The default world stays: POST /_emulator/reset empties it' });
      }
      if (!hosting.ids().includes(id))
        throw new ApiError('NOT_FOUND', { message: `There is no world ${describe(id)}` });
      hosting.drop(id);
      return { dropped: id };
    },
  };
}

function freeId(hosting: Hosting): string {
  const taken = new Set(hosting.ids());
  for (let number = taken.size; ; number++) if (!taken.has(`w${number}`)) return `w${number}`;
}

function lifetime(ttl: string | number | undefined): number {
  if (ttl === undefined) return defaultTtlMs;
  const ms = parseDuration(ttl);
  if (ms !== undefined && ms >= 1_000 && ms <= longestTtlMs) return ms;
  throw invalid({
    path: 'ttl',
    message: 'must be a duration from a second to 30 days: "90s", "10m" or milliseconds',
    received: describe(ttl),
  });
}
