// Preset outcomes of future deployments, by project and image: they override the settings, and requests override them.

import * as z from 'zod';
import { progression, readsPerStage, timing } from '../../../config/deployment.js';
import { failureMode } from '../../../config/names.js';
import type { Config } from '../../../config/schema.js';
import { fitsPattern } from '../../../core/patterns.js';
import { cached } from '../../../db/cached-reads.js';
import { readMetaJson, writeMeta } from '../../../db/meta.js';
import type { World } from '../../../world/world.js';

export const outcomeSchema = z.lazy(() =>
  z.strictObject({
    match: z
      .strictObject({
        project: z.string().min(1).max(100).optional().describe('project_name; `*` matches any text'),
        image: z.string().min(1).max(1_000).optional().describe('Image URI; `*` matches any text'),
        deployment: z
          .int()
          .min(1)
          .max(1_000_000)
          .optional()
          .describe('Only the n-th matching deployment, counted from 1'),
      })
      .optional()
      .describe('Which deployments; without it all'),
    mode: failureMode.max(100).nullable().optional().describe('Failure mode; null: the deployment succeeds'),
    timing: timing.optional().describe('Duration of the deployment'),
    progression: progression
      .optional()
      .describe('What advances the deployment: the clock, each GET of it, or only control operations'),
    readsPerStage: readsPerStage.optional().describe('Number of GETs per stage, if progression is reads'),
  }),
);

/** How matching deployments turn out; of several matching outcomes, the first one counts. */
export type Outcome = z.output<typeof outcomeSchema>;

interface KeptOutcome extends Outcome {
  /** The number under which its deployments are counted. */
  number: number;
}

/** The settings of a deployment. */
export type DeploymentSettings = Pick<Config['containers'], 'timing' | 'progression' | 'readsPerStage' | 'failure'>;

/** The preset outcomes, in order of precedence. */
export function listOutcomes(world: World): Outcome[] {
  return keptOutcomes(world.db).map(({ number: _, ...outcome }) => outcome);
}

/** Adds outcomes ahead of the existing ones, within the caller's transaction. */
export function addOutcomes(world: World, outcomes: readonly Outcome[]): void {
  if (outcomes.length === 0) return;
  const added = outcomes.map((outcome): KeptOutcome => ({ ...outcome, number: world.nextNumber('outcomes') }));
  writeMeta(world.db, key, JSON.stringify([...added, ...keptOutcomes(world.db)]));
}

/** The settings of the next deployment. It is counted, so this belongs in its transaction. */
export function settingsOfNext(world: World, project: string, image: string): DeploymentSettings {
  const { timing, progression, readsPerStage, failure } = world.config.containers;
  const settings = { timing, progression, readsPerStage, failure };
  const fitting = keptOutcomes(world.db).filter(
    ({ match = {} }) =>
      (match.project === undefined || fitsPattern(match.project, project)) &&
      (match.image === undefined || fitsPattern(match.image, image)),
  );
  if (fitting.length === 0) return settings;
  // Each outcome counts the deployments that match it, even where another one decides.
  const counts = fitting.map(({ match, number }) =>
    match?.deployment === undefined ? undefined : world.nextNumber(`outcome ${number}`),
  );
  const chosen = fitting.find(({ match }, index) => match?.deployment === counts[index]);
  return {
    timing: chosen?.timing ?? timing,
    progression: chosen?.progression ?? progression,
    readsPerStage: chosen?.readsPerStage ?? readsPerStage,
    failure: chosen?.mode === undefined ? failure : chosen.mode,
  };
}

const key = 'outcomes';

const shape = z.lazy(() => z.array(outcomeSchema.unwrap().extend({ number: z.int() })));

const keptOutcomes = cached(['meta'], (db): KeptOutcome[] => readMetaJson(db, key, shape) ?? []);
