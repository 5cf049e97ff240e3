// Health as a function of time: which checks pass, and why one fails.

import { segmentAt } from './course.js';
import type { ContainerState } from './lifecycle.js';

export interface Health {
  status: 'pending' | 'healthy' | 'unhealthy' | 'stopped';
  checks: { http: string; memory: string; disk: string };
  /** What the health path answers; null: nothing. */
  code: number | null;
  /** Which check fails and why, or null. */
  error: string | null;
}

/** The health of a container in its state at an instant: of the process that answers, or of the one that should. */
export function healthAt(state: ContainerState, now: number): Health {
  const { phase } = state.serving === undefined ? state.segment : segmentAt(state.serving.course, now);
  if (phase.checks === undefined) {
    if (phase.status === 'running') return { status: 'healthy', checks: all('passing'), code: 200, error: null };
    if (phase.status === 'stopped' || phase.status === 'deleting')
      return { status: 'stopped', checks: all('stopped'), code: null, error: null };
    if (phase.status !== 'failed') return { status: 'pending', checks: all('pending'), code: null, error: null };
  }
  const checks = phase.checks ?? { http: 'failing', memory: 'passing', disk: 'passing' };
  const failing = Object.entries(checks)
    .filter(([, result]) => result === 'failing')
    .map(([name]) => name);
  return {
    status: 'unhealthy',
    checks,
    code: phase.healthCode ?? null,
    error: `${failing.join(', ')} check failing: ${phase.reason ?? phase.error ?? 'no answer'}`,
  };
}

function all(result: string): Health['checks'] {
  return { http: result, memory: result, disk: result };
}
