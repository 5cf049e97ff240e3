// Health as a function of time: which checks pass, and why one fails.

import type { Probe } from '../address/upstream.js';
import type { ContainerState } from './lifecycle.js';
import { segmentAt } from './timeline.js';

export interface Health {
  status: 'pending' | 'healthy' | 'unhealthy' | 'stopped';
  checks: { http: string; memory: string; disk: string };
  /** The status of the health path; null: no response. */
  code: number | null;
  /** How long the response took, in milliseconds. */
  ms: number;
  /** The check that fails and the reason, or null. */
  error: string | null;
}

/**
 * The health of a container in its state at an instant: of the process that serves, or of the one that should.
 *
 * @param probe the health check of the user's own app, if there is one: it decides while no failure is planned
 */
export function healthAt(state: ContainerState, now: number, probe?: Probe): Health {
  const planned = plannedHealth(state, now);
  if (probe === undefined || planned.status !== 'healthy') return planned;
  const { code, problem, ms } = probe;
  if (problem === null) return { ...planned, code, ms };
  return {
    status: 'unhealthy',
    checks: { ...planned.checks, http: 'failing' },
    code,
    ms,
    error: `http check failing: ${problem}`,
  };
}

const usual = { code: null, ms: 12, error: null };

function plannedHealth(state: ContainerState, now: number): Health {
  const { phase } = state.serving === undefined ? state.segment : segmentAt(state.serving.timeline, now);
  if (phase.checks === undefined) {
    if (phase.status === 'running') return { ...usual, status: 'healthy', checks: all('passing'), code: 200 };
    if (phase.status === 'stopped' || phase.status === 'deleting')
      return { ...usual, status: 'stopped', checks: all('stopped') };
    if (phase.status !== 'failed') return { ...usual, status: 'pending', checks: all('pending') };
  }
  const checks = phase.checks ?? { http: 'failing', memory: 'passing', disk: 'passing' };
  const failing = Object.entries(checks)
    .filter(([, result]) => result === 'failing')
    .map(([name]) => name);
  return {
    ...usual,
    status: 'unhealthy',
    checks,
    code: phase.healthCode ?? null,
    error: `${failing.join(', ')} check failing: ${phase.reason ?? phase.error ?? 'no answer'}`,
  };
}

function all(result: string): Health['checks'] {
  return { http: result, memory: result, disk: result };
}
