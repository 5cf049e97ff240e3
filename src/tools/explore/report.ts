// The report of an exploration as data, and the file that keeps the last one of a project.

import { join } from 'node:path';
import * as z from 'zod';
import { readFoundText } from '../../core/checkout-files.js';
import { makeDataDir } from '../../core/own-directory.js';
import { writePrivately } from '../../core/private-files.js';
import { foundMistake } from './finds.js';

const texts = z.array(z.string());
const outcome = z.string().describe('The most severe grade, `ok`, or `not met`');

export const exploreReport = z.lazy(() =>
  z.object({
    command: texts,
    seconds: z.number(),
    runs: z.int(),
    worlds: z.int(),
    requests: z.int(),
    points: z.int(),
    tried: z.int().describe('Faults that acted'),
    triedBefore: z
      .int()
      .describe('Tries without harm of an exploration that was ended early: this one went on after it'),
    merged: z.int().describe('Tries that others stand for, as their requests are alike'),
    unstable: texts,
    finds: z.array(
      foundMistake.extend({
        scenario: z.string().nullable().describe('The file that shows it again'),
        known: z.string().nullable().describe('Why it was accepted'),
      }),
    ),
    interrupted: z.boolean().default(false).describe('Whether the exploration was ended before its time'),
    unconfirmed: texts
      .default([])
      .describe(
        'Names of findings that were seen once: the exploration was interrupted, or had no time, before they were tried again',
      ),
    gone: texts.describe('Accepted findings that no longer occur'),
    flaky: z.array(foundMistake),
    notMet: texts.describe('Faults that did not act, which were not tried for that reason'),
    hints: texts.default([]).describe('Why faults could not act, and what to do about it'),
    notTried: texts,
    matrix: z
      .array(z.object({ operation: z.string(), faults: z.record(z.string(), outcome) }))
      .describe('What came of each kind of fault at each operation'),
  }),
);

export type ExploreReport = z.output<typeof exploreReport>;

const kept = z.object({ at: z.iso.datetime(), report: exploreReport });

/** A report that was kept, and the wall time of its end. */
export type KeptReport = z.output<typeof kept>;

// A project has hundreds of findings at most.
const mostBytes = 64 * 1_024 * 1_024;

const fileIn = (directory: string): string => join(directory, 'explore-report.json');

/** Keeps the report in the data directory, instead of the one before it. */
export function keepReport(directory: string, { at, report }: KeptReport): void {
  makeDataDir(directory);
  writePrivately(fileIn(directory), JSON.stringify({ at, report }));
}

/** The last report of a data directory; what another version wrote and cannot be read counts as none. */
export function lastReport(directory: string): KeptReport | undefined {
  try {
    const read = kept.safeParse(JSON.parse(readFoundText(fileIn(directory), mostBytes)));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
