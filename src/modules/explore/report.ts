// The report of an exploration as data, and the file that keeps the last one of a project.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivately } from '../../core/private-files.js';
import type { Find } from './finds.js';
import { grades } from './judge.js';

export interface ExploreReport {
  command: string[];
  seconds: number;
  runs: number;
  worlds: number;
  requests: number;
  points: number;
  tried: number;
  /** Tries without harm of an exploration that was ended early: this one went on after it. */
  triedBefore: number;
  /** Tries that others stand for, as their requests are alike. */
  merged: number;
  unstable: string[];
  finds: (Find & {
    /** The file that shows it again. */
    scenario: string | null;
    /** Why it was accepted. */
    known: string | null;
  })[];
  /** Accepted finds that are no more. */
  gone: string[];
  flaky: Find[];
  notMet: string[];
  notTried: string[];
  /** What came of each kind of fault at each operation: the most severe grade, `ok`, or `not met`. */
  matrix: { operation: string; faults: Record<string, string> }[];
}

/** A report that was kept. */
export interface KeptReport {
  /** Wall time, ISO 8601. */
  at: string;
  report: ExploreReport;
}

const find = z.object({
  name: z.string(),
  grade: z.enum(grades),
  label: z.string().describe('The world, which has the name of its test'),
  operation: z.string(),
  occurrence: z.int().describe('Which of the world’s requests of the operation the fault met'),
  fault: z.string(),
  what: z.string().describe('What was done to whom'),
  consequences: z.array(
    z.object({
      grade: z.enum(grades),
      kind: z.string(),
      says: z.string().describe('What the client did'),
      advice: z.string(),
      cost: z.number().optional(),
      projects: z.array(z.string()).optional(),
    }),
  ),
  also: z.array(z.string()).describe('Other faults that show the same'),
  requests: z.array(
    z.object({
      operation: z.string().nullable(),
      method: z.string(),
      path: z.string(),
      status: z.int(),
      errorCode: z.string().nullable(),
      fault: z.string().nullable(),
      at: z.number().describe('Wall milliseconds since the first request of the world'),
    }),
  ),
  output: z.array(z.string()).describe('What the command printed about it'),
});
const texts = z.array(z.string());
const outcome = z.string().describe('The most severe grade, `ok`, or `not met`');

export const exploreReport = z.object({
  command: texts,
  seconds: z.number(),
  runs: z.int(),
  worlds: z.int(),
  requests: z.int(),
  points: z.int(),
  tried: z.int(),
  triedBefore: z.int(),
  merged: z.int(),
  unstable: texts,
  finds: z.array(find.extend({ scenario: z.string().nullable(), known: z.string().nullable() })),
  gone: texts,
  flaky: z.array(find),
  notMet: texts,
  notTried: texts,
  matrix: z.array(z.object({ operation: z.string(), faults: z.record(z.string(), outcome) })),
});
const kept = z.object({ at: z.iso.datetime(), report: exploreReport });

const fileIn = (directory: string): string => join(directory, 'explore-report.json');

/** Keeps the report in the data directory, instead of the one before it. */
export function keepReport(directory: string, { at, report }: KeptReport): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writePrivately(fileIn(directory), JSON.stringify({ at, report }));
}

/** The last report of a data directory; what another version wrote and cannot be read counts as none. */
export function lastReport(directory: string): KeptReport | undefined {
  try {
    const read = kept.safeParse(JSON.parse(readFileSync(fileIn(directory), 'utf8')));
    return read.success ? (read.data as KeptReport) : undefined;
  } catch {
    return undefined;
  }
}
