// Checks a scenario: its form, and whether it makes sense among what there is; settings are checked here.

import { resolve } from 'node:path';
import * as z from 'zod';
import { placesIn } from '../../config/places.js';
import { formerProfiles, isTodaysServer, settingsOfProfiles } from '../../config/profiles.js';
import { type Config, configSchema, exposedClock } from '../../config/schema.js';
import { isBelow } from '../../core/checkout-files.js';
import { ApiError, type FieldProblem, invalid } from '../../core/errors.js';
import { describe, mostOfDocument, problemsOf } from '../../core/problems.js';
import { type RightParts, rightParts } from '../../core/right-parts.js';
import { isTree, type Tree } from '../../core/tree.js';
import { checkInput } from '../../http/validate.js';
import { requireAgentMode } from '../../platform/hosted-agents/failures.js';
import { emulatorFacts } from '../../world/given.js';
import type { World } from '../../world/world.js';
import {
  additionProblems,
  dataProblems,
  faultProblems,
  limitProblems,
  modeProblems,
  operationProblems,
  outcomeProblems,
  requestProblems,
} from './meaning.js';
import { type Scenario, scenarioSchema } from './schema.js';

/**
 * A scenario that can be applied to a world.
 *
 * @throws ApiError VALIDATION_ERROR with every problem and its path in the document
 */
export function checkScenario(world: World, document: unknown): Scenario {
  const alsoWrong = (sent: unknown): FieldProblem[] => scenarioProblems(world, sent);
  const scenario = checkInput(scenarioSchema, document, { strict: false, alsoWrong, warn: () => {} });
  const problems = meaningProblems(world, scenario);
  if (problems.length > 0) throw invalid(...problems.slice(0, mostOfDocument));
  return scenario;
}

/** The problems of a document beside those of its form: the parts whose form is right are looked at. */
export function scenarioProblems(world: World, document: unknown): FieldProblem[] {
  if (!isTree(document)) return [];
  return meaningProblems(world, rightParts(scenarioSchema, document) ?? {});
}

function meaningProblems(world: World, scenario: RightParts<Scenario>): FieldProblem[] {
  const { profile = world.base.profile } = (scenario.settings ?? {}) as { profile?: Config['profile'] };
  const { frozen, waits } = scenario.clock ?? {};
  const both = { path: 'clock.waits', message: 'must be left out beside `frozen`: the clock would never run' };
  const problems = [
    ...(frozen === true && waits === true ? [both] : []),
    ...(scenario.settings === undefined ? [] : settingsProblems(world, scenario.settings)),
    ...dataProblems(scenario, isTodaysServer({ profile })),
    ...outcomeProblems(scenario),
    ...faultProblems(world, scenario),
    ...limitProblems(world, scenario),
    ...requestProblems(scenario),
    ...additionProblems(world, scenario),
  ];
  // Only the first problem of a field is reported.
  const fields = new Map(problems.map((problem) => [problem.path, problem] as const).reverse());
  return problems.filter((problem) => fields.get(problem.path) === problem);
}

/**
 * Does something, and reports what is wrong with it under its place in the document.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function at<Result>(place: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    // Storage that fails is no fault of the document.
    if (error instanceof ApiError && error.code !== 'SERVICE_UNAVAILABLE') throw invalid(...placed(place, error));
    throw error;
  }
}

function placed(place: string, { code, message, options: { details } }: ApiError): FieldProblem[] {
  if (code !== 'VALIDATION_ERROR' || !Array.isArray(details)) return [{ path: place, message }];
  return (details as FieldProblem[]).map((problem) => ({ ...problem, path: `${place}.${problem.path}` }));
}

/** The parts of the settings that a world can have otherwise than the emulator. */
export const worldSettings = configSchema
  .omit({
    $schema: true,
    env: true,
    server: true,
    data: true,
    worlds: true,
    seed: true,
    scenario: true,
    log: true,
  })
  .extend({ clock: z.lazy(() => z.strictObject({ exposed: exposedClock }).prefault({}).describe('Virtual time')) });

/** The settings that a world may have of its own. */
export type ScenarioSettings = z.input<typeof worldSettings>;

function settingsProblems(world: World, settings: Record<string, unknown>): FieldProblem[] {
  const { own, problems } = withoutOthers(settings);
  const result = worldSettings.safeParse(own, { jitless: true });
  const right = result.success ? result.data : (rightParts(worldSettings, own) ?? {});
  return [
    ...problems,
    ...placesOutside(world, own),
    ...(result.error === undefined ? [] : problemsOf(result.error.issues, own, worldSettings)).map((problem) => {
      const path = `settings.${problem.path}`;
      const message = settingsOfProfiles[problem.path];
      if (message !== undefined) return { path, message };
      // The nearest name is that of another profile.
      const now = problem.path === 'profile' ? formerProfiles[String(own.profile)] : undefined;
      return { ...problem, path, suggestion: now ?? problem.suggestion };
    }),
    ...processProblems(world.base, right),
    ...knownProblems(right),
  ];
}

// A scenario may come from a checkout or a page: only who starts the emulator names files that lie elsewhere.
function placesOutside(world: World, settings: Tree): FieldProblem[] {
  const { root } = emulatorFacts.of(world).identity;
  return placesIn(settings).flatMap(([path, value]) => {
    if (isBelow(resolve(value), root)) return [];
    const message = `must lie in ${root}: only the settings of the emulator name what lies elsewhere`;
    return [{ path: `settings.${path}`, message, received: describe(value) }];
  });
}

// Some settings are the emulator's, and some are parts of the scenario itself.
function withoutOthers(settings: Record<string, unknown>): { own: Tree; problems: FieldProblem[] } {
  const own: Tree = { ...settings };
  const problems: FieldProblem[] = [];
  const scenario = scenarioSchema.unwrap().shape;
  for (const name of Object.keys(settings)) {
    if (!Object.hasOwn(configSchema.shape, name) || Object.hasOwn(worldSettings.shape, name)) continue;
    delete own[name];
    const message = Object.hasOwn(scenario, name) ? beside(name) : 'is of the whole emulator, not of a world';
    problems.push({ path: `settings.${name}`, message });
  }
  if (!isTree(own.clock)) return { own, problems };
  const clock = { ...own.clock };
  for (const name of Object.keys(scenario.clock.unwrap().shape)) {
    if (!Object.hasOwn(clock, name)) continue;
    delete clock[name];
    problems.push({ path: `settings.clock.${name}`, message: beside(`clock.${name}`) });
  }
  return { own: { ...own, clock }, problems };
}

const beside = (name: string): string => `belongs beside settings, as \`${name}\``;

type Settings = RightParts<ReturnType<typeof worldSettings.parse>>;

// Hosts are told apart before worlds are, and whether programs are started is for those to say who start the emulator.
function processProblems(base: Config, { containers }: Settings): FieldProblem[] {
  const onlyOfProcess = (name: 'urlStyle' | 'run', value: string, instead: string): FieldProblem[] =>
    containers?.[name] !== value || base.containers[name] === value
      ? []
      : [
          {
            path: `settings.containers.${name}`,
            message: `must be ${instead}: the emulator was not started with containers.${name} ${value}`,
            received: JSON.stringify(value),
          },
        ];
  return [...onlyOfProcess('urlStyle', 'subdomain', 'port or path'), ...onlyOfProcess('run', 'image', 'simulated')];
}

function knownProblems({ containers, hostedAgents, rateLimits }: Settings): FieldProblem[] {
  return [
    ...modeProblems('settings.containers.failure', containers?.failure),
    ...modeProblems('settings.hostedAgents.failure', hostedAgents?.failure, requireAgentMode),
    ...Object.keys(rateLimits?.operations ?? {}).flatMap((id) =>
      operationProblems(`settings.rateLimits.operations.${id.slice(0, 100)}`, id),
    ),
  ];
}
