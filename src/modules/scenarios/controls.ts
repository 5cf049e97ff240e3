// Controls of scenarios: list, apply, save, and check their expectations.

import { relative } from 'node:path';
import * as z from 'zod';
import type { ScenarioName } from '../../config/names.js';
import type { ClockView } from '../../core/clock.js';
import { ApiError, invalid } from '../../core/errors.js';
import { fixturePath, isInside } from '../../core/files.js';
import { checkInput } from '../../http/validate.js';
import { characters } from '../../http/wire.js';
import { type SeededIdentity, seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { reopenAddresses } from '../containers/open-addresses.js';
import { createVerdictControls, type VerdictContext } from '../verdicts/controls.js';
import { checkScenario } from './check.js';
import { checkExpectations, type ExpectationReport } from './expectations.js';
import { fillWorld, mergeScenario } from './fill.js';
import { type Library, type StoredScenario, scenarioDir, scenarioNames, type UnreadableScenario } from './library.js';
import { noScenario, problemLines, selectScenario } from './named.js';
import { describeWorld } from './save.js';
import type { ScenarioInput } from './schema.js';

export interface ScenarioInfo {
  name: ScenarioName;
  title: string | null;
  description: string | null;
  /** shipped with cloudemu, one of your own, or saved in memory. */
  source: 'shipped' | 'own' | 'memory';
  file: string | null;
  /** Why it cannot be used, a line each. */
  problems: string[];
}

export interface ScenarioDocument extends Pick<ScenarioInfo, 'name' | 'source' | 'file'> {
  document: ScenarioInput;
}

/** A world in which a scenario has just begun, or to which it was added. */
export interface AppliedScenario extends ClockView, SeededIdentity {
  name: ScenarioName | null;
  title: string | null;
  merged: boolean;
}

export interface SavedScenario extends ScenarioDocument {
  source: 'own' | 'memory';
}

export const saveRequest = z.object({
  title: characters(1, 200).optional().describe('Title, in one line'),
  description: characters(1, 2_000).optional().describe('Description'),
});

export type SaveRequest = {
  /** Its name: 1 to 64 letters, digits, dots, dashes or underscores. */
  name: string;
} & z.input<typeof saveRequest>;

const scenarioName = z.string().refine((name) => scenarioNames.test(name) && name !== noScenario, {
  error: `must be 1 to 64 letters, digits, dots, dashes or underscores, and not "${noScenario}"`,
});

export type ScenarioControls = ReturnType<typeof createScenarioControls>;

/** The scenario controls of a world. */
export function createScenarioControls(context: VerdictContext & { library: Library }) {
  const { world, library } = context;
  return {
    /** All scenarios by name, those that cannot be used too. */
    list: (): ScenarioInfo[] => library.list().map((stored) => infoOf(world, stored)),
    /**
     * One as it is written.
     *
     * @throws ApiError NOT_FOUND naming the nearest, CONFLICT when it cannot be read
     */
    get(name: ScenarioName): ScenarioDocument {
      const { document, ...rest } = library.find(name);
      return { ...rest, document: document as ScenarioInput };
    },
    /**
     * Lets the world begin anew with a scenario, or adds one to what is there; all or nothing. A reset goes back to the
     * beginning of the last one that was not merged.
     *
     * @param which a name, or a document; `none` for a plain world
     * @param options.merge keeps the data; the scenario then has no seed and no start of the clock
     * @example await controls.scenarios.apply('rough-day')
     * @example await controls.scenarios.apply({ containers: [{ match: { project: 'shop' }, mode: 'crash-loop' }] })
     * @throws ApiError NOT_FOUND, CONFLICT (cannot be read), or VALIDATION_ERROR with paths in the document
     */
    async apply(
      which: ScenarioName | ScenarioInput,
      options: { merge?: boolean | undefined } = {},
    ): Promise<AppliedScenario> {
      const chosen = selectScenario(world, library, which);
      const { name = null, scenario = {} } = chosen ?? {};
      const merged = options.merge === true;
      if (merged) {
        if (chosen === undefined) throw invalid({ path: 'merge', message: `must be left out with "${noScenario}"` });
        mergeScenario(world, chosen);
      } else {
        const seed = scenario.seed === undefined ? {} : { seed: String(scenario.seed) };
        const how = { event: 'scenario', subject: name ?? '', scenario: chosen, ...seed } as const;
        world.reset(how, () => fillWorld(world));
      }
      await reopenAddresses(world);
      return { name, title: scenario.title ?? null, merged, ...world.clock.view(), ...seededIdentity(world) };
    },
    /**
     * Writes down the present state as a scenario of your own: into the scenario directory or, where nothing is kept,
     * into memory. It has the same things in the same states, under other ids; keys get other values, and the values
     * of environment variables are left out.
     *
     * @param request its name; replaces your own scenario of that name, if there is one
     * @example controls.scenarios.save({ name: 'three-running', title: 'Three containers run' })
     * @throws ApiError VALIDATION_ERROR, or CONFLICT when it cannot be written
     */
    save(request: SaveRequest): SavedScenario {
      const schema = saveRequest.extend({ name: scenarioName });
      const { name, ...texts } = checkInput(schema, request, { strict: true, warn: () => {} });
      const document: ScenarioInput = { ...schemaLocation(world), ...texts, ...describeWorld(world) };
      checkScenario(world, document);
      const file = library.put(name, document);
      return { name, source: file === null ? 'memory' : 'own', file, document };
    },
    /** Whether what the world's scenario expects of its clients has come true since it began; verdicts included. */
    expectations: (): ExpectationReport =>
      checkExpectations(world, (since) => createVerdictControls(context).verdicts({ since })),
  };
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
