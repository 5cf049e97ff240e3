// The control operation that shows what the last exploration of a project found.

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import { type ExploreReport, exploreReport, lastReport } from './report.js';

export interface Exploration {
  /** Wall time of its end, ISO 8601; null: there was none. */
  at: string | null;
  report: ExploreReport | null;
}

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
    output: z.object({
      at: z.string().nullable().describe('Wall time of its end; null: there was none'),
      report: exploreReport.nullable(),
    }),
    command: {
      line: 'exploration',
      prints: 'exploration',
      needsNone: true,
      examples: [['exploration', 'what the last `cloudemu explore` printed, again']],
    },
    run: ({ world }): Exploration => lastReport(world.config.data.dir) ?? { at: null, report: null },
  }),
};
