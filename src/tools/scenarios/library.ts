// The places of scenarios: those that are shipped, those that explorations found, those of the user's own directory, and
// those that are kept in memory.

import { basename, join, resolve } from 'node:path';
import { readJsonFile, writeJsonFile } from '../../config/json-file.js';
import type { Config } from '../../config/schema.js';
import { ApiError } from '../../core/errors.js';
import { filesIn, fixturePath, whyUnwritten } from '../../core/files.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { inRoot } from '../../core/root.js';
import { storageFailure } from '../../db/storage-failure.js';
import { teamOf } from '../../http/control-guard.js';
import { given } from '../../world/given.js';
import type { World } from '../../world/world.js';
import type { Scenario } from './schema.js';

/** A document as it is stored, before it is checked. */
export interface StoredScenario {
  name: string;
  source: 'shipped' | 'found' | 'own' | 'memory';
  file: string | null;
  document: unknown;
}

/** One that cannot even be read. */
export interface UnreadableScenario extends Omit<StoredScenario, 'document'> {
  problem: string;
}

export interface Library {
  /** By name; own ones override those of explorations, and these shipped ones. */
  list(): (StoredScenario | UnreadableScenario)[];
  /** @throws ApiError NOT_FOUND naming the nearest, CONFLICT when it cannot be read */
  find(name: string): StoredScenario;
  /**
   * Keeps a document under a name, in the place of one of that name.
   *
   * @returns its file; null: it is in memory
   * @throws ApiError SERVICE_UNAVAILABLE when the disk does not take it, CONFLICT when it cannot be written otherwise
   */
  put(name: string, document: object): string | null;
  /** The library of a team’s worlds: it sees the files of all beside its own, and keeps its own apart from other teams'. */
  ofTeam(name: string): Library;
}

/** The scenarios that the emulator of a world knows. */
export const scenarioLibrary = given<Library>('library');

/** The library for a world: that of its team, where it has one. */
export function libraryFor(library: Library, { base, id }: World): Library {
  const team = teamOf(base, id);
  return team === undefined ? library : library.ofTeam(team.name);
}

/** The scenario of the settings, in which worlds have additions by their id. */
export const settingsScenario = given<() => { scenario: Scenario } | undefined>('scenario of the settings');

/** The names that a scenario may have. */
export const scenarioNames = /^[A-Za-z0-9][\w.-]{0,63}$/;

const ending = '.json';
const mostInMemory = 100;

/** The directory of a user's own scenarios. */
export function scenarioDir({ scenarios }: Pick<Config['data'], 'scenarios'>): string {
  return scenarios === null ? inRoot('scenarios') : resolve(scenarios);
}

/** The directory in which explorations leave the scenarios of their finds. */
export function foundDir(settings: Pick<Config['data'], 'scenarios'>): string {
  return join(scenarioDir(settings), 'found');
}

/** The scenarios that an emulator of these settings knows. Files are read when they are asked for. */
export function createLibrary(settings: Pick<Config['data'], 'scenarios' | 'ephemeral'>): Library {
  const teams = new Map<string, Library>();
  function ofTeam(name: string): Library {
    const found = teams.get(name) ?? libraryIn(settings, ofTeam, name);
    teams.set(name, found);
    return found;
  }
  return libraryIn(settings, ofTeam);
}

function libraryIn(
  settings: Pick<Config['data'], 'scenarios' | 'ephemeral'>,
  ofTeam: Library['ofTeam'],
  team?: string,
): Library {
  const common = scenarioDir(settings);
  const dir = team === undefined ? common : join(common, 'teams', team);
  const isWritable = !settings.ephemeral || settings.scenarios !== null;
  const memory = new Map<string, object>();
  const places = new Map<string, () => StoredScenario | UnreadableScenario>();

  function look(): void {
    places.clear();
    for (const [source, folder] of [
      ['shipped', fixturePath('scenarios')],
      ['found', foundDir(settings)],
      ['own', common],
      ...(team === undefined ? [] : [['own', dir] as const]),
    ] as const) {
      for (const name of namesIn(folder)) places.set(name, () => read(source, join(folder, name + ending)));
    }
    for (const [name, document] of memory) places.set(name, () => ({ name, source: 'memory', file: null, document }));
  }

  return {
    list() {
      look();
      return [...places.keys()].sort().flatMap((name) => places.get(name)?.() ?? []);
    },
    find(name) {
      look();
      const scenario = places.get(name)?.();
      if (scenario === undefined) {
        const suggestion = nearest(name, places.keys());
        throw new ApiError('NOT_FOUND', {
          message: `There is no scenario ${describe(name)}${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
        });
      }
      if ('problem' in scenario)
        throw new ApiError('CONFLICT', { message: `The scenario "${name}" cannot be used: ${scenario.problem}` });
      return scenario;
    },
    put(name, document) {
      if (!isWritable) {
        if (memory.size >= mostInMemory && !memory.has(name))
          throw new ApiError('CONFLICT', {
            message: `There are ${mostInMemory} scenarios in memory already: set data.scenarios to keep them in files`,
          });
        memory.set(name, document);
        return null;
      }
      const file = join(dir, name + ending);
      try {
        writeJsonFile(file, document);
      } catch (error) {
        const { code = String(error) } = error as NodeJS.ErrnoException;
        // A directory that is not there would have been made.
        const failure = /^ENO(ENT|TDIR)$/.test(code) ? undefined : storageFailure(error, file, 'scenario directory');
        throw failure ?? new ApiError('CONFLICT', { message: `${file} ${whyUnwritten(error)}` });
      }
      return file;
    },
    ofTeam,
  };
}

/**
 * The document in a file.
 *
 * @throws ApiError CONFLICT when it cannot be read
 */
export function readScenarioFile(file: string): StoredScenario {
  const found = read('own', resolve(file));
  if ('problem' in found) throw new ApiError('CONFLICT', { message: found.problem });
  return found;
}

function read(source: StoredScenario['source'], file: string): StoredScenario | UnreadableScenario {
  const name = basename(file, ending);
  const at = { name, source, file };
  if (/\.ya?ml$/i.test(file)) return { ...at, problem: `${file}: a scenario is written in JSON, not in YAML` };
  if (!scenarioNames.test(name))
    return {
      ...at,
      problem: `${file}: its name must be 1 to 64 letters, digits, dots, dashes or underscores, and begin with a letter or digit`,
    };
  const reading = readJsonFile(file);
  return 'problem' in reading ? { ...at, problem: `${file}: ${reading.problem}` } : { ...at, document: reading.value };
}

function namesIn(folder: string): string[] {
  try {
    return filesIn(folder)
      .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
      .map((name) => basename(name, ending));
  } catch {
    return [];
  }
}
