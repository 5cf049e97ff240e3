// The control operation that shows the incidents of a project: how each part of their scenarios is known, and the timeline.

import { basename, join } from 'node:path';
import * as z from 'zod';
import { readJsonFile } from '../../config/json-file.js';
import { listed, operation } from '../../control/operation.js';
import { filesIn } from '../../core/files.js';
import { scenarioDir, scenarioNames } from '../scenarios/library.js';
import { fact } from './facts.js';
import { step } from './timeline.js';

const ending = '.facts.json';
const mostIncidents = 50;

const factsFile = z.lazy(() => z.object({ facts: z.array(fact.unwrap()), steps: z.array(step.unwrap()).default([]) }));

export const incident = z.lazy(() =>
  z.object({
    name: z.string(),
    scenario: z.string().describe('The file of its scenario'),
    problem: z.string().nullable().describe('Why its facts cannot be shown; null: they can'),
    ...factsFile.unwrap().shape,
  }),
);

/** An incident that was imported. */
export type Incident = z.output<typeof incident>;

export const incidentOperations = {
  /**
   * Lists the incidents that `cloudemu import` has written in this project, with their facts, by name.
   *
   * @example controls.incidents().flatMap(({ facts }) => facts.filter(({ kind }) => kind === 'unknown'))
   */
  incidents: operation({
    id: 'control.incidents',
    route: 'GET /incidents',
    summary: 'List the incidents that were imported, with how each part of their scenarios is known',
    output: listed('incidents', incident),
    run: ({ world }): Incident[] => {
      const directory = join(scenarioDir(world.base.data), 'incidents');
      return namesIn(directory).map((name) => read(directory, name));
    },
  }),
};

function namesIn(directory: string): string[] {
  try {
    const names = filesIn(directory).flatMap((file) => (file.endsWith(ending) ? basename(file, ending) : []));
    return names
      .filter((name) => scenarioNames.test(name))
      .sort()
      .slice(0, mostIncidents);
  } catch {
    return [];
  }
}

function read(directory: string, name: string): Incident {
  const file = join(directory, name + ending);
  const incident = { name, scenario: join(directory, `${name}.json`), facts: [], steps: [] };
  const reading = readJsonFile(file);
  if ('problem' in reading) return { ...incident, problem: `${file}: ${reading.problem}` };
  const checked = factsFile.safeParse(reading.value, { jitless: true });
  if (!checked.success) return { ...incident, problem: `${file} does not hold the facts of an incident` };
  return { ...incident, problem: null, ...checked.data };
}
