// The control operations that show what explorations found: the last one of a project, or one whose report was kept.

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import { type ExploreReport, exploreReport, lastReport } from './report.js';

export const exploration = z.lazy(() =>
  z.object({
    at: z.string().nullable().describe('Wall time of its end, ISO 8601; null: there was none, or it is not known'),
    report: exploreReport.nullable(),
  }),
);

export type Exploration = z.output<typeof exploration>;

export const exploreOperations = {
  /**
   * Shows what the last `cloudemu explore` found in this project, by the data directory that both have.
   *
   * @example controls.exploration().report?.finds.filter(({ grade }) => grade === 'A')
   */
  exploration: operation({
    id: 'control.exploration',
    route: 'GET /exploration',
    summary: 'Show what the last exploration of this project found',
    output: exploration,
    run: ({ world }): Exploration => lastReport(world.config.data.dir) ?? { at: null, report: null },
  }),
  /**
   * Checks the report of another exploration, such as a file of `cloudemu explore --json`, and returns it.
   *
   * @example controls.checkExploration(JSON.parse(readFileSync('report.json', 'utf8'))).report?.finds.length
   * @throws ApiError VALIDATION_ERROR, which names each field that is wrong
   */
  checkExploration: operation({
    id: 'control.checkExploration',
    route: 'POST /exploration/check',
    summary: 'Check the report of another exploration, such as a file of `cloudemu explore --json`',
    body: exploreReport,
    output: exploration,
    run: (_context, report: ExploreReport): Exploration => ({
      at: null,
      report,
    }),
  }),
};
