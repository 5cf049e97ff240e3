// How jobs of hosted agents fail: data in fixtures/failures/hosted-agents, selected by header, variable, name, image or setting.

import * as z from 'zod';
import { failureFiles } from '../../config/failure-files.js';
import { nearest } from '../../core/nearest.js';
import { maxAttempts } from './lifecycle.js';
import { type AgentJobType, jobTypes } from './store.js';

const failureSchema = z.lazy(() =>
  z.strictObject({
    title: z.string(),
    /** The advice to the user. */
    remedy: z.string(),
    /** The types of jobs that it concerns; all others go well. */
    jobs: z.array(z.enum(jobTypes)).min(1),
    /** Why they fail in the end; null: they complete. */
    error: z.string().nullable(),
    attempts: z.int().min(1).max(maxAttempts),
    /** A request that would begin such a job gets 503 instead, and leaves everything as it was. */
    refuses: z.boolean().optional(),
    /** Multiples of the usual time of work; null: they hang. */
    work: z.number().min(0).nullable(),
  }),
);

/** A failure mode of jobs. */
export type AgentFailure = z.output<typeof failureSchema>;

export const {
  modes: agentFailureModes,
  read: readAgentFailure,
  require: requireAgentMode,
} = failureFiles('hosted-agents', failureSchema, 'a failure mode of hosted agents');

export interface AgentFailureTriggers {
  name: string;
  environment: Record<string, string>;
  image: string | null;
  setting: string | null;
}

/**
 * The failure mode that the jobs of a new agent follow: variable before name before image's tag before setting.
 *
 * @throws ApiError VALIDATION_ERROR for an unknown mode in the variable; in a name or tag it only causes a warning
 */
export function modeOfAgent(triggers: AgentFailureTriggers, warn: (text: string) => void): string | null {
  const { name, environment, image, setting } = triggers;
  const variable = environment.EMULATOR_FAIL;
  if (variable !== undefined) return requireAgentMode(variable, 'environmentVars.EMULATOR_FAIL');
  const tag = /:([\w.-]+)$/.exec(image ?? '')?.[1];
  for (const text of [...name.split(/\s+/), tag ?? '']) {
    if (!text.startsWith('fail-')) continue;
    const mode = text.slice('fail-'.length);
    const modes = agentFailureModes();
    if (modes.includes(mode)) return mode;
    const suggestion = nearest(mode, modes);
    warn(
      `${text.slice(0, 100)} names no failure mode of hosted agents${suggestion === undefined ? '' : `, did you mean fail-${suggestion}?`}`,
    );
  }
  return setting === null ? null : requireAgentMode(setting, 'setting hostedAgents.failure');
}

/** The failure that a job of this type follows, if the mode concerns it. */
export function failureFor(mode: string | null, type: AgentJobType): AgentFailure | undefined {
  if (mode === null || !agentFailureModes().includes(mode)) return undefined;
  const failure = readAgentFailure(mode);
  return failure.jobs.includes(type) ? failure : undefined;
}

/** A failure mode of agents as it is listed. */
export const agentFailureDescription = z.lazy(() =>
  z.object({
    mode: z.string(),
    title: z.string(),
    jobs: z.array(z.enum(jobTypes)),
    message: z.string().nullable(),
    remedy: z.string(),
    triggers: z.object({ name: z.string(), environment: z.string(), header: z.string() }),
  }),
);

/** A failure mode of hosted agents. */
export type AgentFailureDescription = z.output<typeof agentFailureDescription>;

/** The catalogue of failure modes of agents. */
export function listAgentFailures(): AgentFailureDescription[] {
  return agentFailureModes().map((mode) => {
    const { title, remedy, jobs, error } = readAgentFailure(mode);
    const triggers = {
      name: `fail-${mode}`,
      environment: `EMULATOR_FAIL=${mode}`,
      header: `X-Emulator-Failure: ${mode}`,
    };
    return { mode, title, jobs, message: error, remedy, triggers };
  });
}
