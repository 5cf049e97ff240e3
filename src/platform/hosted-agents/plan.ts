// The plan of a job, drawn once when it begins: its times and its outcome.

import { type TimingName, timingLike } from '../../config/deployment.js';
import type { Config } from '../../config/schema.js';
import type { Random } from '../../core/random.js';
import { subjectsOf } from '../../db/effects.js';
import { waitMs } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { failureFor } from './failures.js';
import type { AgentJobPlan, AgentJobType } from './store.js';

/** The usual milliseconds of work, when realistic. */
const realistic: Record<AgentJobType, number> = {
  agent_provision: 85_000,
  agent_resume: 40_000,
  agent_wake: 55_000,
  agent_restart: 60_000,
  agent_suspend: 15_000,
  agent_sleep: 30_000,
  agent_snapshot: 40_000,
  agent_delete: 20_000,
};
const realisticPending = 5_000;

/** How much of the realistic time a job takes. */
const shares: Record<TimingName, number> = { instant: 0, fast: 0.1, realistic: 1 };

// How far the work may deviate from its usual time, when realistic.
const spread = 0.19;

/** The timing of the jobs of agents. */
function timingOf({ hostedAgents, containers }: Config): TimingName {
  return hostedAgents.timing ?? timingLike(containers.timing);
}

function usualTimes(timing: TimingName, type: AgentJobType): { pending: number; work: number } {
  const share = shares[timing];
  return { pending: Math.round(realisticPending * share), work: Math.round(realistic[type] * share) };
}

interface AgentPlanInput {
  config: Config;
  random: Random;
  jobId: string;
  type: AgentJobType;
  /** The failure mode that it follows, if that concerns jobs of its type. */
  mode: string | null;
}

/** Draws a plan: the same seed, job and settings always give the same one. */
export function drawAgentPlan({ config, random, jobId, type, mode }: AgentPlanInput): AgentJobPlan {
  const timing = timingOf(config);
  const { pending, work } = usualTimes(timing, type);
  const deviation = timing === 'realistic' ? spread * (2 * random.fraction('agent job', jobId) - 1) : 0;
  const usual = Math.round(work * (1 + deviation));
  const failure = failureFor(mode, type);
  if (failure === undefined) return { pending, work: usual, error: null, attempts: 1, mode: null };
  return {
    pending,
    work: failure.work === null ? null : Math.round(usual * failure.work),
    error: failure.error,
    attempts: failure.error === null ? 1 : failure.attempts,
    mode,
  };
}

/** How long a job usually takes, in virtual milliseconds. */
export function usualMs({ config }: World, type: AgentJobType): number {
  const { pending, work } = usualTimes(timingOf(config), type);
  return pending + work;
}

const mostBetweenPolls = 5_000;
const leastBetweenPolls = 250;

/** How often a client polls a job: every ninth of its usual time, between 250 ms and 5 s. */
export function pollInterval(world: World, type: AgentJobType): number {
  const interval = Math.round(usualMs(world, type) / 9);
  return waitMs(world, Math.min(mostBetweenPolls, Math.max(leastBetweenPolls, interval)));
}

// The warm pool: containers that run already, which new dedicated agents get at once. One that was taken comes back after
// the time that a container usually takes.

/** The effect of the end of that time: the place in the pool is free again, because nothing is scheduled for it. */
export const warmEffect = 'hostedAgents.warm';

/**
 * Takes a container out of the pool, within the caller's transaction.
 *
 * @returns whether there was one
 */
export function takeWarm(world: World, now: number): boolean {
  const { warmPool } = world.config.hostedAgents;
  if (warmPool === 0) return false;
  const taken = new Set(subjectsOf(world.db, warmEffect));
  const place = Array.from({ length: warmPool }, (_, index) => String(index)).find((name) => !taken.has(name));
  if (place === undefined) return false;
  const refill = usualMs(world, 'agent_provision');
  if (refill > 0) world.schedule(warmEffect, place, now + refill);
  return true;
}
