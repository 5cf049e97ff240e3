// The phases of a deployment: what a failure mode may change, and what the usual ones look like.

import * as z from 'zod';

export const statuses = ['pending', 'building', 'deploying', 'running', 'failed', 'stopped', 'deleting'] as const;
export type Status = (typeof statuses)[number];

/** The stages before a container runs, in order. */
export const stages = ['pending', 'building', 'deploying'] as const;
export type Stage = (typeof stages)[number];

const logLine = z.strictObject({
  /** Where in the phase: 0 its start, 1 its end; in a phase without end, in units of `running`. */
  at: z.number().min(0).max(1_000),
  level: z.enum(['info', 'warn', 'error']).default('info'),
  message: z.string(),
});

const phaseSchema = z.strictObject({
  status: z.enum(statuses),
  /** Multiples of the stage's usual time; 'limit': until the deployment's time limit; none: for good. */
  lasts: z.union([z.number().min(0), z.literal('limit')]).optional(),
  error: z.string().optional(),
  exitCode: z.int().optional(),
  /** What memory and CPU do: none (no process), steady, climbing to the limit, or pegged CPU. */
  load: z.enum(['none', 'steady', 'climbing', 'pegged']).optional(),
  /** The health checks, where they are not what the status implies. */
  checks: z.strictObject({ http: z.string(), memory: z.string(), disk: z.string() }).optional(),
  /** What the health path answers, where it answers at all. */
  healthCode: z.int().min(100).max(599).optional(),
  /** Why a check fails. */
  reason: z.string().optional(),
  /** What its billing has come to. */
  billing: z.enum(['suspended']).optional(),
  /** Whether the process writes its usual lines. */
  chatter: z.boolean().optional(),
  /** Lines that stand in place of the usual ones of this stage. */
  logs: z.array(logLine).optional(),
});

export const failureSchema = z.strictObject({
  $schema: z.string().optional(),
  title: z.string(),
  /** What one does about it, for the catalogue. */
  remedy: z.string(),
  /** When it shows, for the catalogue. */
  stage: z.enum(['pending', 'building', 'deploying', 'running']),
  exitCode: z.int().nullable(),
  refund: z.boolean(),
  /** From the first phase that differs from a good deployment; the stages before it are the usual ones. */
  phases: z.array(phaseSchema).min(1),
});

export type LogLine = z.output<typeof logLine>;
export type Phase = z.output<typeof phaseSchema>;
export type Failure = z.output<typeof failureSchema>;

/** What a deployment is made of; the wire's names. */
export interface Spec {
  ecr_image_uri: string;
  port: number;
  cpu: number;
  memory: number;
  desired_count: number;
  architecture: string;
  health_check_path: string;
  environment_vars: Record<string, string>;
}

/** Times in milliseconds. */
export interface StageTimes {
  pending: number;
  building: number;
  deploying: number;
  /** The unit in which failure modes count how long a container runs first. */
  running: number;
  /** When a stuck deployment is given up, from its beginning. */
  limit: number;
}

/** A phase with its length in milliseconds; null: for good. */
export interface TimedPhase extends Phase {
  ms: number | null;
}

/** Something a person (or a client's read, or billing) did to a deployment at an instant. */
export interface Intervention {
  at: number;
  kind: 'advance' | 'skip' | 'fail' | 'crash' | 'stop' | 'recover' | 'delete' | 'suspend';
  status?: Status;
  failure?: Failure;
  /** For `delete`: the milliseconds until it is gone. */
  lasts?: number;
  /** For `crash`: what its process ended with; default 1. */
  exitCode?: number;
  /** For `suspend`: how it is afterwards. */
  phase?: Phase;
}
