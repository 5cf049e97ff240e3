// Acts on a container: what a person does to it through the controls, and what reading it does in `reads` mode.

import { ApiError } from '../../kernel/errors.js';
import type { World } from '../../worlds/world.js';
import { scheduleRefund } from './deploy.js';
import { readFailure, requireMode } from './failures.js';
import { type Act, type ContainerState, containerAt, courseOf, type Deployment } from './lifecycle.js';
import type { Status } from './phases.js';
import { type ContainerRecord, findContainer, saveActs } from './store.js';

export interface ActRequest {
  kind: 'fail' | 'crash' | 'stop' | 'recover' | 'skip';
  /** For `fail`: the failure mode; default stack-rollback before it runs, crash-loop after. */
  mode?: string | undefined;
  /** For `skip`: the status to jump to; default the next one. */
  status?: Status | undefined;
}

/**
 * Does something to a container now.
 *
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR (unknown mode) or CONFLICT (makes no sense in its state)
 */
export function actOn(world: World, id: string, request: ActRequest): ContainerRecord {
  return world.db.transaction(() => {
    const record = findContainer(world.db, id);
    if (record === undefined) throw new ApiError('NOT_FOUND', { message: 'Container not found' });
    const now = world.clock.now();
    const state = containerAt(record.deployments, now);
    refuseNonsense(request, state);
    const act = buildAct(request, state, now);
    for (const deployment of targets(request, state)) append(world, record.id, deployment, act);
    return findContainer(world.db, id) ?? record;
  });
}

/** Counts a client's GET of a container, where that is what moves deployments on. */
export function countRead(world: World, record: ContainerRecord, now: number): ContainerRecord {
  const deployment = record.deployments.at(-1);
  if (deployment === undefined || deployment.plan.progression !== 'reads') return record;
  return world.db.transaction(() => {
    const reads = deployment.reads + 1;
    const act: Act = { at: now, kind: 'advance' };
    const moved = courseOf({ ...deployment, acts: [...deployment.acts, act] }).at(-1)?.phase;
    const goesOn = moved !== courseOf(deployment).at(-1)?.phase && moved?.status !== undefined;
    if (reads % deployment.plan.readsPerStage === 0 && goesOn && !sameEnd(deployment)) {
      append(world, record.id, { ...deployment, reads }, act);
    } else {
      saveActs(world.db, deployment.id, deployment.acts, reads);
    }
    return findContainer(world.db, record.id) ?? record;
  });
}

// At the last phase there is nothing to advance to.
function sameEnd(deployment: Deployment): boolean {
  const here = courseOf(deployment);
  const there = courseOf({ ...deployment, acts: [...deployment.acts, { at: Number.MAX_SAFE_INTEGER, kind: 'advance' }] });
  return JSON.stringify(here.at(-1)?.phase) === JSON.stringify(there.at(-1)?.phase);
}

function append(world: World, containerId: string, deployment: Deployment, act: Act): void {
  const acts = [...deployment.acts, act];
  saveActs(world.db, deployment.id, acts, deployment.reads);
  scheduleRefund(world, { ...deployment, acts });
  world.bus.emit(`container:${containerId}`);
}

// Stopping stops everything; a crash or failure hits the process that runs; the rest concerns the latest deployment.
function targets(request: ActRequest, state: ContainerState): Deployment[] {
  const current = state.runs.at(-1)?.deployment;
  const serving = state.serving?.deployment;
  if (request.kind === 'stop') return [...new Set([current, serving])].filter((d) => d !== undefined);
  const target = request.kind === 'crash' ? serving : current;
  return target === undefined ? [] : [target];
}

function buildAct(request: ActRequest, state: ContainerState, at: number): Act {
  if (request.kind === 'fail') {
    const mode = requireMode(request.mode ?? (state.status === 'running' ? 'crash-loop' : 'stack-rollback'), 'mode');
    return { at, kind: 'fail', failure: readFailure(mode) };
  }
  if (request.kind === 'skip' && request.status !== undefined) return { at, kind: 'skip', status: request.status };
  return { at, kind: request.kind };
}

function refuseNonsense(request: ActRequest, state: ContainerState): void {
  const refuse = (why: string): never => {
    throw new ApiError('CONFLICT', { message: `Cannot ${request.kind} this container: ${why}` });
  };
  if (request.kind === 'crash' && state.serving === undefined) refuse(`it does not run (${state.status})`);
  if (request.kind === 'stop' && state.status === 'stopped') refuse('it is stopped already');
  if (request.kind === 'fail' && state.status === 'failed') refuse('it has failed already');
  if (request.kind === 'recover' && state.status !== 'failed' && state.status !== 'stopped') {
    refuse(`it is ${state.status}; only a failed or stopped one recovers`);
  }
  if (request.kind === 'skip' && state.nextAt === null && request.status === undefined && state.status === 'running') {
    refuse('no further stage is planned; name a status to go to');
  }
}
