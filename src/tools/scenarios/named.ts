// From a name, a file or a document to a checked scenario.

import { ConfigError } from '../../config/error.js';
import { isScenarioFile, noScenario } from '../../config/names.js';
import { ApiError, type FieldProblem, problemLine } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import type { World } from '../../world/world.js';
import { checkScenario } from './check.js';
import type { NamedScenario } from './fill.js';
import { type Library, readScenarioFile, type StoredScenario } from './library.js';
import type { ScenarioInput } from './schema.js';

/**
 * A scenario by its name, or as a document; undefined: none.
 *
 * @throws ApiError NOT_FOUND, CONFLICT (cannot be read) or VALIDATION_ERROR
 */
export function selectScenario(
  world: World,
  library: Library,
  which: string | ScenarioInput | null,
): NamedScenario | undefined {
  if (which === null || which === noScenario) return undefined;
  if (typeof which !== 'string') return { name: null, scenario: checkScenario(world, which) };
  return checked(world, library.find(which));
}

/**
 * The scenario of the settings: a name, a file, or the document itself.
 *
 * @throws ConfigError with a line for each problem
 */
export function scenarioOfSetting(world: World, library: Library, asked: string | ScenarioInput): NamedScenario {
  if (typeof asked !== 'string')
    return settingRead(library, '', () => ({ name: null, scenario: checkScenario(world, asked) }));
  return settingRead(library, asked, () => checked(world, stored(library, asked)));
}

/**
 * The document that a setting or a flag names, unchecked.
 *
 * @throws ConfigError if it is not there, or cannot be read
 */
export function documentOfSetting(library: Library, reference: string): unknown {
  return settingRead(library, reference, () => stored(library, reference).document);
}

function stored(library: Library, reference: string): StoredScenario {
  return isScenarioFile(reference) ? readScenarioFile(reference) : library.find(reference);
}

function settingRead<Read>(library: Library, reference: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const lines = problemLines(error);
    if (error.code !== 'NOT_FOUND' || isScenarioFile(reference))
      throw new ConfigError(lines.map((line) => `scenario: ${line}`));
    const suggestion = nearest(
      reference,
      library.list().map(({ name }) => name),
    );
    const hint = suggestion === undefined ? ' (`cloudemu scenario list` shows them)' : '';
    throw new ConfigError([`scenario: ${lines.join(' ')}${hint}`], null, {
      field: 'scenario',
      received: reference,
      suggestion,
      missing: 'scenario',
    });
  }
}

/** The problems, a line each. */
export function problemLines({ message, options: { details } }: ApiError): string[] {
  if (!Array.isArray(details)) return [message];
  return (details as FieldProblem[]).map(({ suggestion, ...problem }) =>
    problemLine({ ...problem, suggestion: suggestion && `"${suggestion}"` }),
  );
}

/** A scenario under a clock that was asked for expressly. */
export function withClock(
  { name, scenario }: NamedScenario,
  clock: { start?: string | undefined; frozen?: boolean | undefined } = {},
): NamedScenario {
  const { start = scenario.clock?.start, frozen = scenario.clock?.frozen } = clock;
  return { name, scenario: { ...scenario, clock: { ...scenario.clock, start, frozen } } };
}

function checked(world: World, { name, document }: StoredScenario): NamedScenario {
  return { name, scenario: checkScenario(world, document) };
}
