// The meaning of a scenario: whether what it names is there, and its parts go together. Parts may be missing anywhere, as
// those that have the wrong form are reported separately.

import { milliseconds } from '../../core/duration.js';
import { ApiError, type FieldProblem } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { fitsPattern } from '../../core/patterns.js';
import { describe } from '../../core/problems.js';
import type { RightParts } from '../../core/right-parts.js';
import { listOrganizations } from '../../platform/accounts/store.js';
import { requireMode } from '../../platform/containers/lifecycle/failures.js';
import { requireAgentMode } from '../../platform/hosted-agents/failures.js';
import { selectionProblems } from '../../platform/limits/control.js';
import { operations } from '../../platform/surface.js';
import { seededKeyName } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { faultProblems as ruleProblems } from '../faults/control.js';
import { type Holdings, mostCharacters } from './data-schema.js';
import type { Scenario } from './schema.js';

type Parts = RightParts<Scenario>;
type Counted = { count?: number | undefined; min?: number | undefined; max?: number | undefined };
type Containers = NonNullable<RightParts<Holdings>['containers']>;
type HostedAgents = NonNullable<RightParts<Holdings>['hostedAgents']>;

/**
 * The problem of the name of a failure mode.
 *
 * @param require throws if it is none; by default those of deployments are meant
 */
export function modeProblems(
  path: string,
  mode: string | null | undefined,
  require: (mode: string, path: string) => unknown = requireMode,
): FieldProblem[] {
  if (mode === null || mode === undefined) return [];
  try {
    require(mode, path);
    return [];
  } catch (error) {
    if (error instanceof ApiError) return error.options.details as FieldProblem[];
    throw error;
  }
}

/** The problem of the id of an operation, or of a pattern of ids. */
export function operationProblems(path: string, pattern: string | undefined): FieldProblem[] {
  const ids = operations.map(({ id }) => id);
  if (pattern === undefined || ids.some((id) => fitsPattern(pattern, id))) return [];
  return [
    {
      path,
      message: 'must be the id of an operation, such as containers.create, or a pattern of ids',
      received: describe(pattern),
      suggestion: nearest(pattern, ids),
    },
  ];
}

// A part in which nothing is right is left out.
function each<Entry>(
  list: readonly (Entry | undefined)[] | undefined,
  path: string,
  problemsOf: (entry: Entry, path: string) => FieldProblem[],
): FieldProblem[] {
  return (list ?? []).flatMap((entry, index) => (entry === undefined ? [] : problemsOf(entry, `${path}[${index}]`)));
}

/** @param repeats whether an organization may have several containers of a project, and of a name */
export function dataProblems({ data = {} }: Parts, repeats: boolean): FieldProblem[] {
  return [
    ...holdingProblems(data, 'data', repeats),
    ...lengthProblems([data, ...(data.organizations ?? [])]),
    ...each(data.organizations, 'data.organizations', (organization, path) =>
      holdingProblems(organization, path, repeats),
    ),
  ];
}

// They are read while the world is filled, all at once.
function lengthProblems(all: readonly (RightParts<Holdings> | undefined)[]): FieldProblem[] {
  const documents = all.flatMap((holdings) => holdings?.documents ?? []);
  const length = documents.reduce((sum, document) => sum + (document?.content?.length ?? 0), 0);
  const message = `must have at most ${mostCharacters} characters in a scenario`;
  return length <= mostCharacters ? [] : [{ path: 'data.documents', message, received: `${length} characters` }];
}

function holdingProblems(
  { containers = [], hostedAgents }: RightParts<Holdings>,
  place: string,
  repeats: boolean,
): FieldProblem[] {
  return [
    ...each(containers, `${place}.containers`, ({ mode }, path) => modeProblems(`${path}.mode`, mode)),
    ...(repeats ? [] : [...repeated(containers, 'project_name', place), ...repeated(containers, 'name', place)]),
    ...each(hostedAgents, `${place}.hostedAgents`, hostedProblems),
  ];
}

const ofDedicated = ['status', 'error', 'mode', 'unpaid', 'job'] as const;

function hostedProblems(agent: HostedAgents[number], path: string): FieldProblem[] {
  const { tier, status, mode, job, age } = agent ?? {};
  const problems = [
    ...modeProblems(`${path}.mode`, mode, requireAgentMode),
    ...modeProblems(`${path}.job.mode`, job?.mode, requireAgentMode),
  ];
  if (tier === 'shared') {
    const message = 'cannot be had by a shared agent, which always runs and has no jobs';
    const had = ofDedicated.filter((name) => agent?.[name] !== undefined);
    problems.push(...had.map((name) => ({ path: `${path}.${name}`, message })));
  }
  if (job !== undefined && status === 'provisioning')
    problems.push({ path: `${path}.status`, message: 'must be the status before the job' });
  if (age !== undefined && job?.age !== undefined && milliseconds(job.age) > milliseconds(age))
    problems.push({ path: `${path}.job.age`, message: 'must not be more than the age of the agent' });
  return problems;
}

// A second container of a project would be an update of the first, and one of the same name is refused.
function repeated(containers: Containers, field: 'project_name' | 'name', place: string): FieldProblem[] {
  const first = new Map<string, number>();
  return each([...containers.entries()], '', ([index, container]) => {
    const name = container?.[field] ?? container?.project_name;
    if (name === undefined) return [];
    const former = first.get(name);
    if (former === undefined) first.set(name, index);
    // Two projects that are alike have display names that are alike, too.
    const isTold =
      former === undefined || (field === 'name' && containers[former]?.project_name === container?.project_name);
    if (isTold) return [];
    const message = `is that of containers[${former}] already: each needs one of its own`;
    return [{ path: `${place}.containers[${index}].${field}`, message, received: describe(name) }];
  });
}

export function outcomeProblems({ containers }: Pick<Parts, 'containers'>): FieldProblem[] {
  return each(containers, 'containers', ({ mode }, path) => modeProblems(`${path}.mode`, mode));
}

export function faultProblems(world: World, { faults, data }: Pick<Parts, 'faults' | 'data'>): FieldProblem[] {
  const names = namesIn(world, data);
  return each(faults, 'faults', ({ match: { key, organization, ...match } = {}, ...rule }, path) => [
    ...ruleProblems(world, { ...rule, match }).map((problem) => ({ ...problem, path: `${path}.${problem.path}` })),
    ...nameProblems(names, key, `${path}.match.key`, 'key'),
    ...nameProblems(names, organization, `${path}.match.organization`, 'organization'),
  ]);
}

export function limitProblems(world: World, { limits, data }: Parts): FieldProblem[] {
  const names = namesIn(world, data);
  return each(limits, 'limits', ({ exhaust, ...set }, path) => {
    const { limit, window: _, ...selectors } = set;
    const place = exhaust === undefined ? path : `${path}.exhaust`;
    const { key, caller, retryAfter: __, ...exhausted } = exhaust ?? {};
    const [beside] = Object.keys(set);
    const isMissing = exhaust === undefined && limit === undefined;
    const isWhole = Object.values(set).every((value) => value !== undefined);
    const selection =
      exhaust === undefined
        ? selectionProblems(selectors, isWhole && !isMissing)
        : [...selectionProblems(exhausted, false), ...selectionProblems({ key, caller }, false)];
    return [
      ...(isMissing && isWhole ? [{ path: `${path}.limit`, message: 'or `exhaust` must be given' }] : []),
      ...(exhaust !== undefined && beside !== undefined
        ? [{ path: `${path}.${beside}`, message: 'cannot be combined with `exhaust`' }]
        : []),
      ...selection.map((problem) => ({ ...problem, path: `${place}.${problem.path}` })),
      ...limitedProblems(`${place}.operation`, exhaust?.operation ?? set.operation),
      ...nameProblems(names, key, `${place}.key`, 'key'),
    ];
  });
}

// A window is of one operation: patterns have none.
function limitedProblems(path: string, operation: string | undefined): FieldProblem[] {
  const ids = operations.map(({ id }) => id);
  if (operation === undefined || ids.includes(operation)) return [];
  const message = 'must be the id of an operation, such as containers.create';
  return [{ path, message, received: describe(operation), suggestion: nearest(operation, ids) }];
}

/** The names that a scenario may use for keys and organizations; undefined: not all of them are known. */
function namesIn(world: World, data: Parts['data'] = {}): Set<string> | undefined {
  const organizations = data.organizations ?? [];
  const entries = [...organizations, ...[data, ...organizations].flatMap((holdings) => holdings?.keys ?? [])];
  if (entries.some((entry) => entry?.name === undefined)) return undefined;
  const own = listOrganizations(world.db).map(({ name }) => name);
  return new Set([seededKeyName, ...own, ...entries.flatMap((entry) => entry?.name ?? [])]);
}

// Ids, values and their beginnings are looked up when the world is filled: only then are they there.
const isLookedUp = /^[a-z]+_|^[\da-f]{8}-[\da-f-]{27}$/i;

function nameProblems(
  names: ReadonlySet<string> | undefined,
  name: string | undefined,
  path: string,
  kind: 'key' | 'organization',
): FieldProblem[] {
  if (name === undefined || names === undefined || names.has(name) || isLookedUp.test(name)) return [];
  const message =
    kind === 'key'
      ? 'must be the name of a key in `data`, or the id, the test value or the shown beginning of a key of this world'
      : 'must be the name of an organization in `data`, or the id of an organization of this world';
  // A long name may be the value of a key, which no message repeats.
  const received = name.length > 36 ? undefined : describe(name);
  return [{ path, message, received, suggestion: nearest(name, names) }];
}

/** The problems of the additions to single worlds. */
export function additionProblems(world: World, { worlds = {} }: Parts): FieldProblem[] {
  return Object.entries(worlds).flatMap(([id, addition]) =>
    addition === undefined
      ? []
      : [
          ...outcomeProblems(addition),
          ...faultProblems(world, { faults: addition.faults }),
          ...requestProblems(addition),
        ].map((problem) => ({ ...problem, path: `worlds.${id}.${problem.path}` })),
  );
}

export function requestProblems({ expect }: Pick<Parts, 'expect'>): FieldProblem[] {
  return [
    ...each(expect?.requests, 'expect.requests', (wanted, path) => [
      ...operationProblems(`${path}.operation`, wanted.operation),
      ...countProblems(wanted, path),
    ]),
    ...operationProblems('expect.credits.operation', expect?.credits?.operation),
    ...each(expect?.holdings, 'expect.holdings', countProblems),
    ...each(expect?.jobs, 'expect.jobs', countProblems),
  ];
}

function countProblems({ count, min, max }: Counted, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (count !== undefined && (min !== undefined || max !== undefined))
    problems.push({ path: `${path}.count`, message: 'cannot be combined with `min` or `max`' });
  if (min !== undefined && max !== undefined && min > max)
    problems.push({ path: `${path}.min`, message: 'must not be more than max', received: String(min) });
  return problems;
}
