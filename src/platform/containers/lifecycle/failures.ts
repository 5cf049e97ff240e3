// The catalogue of failure modes: data in fixtures/failures, selected by tag, variable, header, setting or control.

import * as z from 'zod';
import { failureFiles } from '../../../config/failure-files.js';
import { failureMode } from '../../../config/names.js';
import { nearest } from '../../../core/nearest.js';
import { failureSchema } from './phases.js';

export const {
  modes: failureModes,
  read: readFailure,
  require: requireMode,
} = failureFiles('', failureSchema, 'a failure mode');

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
