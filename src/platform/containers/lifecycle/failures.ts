// The catalogue of failure modes: data in fixtures/failures, selected by tag, variable, header, setting or control.

import { basename } from 'node:path';
import * as z from 'zod';
import { readJsonFile } from '../../../config/json-file.js';
import { failureMode } from '../../../config/names.js';
import { ApiError, invalid } from '../../../core/errors.js';
import { filesIn, fixturePath } from '../../../core/files.js';
import { nearest } from '../../../core/nearest.js';
import { describe, problemsOf } from '../../../core/problems.js';
import { type Failure, failureSchema } from './phases.js';

/** The names of all failure modes, sorted. */
export function failureModes(): string[] {
  return filesIn(fixturePath('failures'))
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort();
}

/**
 * A failure mode's definition, read again each time: the file may have been edited. The name must be known.
 *
 * @throws ApiError INTERNAL_ERROR that says what is wrong with the file
 */
export function readFailure(mode: string): Failure {
  const file = fixturePath('failures', `${mode}.json`);
  const reading = readJsonFile(file);
  if ('problem' in reading) throw unusable(file, [reading.problem]);
  const result = failureSchema.safeParse(reading.value);
  if (result.success) return result.data;
  const problems = problemsOf(result.error.issues, reading.value, failureSchema);
  throw unusable(
    file,
    problems.map(({ path, message }) => `${path} ${message}`),
  );
}

function unusable(file: string, problems: readonly string[]): ApiError {
  return new ApiError('INTERNAL_ERROR', { message: `${file} cannot be used: ${problems.join('; ')}` });
}

/**
 * Checks a mode that a request or setting names explicitly.
 *
 * @param place where it was named, for the message
 * @throws ApiError VALIDATION_ERROR with the nearest mode
 */
export function requireMode(mode: string, place: string): string {
  const modes = failureModes();
  if (modes.includes(mode)) return mode;
  throw invalid({
    path: place,
    message: `must be a failure mode: ${modes.join(', ')}`,
    received: describe(mode),
    suggestion: nearest(mode, modes),
  });
}

export interface FailureTriggers {
  header: string | undefined;
  environment: Record<string, string>;
  tag: string | undefined;
  setting: string | null;
}

/**
 * The failure mode that a deployment asks for: header before variable before tag before setting.
 *
 * @throws ApiError VALIDATION_ERROR for an unknown mode in header or variable; an unknown tag only causes a warning
 */
export function selectMode(triggers: FailureTriggers, warn: (text: string) => void): string | null {
  if (triggers.header !== undefined) return requireMode(triggers.header, 'header X-Emulator-Failure');
  const variable = triggers.environment.EMULATOR_FAIL;
  if (variable !== undefined) return requireMode(variable, 'environment_vars.EMULATOR_FAIL');
  if (triggers.tag?.startsWith('fail-')) {
    const mode = triggers.tag.slice('fail-'.length);
    const modes = failureModes();
    if (modes.includes(mode)) return mode;
    const suggestion = nearest(mode, modes);
    warn(
      `image tag ${triggers.tag} names no failure mode${suggestion === undefined ? ' (`cloudemu failures` lists them)' : `, did you mean fail-${suggestion}?`}`,
    );
  }
  return triggers.setting === null ? null : requireMode(triggers.setting, 'setting containers.failure');
}

/** A failure mode as it is listed. */
export const failureDescription = z.lazy(() =>
  z.object({
    mode: failureMode,
    title: z.string(),
    stage: z.string(),
    message: z.string().nullable(),
    exitCode: z.int().nullable(),
    refund: z.boolean(),
    remedy: z.string(),
    triggers: z.object({ imageTag: z.string(), environment: z.string(), header: z.string() }),
  }),
);

export type FailureDescription = z.output<typeof failureDescription>;

/** The catalogue of failure modes. */
export function listFailures(): FailureDescription[] {
  return failureModes().map((mode) => {
    const { title, stage, exitCode, refund, remedy, phases } = readFailure(mode);
    const message = phases.find((phase) => phase.error !== undefined)?.error ?? null;
    const triggers = {
      imageTag: `fail-${mode}`,
      environment: `EMULATOR_FAIL=${mode}`,
      header: `X-Emulator-Failure: ${mode}`,
    };
    return { mode, title, stage, message, exitCode, refund, remedy, triggers };
  });
}
