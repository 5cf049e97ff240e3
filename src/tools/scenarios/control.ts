// Control operations of scenarios: list, apply, save, and check their expectations.

import { relative } from 'node:path';
import * as z from 'zod';
import { noScenario, type ScenarioName, scenarioName } from '../../config/names.js';
import { listed, operation } from '../../control/operation.js';
import { ApiError, invalid } from '../../core/errors.js';
import { fixturePath, isInside } from '../../core/files.js';
import { checkInput } from '../../http/validate.js';
import { characters, clockView } from '../../http/wire.js';
import { reopenAddresses } from '../../platform/containers/address/open-addresses.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { checkScenario, scenarioProblems } from './check.js';
import { checkExpectations, type ExpectationReport, expectationReport } from './expectations.js';
import { mergeScenario } from './fill.js';
import {
  type StoredScenario,
  scenarioDir,
  scenarioLibrary,
  scenarioNames,
  type UnreadableScenario,
} from './library.js';
import { problemLines, selectScenario } from './named.js';
import { resetWorld } from './reset-world.js';
import { describeWorld } from './save.js';
import { type ScenarioInput, scenarioSchema } from './schema.js';

export interface ScenarioDocument extends Pick<ScenarioInfo, 'name' | 'source' | 'file'> {
  document: ScenarioInput;
}

export interface SavedScenario extends ScenarioDocument {
  source: 'own' | 'memory';
}

export const saveRequest = z.lazy(() =>
  z.object({
    title: characters(1, 200).optional().describe('Title, in one line'),
    description: characters(1, 2_000).optional().describe('Description'),
  }),
);

export type SaveRequest = {
  /** Its name: 1 to 64 letters, digits, dots, dashes or underscores, of which the first is a letter or digit. */
  name: string;
} & z.input<typeof saveRequest>;

// The path takes any name, so that the errors of this one are those of a field.
const ownName = z.lazy(() =>
  z.object({
    name: z.string().refine((name) => scenarioNames.test(name) && name !== noScenario, {
      error: `must be 1 to 64 letters, digits, dots, dashes or underscores, begin with a letter or digit, and not be "${noScenario}"`,
    }),
  }),
);

const source = z.enum(['shipped', 'found', 'own', 'memory']);
const byName = z.lazy(() => z.object({ name: z.string().describe('Name of the scenario') }));
export const scenarioInfo = z.lazy(() =>
  z.object({
    name: scenarioName,
    title: z.string().nullable(),
    description: z.string().nullable(),
    source: source.describe('shipped with cloudemu, found by an exploration, one of your own, or saved in memory'),
    file: z.string().nullable(),
    problems: z.array(z.string()).describe('Why it cannot be used, a line each'),
  }),
);

export type ScenarioInfo = z.output<typeof scenarioInfo>;

const scenarioDocument = z.lazy(() =>
  z.object({
    name: z.string(),
    source,
    file: z.string().nullable(),
    document: z.record(z.string(), z.unknown()),
  }),
);
export const appliedScenario = clockView.extend({
  name: scenarioName.nullable(),
  title: z.string().nullable(),
  merged: z.boolean(),
  apiKey: z.string(),
  organizationId: z.string(),
  userId: z.string(),
});

/** A world in which a scenario has just begun, or to which it was added. */
export type AppliedScenario = z.output<typeof appliedScenario>;

const merge = z.boolean().optional().describe('Add the scenario to the existing data instead of replacing it');
const mergeableScenario = z.lazy(() => scenarioSchema.unwrap().extend({ merge }));

const applyDocument = operation({
  id: 'control.scenarios.applyDocument',
  route: 'POST /scenarios',
  summary: 'Reset the world to the scenario in the body',
  body: mergeableScenario,
  alsoWrong: scenarioProblems,
  output: appliedScenario,
  runs: 'async',
  run: async (
    { world },
    { merge: isMerged, ...scenario }: z.output<typeof mergeableScenario>,
  ): Promise<AppliedScenario> => applyScenario(world, scenario, isMerged),
});

export const scenarioOperations = {
  /** Lists all scenarios by name, including those that cannot be used. */
  list: operation({
    id: 'control.scenarios.list',
    route: 'GET /scenarios',
    summary: 'List all scenarios: built-in ones, your own, and those that explorations found',
    output: listed('scenarios', scenarioInfo),
    command: {
      line: 'scenario list',
      needsNone: true,
      columns: 'name title problems? source?',
      examples: [
        [
          'scenario list',
          'built-in scenarios, those in your directory `scenarios`, and those that `cloudemu explore` found',
        ],
      ],
    },
    run({ world }): ScenarioInfo[] {
      const infos: ScenarioInfo[] = [];
      for (const stored of scenarioLibrary.of(world).list()) {
        infos.push(infoOf(world, stored));
      }
      return infos;
    },
  }),
  /**
   * Returns the document of a scenario, as it is written.
   *
   * @throws ApiError NOT_FOUND naming the nearest, CONFLICT when it cannot be read
   */
  get: operation({
    id: 'control.scenarios.get',
    route: 'GET /scenarios/{name}',
    summary: 'Show the document of a scenario',
    params: byName,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: scenarioDocument,
    command: {
      line: 'scenario show <name>',
      prints: 'scenario',
      needsNone: true,
      examples: [['scenario show rough-day', 'to see what it does, or as a starting point for your own']],
    },
    run: ({ world }, name: ScenarioName): ScenarioDocument => {
      const { document, ...rest } = scenarioLibrary.of(world).find(name);
      return { ...rest, document: document as ScenarioInput };
    },
  }),
  /**
   * Resets the world to a scenario, or adds a scenario to the existing data; an error leaves everything as it was. A later
   * reset returns to the initial state of the last scenario that was not merged.
   *
   * @param which a name, or a document; `none` for a plain world
   * @param options.merge keeps the data; the scenario then has no seed and no start of the clock
   * @example await controls.scenarios.apply('rough-day')
   * @example await controls.scenarios.apply({ containers: [{ match: { project: 'shop' }, mode: 'crash-loop' }] })
   * @throws ApiError NOT_FOUND, CONFLICT (cannot be read), or VALIDATION_ERROR with paths in the document
   */
  apply: operation({
    id: 'control.scenarios.apply',
    route: 'POST /scenarios/{name}',
    summary: 'Reset the world to a scenario',
    params: byName,
    body: z.lazy(() => z.object({ merge })),
    bodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: appliedScenario,
    document: applyDocument,
    runs: 'async',
    run: async (
      { world },
      which: ScenarioName | ScenarioInput,
      options: { merge?: boolean | undefined } = {},
    ): Promise<AppliedScenario> => applyScenario(world, which, options.merge),
  }),
  /**
   * Saves the current state as a scenario of your own: in the scenario directory or, if the emulator is in
   * memory, there. It describes the same things in the same states, with other ids and other key values, and without the
   * values of environment variables.
   *
   * @param request its name; replaces your own scenario of that name, if there is one
   * @example controls.scenarios.save({ name: 'three-running', title: 'Three containers run' })
   * @throws ApiError VALIDATION_ERROR, or CONFLICT when it cannot be written
   */
  save: operation({
    id: 'control.scenarios.save',
    route: 'POST /scenarios/{name}/save',
    summary: 'Save the current state as a scenario of your own',
    params: byName,
    body: saveRequest,
    bodyOptional: true,
    paramsInside: true,
    errors: ['CONFLICT'],
    output: scenarioDocument,
    command: {
      line: 'scenario save <name>',
      prints: 'saved-scenario',
      examples: [
        ['scenario save three-running', 'saves the current state as scenarios/three-running.json'],
        ['scenario save busy --title "A busy account"', 'replaces your own scenario of that name, if there is one'],
      ],
    },
    run({ world }, request: SaveRequest): SavedScenario {
      const { name, ...texts } = request;
      checkInput(ownName, { name }, { strict: true, warn: () => {} });
      const document: ScenarioInput = { ...schemaLocation(world), ...texts, ...describeWorld(world) };

      checkScenario(world, document);
      const file = scenarioLibrary.of(world).put(name, document);
      return { name, source: file === null ? 'memory' : 'own', file, document };
    },
  }),
  /** Checks whether clients have met the expectations of the world's scenario, including verdicts. */
  expectations: operation({
    id: 'control.expectations',
    route: 'GET /expectations',
    summary: 'Check whether clients met the scenario’s expectations, verdicts included',
    output: expectationReport,
    run({ world }): ExpectationReport {
      return checkExpectations(world);
    },
  }),
};

async function applyScenario(
  world: World,
  which: ScenarioName | ScenarioInput,
  isMerged = false,
): Promise<AppliedScenario> {
  const chosen = selectScenario(world, scenarioLibrary.of(world), which);
  const { name = null, scenario = {} } = chosen ?? {};
  if (isMerged) {
    if (chosen === undefined) throw invalid({ path: 'merge', message: `must be left out with "${noScenario}"` });
    mergeScenario(world, chosen);
    await reopenAddresses(world);
  } else {
    const seed = scenario.seed === undefined ? {} : { seed: String(scenario.seed) };
    await resetWorld(world, { event: 'scenario', subject: name ?? '', scenario: chosen, ...seed });
  }
  return { name, title: scenario.title ?? null, merged: isMerged, ...world.clock.view(), ...seededIdentity(world) };
}

function infoOf(world: World, stored: StoredScenario | UnreadableScenario): ScenarioInfo {
  const { name, source, file } = stored;
  const none = { name, title: null, description: null, source, file };
  if ('problem' in stored) return { ...none, problems: [stored.problem] };
  try {
    const { title, description } = checkScenario(world, stored.document);
    return { ...none, title: title ?? null, description: description ?? null, problems: [] };
  } catch (error) {
    if (error instanceof ApiError) return { ...none, problems: problemLines(error) };
    throw error;
  }
}

// For editors, where it can be found from the user's project.
function schemaLocation({ config }: World): { $schema?: string } {
  const schema = fixturePath('scenario.schema.json');
  if (isInside(schema) || relative(process.cwd(), schema).startsWith('..')) return {};
  return { $schema: relative(scenarioDir(config.data), schema).replaceAll('\\', '/') };
}
