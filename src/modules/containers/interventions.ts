// Acts on a container: what a person does to it through the controls, and what reading it does in `reads` mode.

import { ApiError } from '../../core/errors.js';
import type { World } from '../../world/world.js';
import { stackNameOf } from './address.js';
import { isDeleting } from './deletion.js';
import { readFailure, requireMode } from './failures.js';
import { type ContainerState, openRuns } from './lifecycle.js';
import { fillFailure } from './log-templates.js';
import type { Failure, Intervention, Status } from './phases.js';
import { scheduleRefund } from './refunds.js';
import { stateOf } from './state.js';
import { type ContainerRecord, findContainer, saveActs } from './store.js';
import { courseOf, type Deployment, type Segment, segmentAt } from './timeline.js';

export interface ActRequest {
  kind: 'fail' | 'crash' | 'stop' | 'recover' | 'skip';
  /** For `fail`: the failure mode; default stack-rollback before it runs, oom-later after. */
  mode?: string | undefined;
  /** For `skip`: the status to jump to; default the next one. */
  status?: Status | undefined;
  /** For `crash`: what its process has ended with. */
  exitCode?: number | undefined;
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
    const state = stateOf(world, record, now);
    if (isDeleting(record))
      throw new ApiError('CONFLICT', { message: `Cannot ${request.kind} this container: it is being deleted` });
    refuseNonsense(request, state, now);
    const failure = request.kind === 'fail' ? selectFailure(request, state) : undefined;
    for (const deployment of targets(request, state, now)) {
      const act: Intervention = { at: now, kind: request.kind };
      if (request.status !== undefined) act.status = request.status;
      if (request.exitCode !== undefined) act.exitCode = request.exitCode;
      if (failure !== undefined) act.failure = filled(world, record, deployment, failure);
      append(world, id, deployment, act);
    }
    return findContainer(world.db, id) ?? record;
  });
}

/** Counts a client's GET of a container, where that is what moves deployments on. */
export function countRead(world: World, record: ContainerRecord, now: number): ContainerRecord {
  const { deployment } = stateOf(world, record, now).run;
  if (deployment.plan.progression !== 'reads' || isDeleting(record)) return record;
  const reads = deployment.reads + 1;
  const movesOn = reads % deployment.plan.readsPerStage === 0 && hasNextStage(deployment, now);
  return world.db.transaction(() => {
    if (movesOn) append(world, record.id, { ...deployment, reads }, { at: now, kind: 'advance' });
    else saveActs(world.db, deployment, deployment.acts, reads);
    return findContainer(world.db, record.id) ?? record;
  });
}

function append(world: World, containerId: string, deployment: Deployment, act: Intervention): void {
  const acts = [...deployment.acts, act];
  saveActs(world.db, deployment, acts, deployment.reads);
  scheduleRefund(world, { ...deployment, acts });
  world.bus.emit(`container:${containerId}`);
}

function hasNextStage(deployment: Deployment, now: number): boolean {
  const acts: Intervention[] = [...deployment.acts, { at: now, kind: 'advance' }];
  const statusAt = (course: Segment[]) => segmentAt(course, now).phase.status;
  return statusAt(courseOf({ ...deployment, acts })) !== statusAt(courseOf(deployment));
}

// Stopping stops everything; a crash hits the process that runs; the rest concerns what gives the status.
function targets(request: ActRequest, state: ContainerState, now: number): Deployment[] {
  if (request.kind === 'stop') return openRuns(state, now).map(({ deployment }) => deployment);
  const target = request.kind === 'crash' ? state.serving : state.run;
  return target === undefined ? [] : [target.deployment];
}

function selectFailure(request: ActRequest, state: ContainerState): Failure {
  const running = state.status === 'running';
  const mode = requireMode(request.mode ?? (running ? 'oom-later' : 'stack-rollback'), 'mode');
  const failure = readFailure(mode);
  if (failure.stage === 'running' && !running) {
    throw new ApiError('CONFLICT', { message: `${mode} happens to a running container; this one is ${state.status}` });
  }
  return failure;
}

function filled(world: World, record: ContainerRecord, { id, spec, plan }: Deployment, failure: Failure): Failure {
  const stackName = stackNameOf(world, record);
  return fillFailure(failure, {
    spec,
    stackName,
    times: plan.times,
    deploymentId: id,
    random: world.random,
    image: plan.image ?? null,
  });
}

function refuseNonsense(request: ActRequest, state: ContainerState, now: number): void {
  const refuse = (why: string): never => {
    throw new ApiError('CONFLICT', { message: `Cannot ${request.kind} this container: ${why}` });
  };
  const { kind, status } = request;
  if (kind === 'crash' && state.serving === undefined) refuse(`it does not run (${state.status})`);
  if (kind === 'stop' && state.status === 'stopped') refuse('it is stopped already');
  if (kind === 'fail' && state.status === 'failed') refuse('it has failed already');
  if (kind === 'recover' && state.status !== 'failed' && state.status !== 'stopped') {
    refuse(`it is ${state.status}; only a failed or stopped one recovers`);
  }
  if (status === 'deleting') refuse('that is what its DELETE does');
  if (kind === 'skip' && status === undefined && !hasNextStage(state.run.deployment, now)) {
    refuse(`it is ${state.status}, and no further stage is planned; name a status to go to`);
  }
}
