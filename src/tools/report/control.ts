// Control operations for failed tests: the report on a world, and what keeps the world so that a person can open it.

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import { asTyped } from '../../core/typed-command.js';
import type { World } from '../../world/world.js';
import { historyOf } from '../history/places.js';
import { pageOf } from '../history/points.js';
import { hosting, type Kept } from '../worlds/hosting.js';
import { dashboardOf, reportOn, type WorldReport, worldReport } from './report.js';

export const keptReport = z.lazy(() =>
  worldReport.unwrap().extend({
    kept: z
      .enum(['world', 'file'])
      .nullable()
      .describe(
        'world: it stays in this emulator; file: it was only saved, as this emulator ends with its process; null: it could not be saved, or nothing is kept here',
      ),
    dataDir: z.string().nullable().describe('The data directory in which it was saved'),
  }),
);

/** A report, and what has become of the world. */
export type KeptReport = z.output<typeof keptReport>;

export const reportOperations = {
  /**
   * Reports on the world for a person: what is not as expected, the last twelve requests with the reasons of their errors,
   * the clock, the containers with what they come to next, armed faults, the settings, and the URL of its dashboard.
   *
   * @example if (hasFailed) console.error(controls.report().text);
   */
  report: operation({
    id: 'control.report',
    route: 'GET /report',
    summary: 'Report on the world: verdicts, requests with the reasons of errors, clock, containers, armed faults',
    output: worldReport,
    command: {
      line: 'report',
      prints: 'text',
      untrusted: 'whole',
      examples: [['report --world blue', 'after a test has failed, what to know of its world']],
    },
    run({ world, origin }): WorldReport {
      return reportOn(world, origin);
    },
  }),
  /**
   * Keeps the world of a failed test as it is, its clock frozen, and reports on it. In an emulator that `cloudemu start`
   * has started it stays for an hour, until it is one of more than 20, or until another one of its id is made. In any case it is saved in a data directory below `.cloudemu/failed`, of which the last 20 stay: emulators
   * of `createEmulator` and `cloudemu run` end with their processes.
   *
   * @example if (hasFailed) console.error(world.controls.keep().text);
   */
  keep: operation({
    id: 'control.keep',
    route: 'POST /keep',
    summary: 'Keep the world of a failed test as it is, and report how to open it',
    output: keptReport,
    run({ world, origin }): KeptReport {
      const clock = world.clock.view();
      const last = lastPoint(world);
      world.clock.freeze();
      const kept = hosting.of(world).keep(world);
      const wayBack = [...wayBackTo(kept, dashboardOf(world, origin)), ...forkText(kept, last, world.id)].map(asTyped);
      const where = kept.as === 'file' ? ` --data-dir ${kept.dataDir}` : undefined;
      const report = reportOn(world, origin, { wayBack, where, clock });
      return { ...report, kept: kept.as, dataDir: kept.as === null ? null : kept.dataDir };
    },
  }),
};

function wayBackTo(kept: Kept, url: string): string[] {
  if (kept.as === null) return [`This world is not kept: ${kept.why}.`];
  const again =
    kept.dataDir === null ? [] : [`\`cloudemu start --port 0 --data-dir ${kept.dataDir}\` opens this world again.`];
  if (kept.as === 'file') return again.map((line) => `This emulator ends with its process. ${line}`);
  return [
    `This world stays${kept.isForGood === true ? '' : ' for an hour'}, its clock frozen: ${url}`,
    ...again.map((line) => `When its emulator has ended, ${line}`),
  ];
}

function lastPoint(world: World): number | undefined {
  if (world.remembered.history === undefined) return undefined;
  return pageOf(world, historyOf(world), { limit: 1 }).points[0]?.point;
}

function forkText(kept: Kept, last: number | undefined, id: string): string[] {
  if (kept.as === null || last === undefined) return [];
  // In its own data directory it is the default world.
  const where = kept.as === 'file' ? ` --data-dir ${kept.dataDir}` : id === 'default' ? '' : ` --of ${id}`;
  return [
    `Its last change is point ${last}: \`cloudemu world create --at ${last} --side before${where}\` begins a world before it.`,
  ];
}
