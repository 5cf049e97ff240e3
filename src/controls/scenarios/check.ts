// Checks a scenario against what there is: settings, failure modes, operations, fault rules.

import type * as z from 'zod';
import { operations } from '../../api/registry.js';
import { checkInput } from '../../api/validate.js';
import { type Config, configSchema } from '../../config/schema.js';
import { requireMode } from '../../features/containers/failures.js';
import { ApiError, type FieldProblem, invalid } from '../../kernel/errors.js';
import { nearest } from '../../kernel/nearest.js';
import { fitsPattern } from '../../kernel/patterns.js';
import { describe, problemsOf } from '../../kernel/problems.js';
import { isTree } from '../../kernel/tree.js';
import type { World } from '../../worlds/world.js';
import { createFaultControls } from '../faults.js';
import type { Holdings } from './data-schema.js';
import type { Expectations } from './expect-schema.js';
import { type Scenario, scenarioSchema } from './schema.js';

/**
 * A scenario that can be applied to a world.
 *
 * @throws ApiError VALIDATION_ERROR with every problem and its path in the document
 */
export function checkScenario(world: World, document: unknown): Scenario {
  const { scenario, mistakes } = read(document);
  const problems = [
    ...mistakes,
    ...(scenario.settings === undefined ? [] : settingsProblems(world, scenario.settings)),
    ...dataProblems(scenario),
    ...outcomeProblems(scenario),
    ...faultProblems(world, scenario),
    ...limitProblems(scenario),
    ...requestProblems(scenario.expect?.requests ?? []),
  ];
  if (problems.length > 0) throw invalid(...problems.slice(0, 100));
  return scenario;
}

// Where something has the wrong form, the parts that have the right one are looked at all the same.
function read(document: unknown): { scenario: Scenario; mistakes: FieldProblem[] } {
  try {
    return { scenario: checkInput(scenarioSchema, document, { strict: false, warn: () => {} }), mistakes: [] };
  } catch (error) {
    const { details } = error instanceof ApiError ? error.options : {};
    if (!Array.isArray(details) || !isTree(document)) throw error;
    const parts = Object.entries(scenarioSchema.shape).flatMap(([name, schema]) => {
      const part = (schema as z.ZodType).safeParse(document[name]);
      return part.success && part.data !== undefined ? [[name, part.data]] : [];
    });
    return { scenario: Object.fromEntries(parts) as Scenario, mistakes: details as FieldProblem[] };
  }
}

/**
 * Does something, and tells what is wrong with it under its place in the document.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function at<Result>(place: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (error instanceof ApiError) throw invalid(...placed(place, error));
    throw error;
  }
}

function problemsAt(place: string, act: () => unknown): FieldProblem[] {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof ApiError) return placed(place, error);
    throw error;
  }
}

function placed(place: string, { code, message, options: { details } }: ApiError): FieldProblem[] {
  if (code !== 'VALIDATION_ERROR' || !Array.isArray(details)) return [{ path: place, message }];
  return (details as FieldProblem[]).map((problem) => ({ ...problem, path: `${place}.${problem.path}` }));
}

/** The parts of the settings that a world can have otherwise than the emulator. */
export const worldSettings = configSchema.omit({
  $schema: true,
  profile: true,
  env: true,
  server: true,
  data: true,
  seed: true,
  scenario: true,
  clock: true,
  log: true,
});

/** The settings that a world may have of its own. */
export type ScenarioSettings = z.input<typeof worldSettings>;

function settingsProblems({ base }: World, settings: Record<string, unknown>): FieldProblem[] {
  const isElsewhere = (name: string): boolean =>
    Object.hasOwn(configSchema.shape, name) && !Object.hasOwn(worldSettings.shape, name);
  const elsewhere = Object.keys(settings).filter(isElsewhere);
  const own = Object.fromEntries(Object.entries(settings).filter(([name]) => !isElsewhere(name)));
  const result = worldSettings.safeParse(own, { jitless: true });
  return [
    ...elsewhere.map((name) => ({
      path: `settings.${name}`,
      message: Object.hasOwn(scenarioSchema.shape, name)
        ? `stands beside settings, as \`${name}\``
        : 'is of the whole emulator, not of a world',
    })),
    ...(result.success
      ? [...addressProblems(base, result.data), ...knownProblems(result.data)]
      : problemsOf(result.error.issues, own, worldSettings).map((problem) => ({
          ...problem,
          path: `settings.${problem.path}`,
        }))),
  ];
}

// Hosts are told apart before worlds are: by the process, for all of them.
function addressProblems(base: Config, { containers }: ReturnType<typeof worldSettings.parse>): FieldProblem[] {
  if (containers.urlStyle !== 'subdomain' || base.containers.urlStyle === 'subdomain') return [];
  return [
    {
      path: 'settings.containers.urlStyle',
      message: 'must be port or path: the emulator was not started with containers.urlStyle subdomain',
      received: '"subdomain"',
    },
  ];
}

function knownProblems({ containers, rateLimits }: ReturnType<typeof worldSettings.parse>): FieldProblem[] {
  return [
    ...modeProblems('settings.containers.failure', containers.failure),
    ...Object.keys(rateLimits.operations).flatMap((id) =>
      operationProblems(`settings.rateLimits.operations.${id.slice(0, 100)}`, id),
    ),
  ];
}

function modeProblems(place: string, mode: string | null | undefined): FieldProblem[] {
  if (mode === null || mode === undefined) return [];
  return problemsAt(place, () => requireMode(mode, 'mode')).map((problem) => ({ ...problem, path: place }));
}

function operationProblems(place: string, pattern: string): FieldProblem[] {
  const ids = operations.map(({ id }) => id);
  if (ids.some((id) => fitsPattern(pattern, id))) return [];
  return [
    {
      path: place,
      message: 'must be the id of an operation, such as containers.create, or a pattern of ids',
      received: describe(pattern),
      suggestion: nearest(pattern, ids),
    },
  ];
}

function dataProblems({ data = {} }: Scenario): FieldProblem[] {
  const all: [place: string, holdings: Holdings][] = [
    ['data', data],
    ...(data.organizations ?? []).map((one, index): [string, Holdings] => [`data.organizations[${index}]`, one]),
  ];
  return all.flatMap(([place, { containers = [] }]) => [
    ...containers.flatMap(({ mode }, index) => modeProblems(`${place}.containers[${index}].mode`, mode)),
    ...repeated(containers, 'project_name', place),
    ...repeated(containers, 'name', place),
  ]);
}

// A second container of a project would be an update of the first, and one of the same name is refused.
function repeated(containers: NonNullable<Holdings['containers']>, field: 'project_name' | 'name', place: string) {
  const nameOf = (one: (typeof containers)[number]): string => one[field] ?? one.project_name;
  const first = new Map<string, number>();
  return containers.flatMap((container, index): FieldProblem[] => {
    const name = nameOf(container);
    const former = first.get(name);
    if (former === undefined) first.set(name, index);
    // Of two alike projects the display names are alike, too.
    const isTold =
      former === undefined || (field === 'name' && containers[former]?.project_name === container.project_name);
    if (isTold) return [];
    const message = `is that of containers[${former}] already: each needs one of its own`;
    return [{ path: `${place}.containers[${index}].${field}`, message, received: describe(name) }];
  });
}

function outcomeProblems({ containers = [] }: Scenario): FieldProblem[] {
  return containers.flatMap(({ mode }, index) => modeProblems(`containers[${index}].mode`, mode));
}

// Keys and organizations are there only when the world is filled.
function faultProblems(world: World, { faults = [] }: Scenario): FieldProblem[] {
  const controls = createFaultControls(world);
  return faults.flatMap(({ match: { key: _, organization: __, ...match } = {}, ...rule }, index) =>
    problemsAt(`faults[${index}]`, () => controls.check({ ...rule, match })),
  );
}

function limitProblems({ limits = [] }: Scenario): FieldProblem[] {
  return limits.flatMap(({ exhaust, ...set }, index): FieldProblem[] => {
    const place = `limits[${index}]`;
    const [beside] = Object.keys(set);
    if (exhaust !== undefined && beside !== undefined)
      return [{ path: `${place}.${beside}`, message: 'cannot stand beside `exhaust`' }];
    if (exhaust === undefined && set.limit === undefined)
      return [{ path: `${place}.limit`, message: 'or `exhaust` must be given' }];
    const operation = exhaust?.operation ?? set.operation;
    return operation === undefined
      ? []
      : operationProblems(`${place}${exhaust === undefined ? '' : '.exhaust'}.operation`, operation);
  });
}

function requestProblems(requests: NonNullable<Expectations['requests']>): FieldProblem[] {
  return requests.flatMap(({ operation, count, min, max }, index) => {
    const place = `expect.requests[${index}]`;
    const problems = operationProblems(`${place}.operation`, operation);
    if (count !== undefined && (min !== undefined || max !== undefined))
      problems.push({ path: `${place}.count`, message: 'cannot stand beside `min` or `max`' });
    if (min !== undefined && max !== undefined && min > max)
      problems.push({ path: `${place}.min`, message: 'must not be more than max', received: String(min) });
    return problems;
  });
}
