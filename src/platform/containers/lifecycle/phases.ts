// The phases of a deployment: what a failure mode may change, and the defaults.

import * as z from 'zod';

export const statuses = ['pending', 'building', 'deploying', 'running', 'failed', 'stopped', 'deleting'] as const;
export type Status = (typeof statuses)[number];

/** The stages before a container runs, in order. */
export const stages = ['pending', 'building', 'deploying'] as const;
export type Stage = (typeof stages)[number];

export function isStage(status: Status): status is Stage {
  return (stages as readonly Status[]).includes(status);
}

/** Whether a field of this name holds a stage anywhere in the text of a JSON. */
export const holdsStage =
  (name: string) =>
  (json: string): boolean =>
    stages.some((stage) => json.includes(`"${name}":"${stage}"`));

const logLine = z.lazy(() =>
  z.strictObject({
    /** The place in the phase: 0 its start, 1 its end; in a phase without end, in units of `running`. */
    at: z.number().min(0).max(1_000),
    level: z.enum(['info', 'warn', 'error']).default('info'),
    message: z.string(),
  }),
);

const phaseSchema = z.lazy(() =>
  z.strictObject({
    status: z.enum(statuses),
    /** Multiples of the stage's usual time; 'limit': until the deployment's time limit; absent: for good. */
    lasts: z.union([z.number().min(0), z.literal('limit')]).optional(),
    error: z.string().optional(),
    exitCode: z.int().optional(),
    /** How memory and CPU develop: none (no process), steady, climbing to the limit, or pegged CPU. */
    load: z.enum(['none', 'steady', 'climbing', 'pegged']).optional(),
    /** The health checks, where they are not what the status implies. */
    checks: z.strictObject({ http: z.string(), memory: z.string(), disk: z.string() }).optional(),
    /** The status of the health path, where it responds at all. */
    healthCode: z.int().min(100).max(599).optional(),
    /** Why a check fails. */
    reason: z.string().optional(),
    /** The state of its billing. */
    billing: z.enum(['suspended']).optional(),
    /** Whether the process writes its usual lines. */
    chatter: z.boolean().optional(),
    /** Lines that replace the usual ones of this stage. */
    logs: z.array(logLine).optional(),
  }),
);

/** Why a request of today's server cannot start a container; its code tells only a lack of capacity apart. */
export const refusals = ['no_capacity', 'image_pull_failed', 'container_create_failed'] as const;
export type Refusal = (typeof refusals)[number];

export const failureSchema = z.lazy(() =>
  z.strictObject({
    $schema: z.string().optional(),
    title: z.string(),
    /** The advice to the user, for the catalogue. */
    remedy: z.string(),
    /** The stage in which it shows, for the catalogue. */
    stage: z.enum(['pending', 'building', 'deploying', 'running']),
    exitCode: z.int().nullable(),
    refund: z.boolean(),
    /** On today's server the request itself starts the container: the code with which it fails at once. */
    refusal: z.enum(refusals).optional(),
    /** From the first phase that differs from a successful deployment; earlier stages are the usual ones. */
    phases: z.array(phaseSchema).min(1),
  }),
);

export type LogLine = z.output<typeof logLine>;
export type Phase = z.output<typeof phaseSchema>;
export type Failure = z.output<typeof failureSchema>;

/** Times in milliseconds. */
export interface StageTimes {
  pending: number;
  building: number;
  deploying: number;
  /** The unit in which failure modes count how long a container runs first. */
  running: number;
  /** When a stuck deployment is given up, counted from its start. */
  limit: number;
}

/** A phase with its length in milliseconds; null: without an end. */
export interface TimedPhase extends Phase {
  ms: number | null;
}

/** A change to a deployment at an instant, made by a control operation, a client's read or billing. */
export interface Intervention {
  at: number;
  /** Its number among all that happens in its world; absent in those of older versions and of billing. */
  turn?: number;
  /** The number of the last record of the journal before it. */
  after?: number;
  kind: 'advance' | 'skip' | 'fail' | 'crash' | 'stop' | 'recover' | 'delete' | 'suspend';
  status?: Status;
  failure?: Failure;
  /** For `delete`: the milliseconds until it is gone. */
  lasts?: number;
  /** For `crash`: the exit code of its process; default 1. */
  exitCode?: number;
  /** For `suspend`: the phase that follows. */
  phase?: Phase;
}
