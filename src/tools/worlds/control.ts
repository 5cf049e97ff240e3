// Control operations of the worlds of the emulator: made beside each other, sharing nothing, dropped with everything in them.

import * as z from 'zod';
import { byId, type ControlContext, listed, operation } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { ApiError, type FieldProblem } from '../../core/errors.js';
import { freshWorldId } from '../../core/random.js';
import { isTree } from '../../core/tree.js';
import type { World } from '../../world/world.js';
import { scenarioProblems } from '../scenarios/check.js';
import { type Hosting, hosting } from './hosting.js';
import { freeId, freeIdOf, idOfLabel } from './label.js';
import { baseUrlOf, makeWorld } from './make-world.js';
import {
  asked,
  differences,
  type NamedWorldRequest,
  namedWorldRequest,
  type WorldInfo,
  type WorldRequest,
  worldInfo,
  worldParams,
  worldRequest,
} from './request.js';

export const worldPage = z.lazy(() =>
  z.object({
    prefix: z.string().max(63).optional().describe('Only worlds whose ids begin with this'),
    after: z.string().max(63).optional().describe('Only worlds after this id, the last one of the previous page'),
    limit: z.int().min(1).max(1_000).default(1_000).describe('Maximum number of worlds; total counts all'),
  }),
);

/** The worlds to list. */
export type WorldPage = z.input<typeof worldPage>;

export const openedWorld = z.lazy(() =>
  worldInfo.unwrap().extend({ created: z.boolean().describe('Whether this request has created it') }),
);

/** A world, and whether the request has created it. */
export type OpenedWorld = z.output<typeof openedWorld>;

const dropped = z.object({ dropped: z.string() });

export const worldOperations = {
  /**
   * Lists the worlds, `default` first, then in order of their ids, 1,000 at a time. It opens none of them.
   *
   * @example const next = controls.worlds.list({ prefix: 'team-a-', after: last.id })
   */
  list: operation({
    id: 'control.worlds.list',
    ofTeams: true,
    route: 'GET /worlds',
    summary: 'List the worlds of the emulator, in pages, without opening one',
    query: worldPage,
    output: listed('worlds', worldInfo),
    command: {
      line: 'world list',
      columns: 'id label? root? branch? usedAt? bytes? baseUrl now? frozen? port? ttlMs?',
      flags: {
        shared: { type: 'boolean', describe: 'Those of the shared emulator, even where this directory has its own' },
      },
      examples: [
        ['world list', 'the default world first, then in order of their ids'],
        ['world list --prefix team-a- --after team-a-100', 'those of one team that come after that one'],
      ],
    },
    run: (context, { limit = 1_000, ...page }: WorldPage = {}): WorldInfo[] => {
      const host = hosting.of(context.world);
      const prefix = prefixFor(context, page.prefix);
      if (prefix === undefined) return [];
      const ids = host.worlds().list({ ...page, prefix, limit });
      return ids.map((id) => ({ ...host.describe(id), baseUrl: baseUrlOf(context, id) }));
    },
    total: (context, page: WorldPage = {}) => {
      const prefix = prefixFor(context, page.prefix);
      return prefix === undefined ? 0 : hosting.of(context.world).worlds().count(prefix);
    },
  }),
  /**
   * Creates a world with its own data, clock, seed, faults, limits and journal. Without a seed, it has that of its
   * scenario, or one that is derived from its label, else from this world's seed and its id.
   *
   * @example const { baseUrl, apiKey } = await controls.worlds.create({ seed: 42, clock: { frozen: true } })
   * @throws ApiError VALIDATION_ERROR, NOT_FOUND (scenario), or CONFLICT when the id or the port is taken
   */
  create: operation({
    id: 'control.worlds.create',
    ofTeams: true,
    route: 'POST /worlds',
    summary: 'Create a world with its own data, clock, seed, faults, limits and journal',
    body: worldRequest,
    bodyOptional: true,
    alsoWrong: worldProblems,
    errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
    output: worldInfo,
    runs: 'async',
    run: async (context, request: WorldRequest = {}): Promise<WorldInfo> => {
      const host = hosting.of(context.world);
      const { team } = context;
      const prefix = team?.prefix ?? '';
      const { label } = request;
      const { id = label === undefined ? freeId(host, prefix) : freeIdOf(host, prefix, label), ...rest } = request;
      requireOwn(context, id);
      if (host.isTaken(id) && !host.giveWay(id)) {
        throw new ApiError('CONFLICT', {
          message: `There is a world "${id}" already: ${id === 'default' ? '' : 'drop it, or '}choose another id`,
        });
      }
      return makeWorld(context, id, asked(rest, team?.ttl));
    },
  }),
  /**
   * Creates the world with this id, or returns the one that the same request has created: the request can be repeated.
   * Its path is the world's own, so that a proxy that spreads worlds over processes finds the right process.
   *
   * @example const { baseUrl, apiKey } = await controls.worlds.open('blue', { seed: 42 })
   * @throws ApiError VALIDATION_ERROR, NOT_FOUND (scenario), or CONFLICT when the world was made by another request
   */
  open: operation({
    id: 'control.worlds.open',
    ofTeams: true,
    route: 'PUT /w/{id}/_emulator/world',
    summary: 'Create a world, or return the one that the same request created before',
    params: worldParams,
    body: namedWorldRequest,
    bodyOptional: true,
    alsoWrong: worldProblems,
    errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
    output: openedWorld,
    command: {
      line: 'world create',
      names: { 'clock.start': 'clock', 'at.point': 'at', 'at.side': 'side', 'at.world': 'of' },
      makes: { id: ({ label }) => (typeof label === 'string' ? idOfLabel(label) : freshWorldId()) },
      examples: [
        ['world create --id blue --seed 42 --frozen', 'prints its base URL and its key'],
        ['world create --label "deploys a shop"', 'id and seed follow from the label: the same each time'],
        ['world create --id try --at 12', 'begins as this world was after point 12 of its history'],
        ['world create --ttl 10m --json', 'for a script; it ends after ten minutes without a request'],
      ],
    },
    runs: 'async',
    run: async (context, id: string, request: NamedWorldRequest = {}): Promise<OpenedWorld> => {
      const host = hosting.of(context.world);
      requireOwn(context, id);
      const wanted = asked(request, context.team?.ttl);
      // If requests come together, the first creates the world, and the others wait until its port is open.
      for (let made = host.beingMade(id); made !== undefined; made = host.beingMade(id)) await made;
      host.giveWay(id);
      const made = host.madeBy(id);
      if (made === undefined) return { ...(await makeWorld(context, id, wanted)), created: true };
      // Nobody asked for the default world: what it is asked to be is otherwise, its lifetime aside.
      const differing = differences(id === 'default' ? { ttl: wanted.ttl } : made, wanted);
      if (differing.length > 0) {
        const fields = differing.map(({ path }) => path).join(', ');
        throw new ApiError('CONFLICT', {
          message: `There is a world "${id}" that was created otherwise (${fields}): end it, or choose another id`,
          details: differing,
        });
      }
      return { ...host.describe(id), baseUrl: baseUrlOf(context, id), created: false };
    },
  }),
  /** Returns what a client needs to know of a world, without opening it. */
  get: operation({
    id: 'control.worlds.get',
    ofTeams: true,
    route: 'GET /w/{id}/_emulator/world',
    summary: 'Show a world, without opening it',
    params: worldParams,
    errors: ['NOT_FOUND'],
    output: worldInfo,
    command: { line: 'world show <id>', examples: [['world show blue', 'its base URL, its key, its time']] },
    run: (context, id: string): WorldInfo => {
      const host = requireThere(context, id);
      return { ...host.describe(id), baseUrl: baseUrlOf(context, id) };
    },
  }),
  /**
   * Deletes a world and everything in it, by its own path.
   *
   * @throws ApiError NOT_FOUND, or CONFLICT for the default world
   */
  end: operation({
    id: 'control.worlds.end',
    ofTeams: true,
    route: 'DELETE /w/{id}/_emulator/world',
    summary: 'Delete this world and everything in it',
    params: worldParams,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: dropped,
    command: { line: 'world drop <id>', examples: [['world drop blue', 'deletes it and everything in it']] },
    run: (context, id: string): { dropped: string } => drop(context, id),
  }),
  /**
   * Deletes a world and everything in it.
   *
   * @throws ApiError NOT_FOUND, or CONFLICT for the default world
   */
  drop: operation({
    id: 'control.worlds.drop',
    ofTeams: true,
    route: 'DELETE /worlds/{id}',
    summary: 'Delete a world and everything in it',
    params: byId('world'),
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: dropped,
    run: (context, id: string): { dropped: string } => drop(context, id),
  }),
};

/** The problems of the scenario that a request holds as a document, beside its form. */
function worldProblems(world: World, request: unknown): FieldProblem[] {
  const document = isTree(request) ? request.scenario : undefined;
  return scenarioProblems(world, document).map((problem) => ({ ...problem, path: `scenario.${problem.path}` }));
}

/** The worlds that a caller may see of those that it asks for; undefined: none. */
function prefixFor({ team }: ControlContext, asked = ''): string | undefined {
  const own = team?.prefix ?? '';
  if (asked.startsWith(own)) return asked;
  return own.startsWith(asked) ? own : undefined;
}

// For a team the worlds of others do not exist.
function requireOwn({ team }: ControlContext, id: string): void {
  if (team !== undefined && !id.startsWith(team.prefix)) throw noSuch('world', id);
}

function requireThere(context: ControlContext, id: string): Hosting {
  requireOwn(context, id);
  const host = hosting.of(context.world);
  if (!host.worlds().has(id)) throw noSuch('world', id);
  return host;
}

function drop(context: ControlContext, id: string): { dropped: string } {
  requireOwn(context, id);
  const host = hosting.of(context.world);
  if (!host.isTaken(id)) throw noSuch('world', id);
  if (id === 'default') {
    throw new ApiError('CONFLICT', { message: 'The default world stays; a reset (`cloudemu reset`) empties it' });
  }
  host.drop(id);
  return { dropped: id };
}
