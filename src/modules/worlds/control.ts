// Control operations of the worlds of the emulator: made beside each other, sharing nothing, dropped with everything in them.

import * as z from 'zod';
import { scenarioName } from '../../config/names.js';
import { byId, type ControlsOf, listed, operation } from '../../control/operation.js';
import { parseDuration } from '../../core/duration.js';
import { ApiError, type FieldProblem, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { isTree } from '../../core/tree.js';
import { characters } from '../../http/wire.js';
import { emulatorFacts } from '../../world/given.js';
import { prefixOf, type World } from '../../world/world.js';
import { scenarioProblems } from '../scenarios/check.js';
import { fillWorld } from '../scenarios/fill.js';
import { scenarioLibrary } from '../scenarios/library.js';
import { selectScenario, withClock } from '../scenarios/named.js';
import { scenarioSchema } from '../scenarios/schema.js';
import { type Hosting, hosting, type WorldInfo } from './hosting.js';
import { idOfLabel, seedOfLabel } from './label.js';

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
  label: characters(1, 1_000)
    .optional()
    .describe('What it is for, such as the full name of a test; id and seed follow from it unless they are given'),
  seed: z
    .union([z.string().min(1).max(200), z.number()])
    .optional()
    .describe(
      'Seed of its ids and keys; by default derived from the label, else from the default world’s seed and the id',
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
 * How to make a world. `clock` is where its time begins, or `{start?, frozen?}`; `scenario` is what it begins with,
 * under clock and seed that are given here; `port` gives it a port of its own beside its path (0: any); after `ttl`
 * of wall time without a request it ends (default "1h").
 */
export type WorldRequest = z.input<typeof worldRequest>;

const worldInfo = z.object({
  id: z.string(),
  label: z.string().nullable(),
  baseUrl: z.string(),
  apiKey: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  now: z.string(),
  frozen: z.boolean(),
  port: z.int().nullable(),
  ttlMs: z.number().nullable(),
});

const defaultTtlMs = 3_600_000;
const longestTtlMs = 30 * 86_400_000;

export const worldOperations = {
  /** All worlds, `default` first. */
  list: operation({
    id: 'control.worlds.list',
    route: 'GET /worlds',
    summary: 'List all worlds of the emulator',
    output: listed('worlds', worldInfo),
    command: {
      line: 'world list',
      bare: true,
      columns: 'id label? baseUrl now frozen? port? ttlMs?',
      examples: [['world list', 'the default world first']],
    },
    run: ({ world, origin }): WorldInfo[] => {
      const host = hosting.of(world);
      const base = origin ?? emulatorFacts.of(world).origin();
      return host.ids().map((id) => ({ ...host.describe(id), baseUrl: base + prefixOf(id) }));
    },
  }),
  /**
   * Makes a world with data, clock, seed, faults, limits and journal of its own. Without a seed its seed follows
   * from its label, else from this world's seed and its id.
   *
   * @example const { baseUrl, apiKey } = await controls.worlds.create({ seed: 42, clock: { frozen: true } })
   * @throws ApiError VALIDATION_ERROR, NOT_FOUND (scenario), or CONFLICT when the id or the port is taken
   */
  create: operation({
    id: 'control.worlds.create',
    route: 'POST /worlds',
    summary: 'Create a world with its own data, clock, seed, faults, limits and journal',
    body: worldRequest,
    bodyOptional: true,
    alsoWrong: worldProblems,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: worldInfo,
    command: {
      line: 'world create',
      names: { 'clock.start': 'clock' },
      examples: [
        ['world create --id blue --seed 42 --frozen', 'prints its base URL and its key'],
        ['world create --label "deploys a shop"', 'id and seed follow from the label: the same each time'],
        ['world create --ttl 10m --json', 'for a script; it ends after ten minutes without a request'],
      ],
    },
    run: async ({ world, origin }, request: WorldRequest = {}): Promise<WorldInfo> => {
      const host = hosting.of(world);
      const base = origin ?? emulatorFacts.of(world).origin();
      const { label } = request;
      const id = request.id ?? (label === undefined ? freeId(host) : freeIdOf(host, label));
      if (host.ids().includes(id)) {
        throw new ApiError('CONFLICT', { message: `There is a world "${id}" already: drop it, or choose another id` });
      }
      const clock = typeof request.clock === 'string' ? { start: request.clock } : request.clock;
      const named =
        request.scenario === undefined
          ? host.scenario()
          : selectScenario(world, scenarioLibrary.of(world), request.scenario);
      const scenario = named && withClock(named, clock);
      const made = await host.open({
        id,
        label,
        seed: String(request.seed ?? scenario?.scenario.seed ?? seedFrom(world, id, label)),
        at: clock?.start === undefined ? undefined : Date.parse(clock.start),
        frozen: clock?.frozen,
        scenario,
        fill: fillWorld,
        port: request.port,
        ttl: lifetime(request.ttl),
      });
      return { ...made, baseUrl: base + prefixOf(id) };
    },
  }),
  /**
   * Deletes a world and everything in it.
   *
   * @throws ApiError NOT_FOUND, or CONFLICT for the default world
   */
  drop: operation({
    id: 'control.worlds.drop',
    route: 'DELETE /worlds/{id}',
    summary: 'Delete a world and everything in it',
    params: byId,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: z.object({ dropped: z.string() }),
    command: { line: 'world drop <id>', examples: [['world drop blue', 'deletes it and everything in it']] },
    run: ({ world }, id: string): { dropped: string } => {
      if (id === 'default') {
        throw new ApiError('CONFLICT', { message: 'The default world stays: POST /_emulator/reset empties it' });
      }
      const host = hosting.of(world);
      if (!host.ids().includes(id)) throw new ApiError('NOT_FOUND', { message: `There is no world ${describe(id)}` });
      host.drop(id);
      return { dropped: id };
    },
  }),
};

export type WorldControls = ControlsOf<typeof worldOperations>;

/** What is wrong with the scenario that a request holds as a document, beside its form. */
function worldProblems(world: World, request: unknown): FieldProblem[] {
  const document = isTree(request) ? request.scenario : undefined;
  return scenarioProblems(world, document).map((problem) => ({ ...problem, path: `scenario.${problem.path}` }));
}

function freeId(host: Hosting): string {
  const taken = new Set(host.ids());
  for (let number = taken.size; ; number++) if (!taken.has(`w${number}`)) return `w${number}`;
}

// Of a test that runs twice at a time, or was killed on a shared emulator, there is a world already.
function freeIdOf(host: Hosting, label: string): string {
  const taken = new Set(host.ids());
  const id = idOfLabel(label);
  for (let number = 1; ; number++) {
    const wanted = number === 1 ? id : `${id}-${number}`;
    if (!taken.has(wanted)) return wanted;
  }
}

function seedFrom(world: World, id: string, label: string | undefined): string {
  return label === undefined ? world.random.hex('world', id) : seedOfLabel(label);
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
