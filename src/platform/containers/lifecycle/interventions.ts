// Interventions on a container: what the controls do to it, and what reading it does in `reads` mode.

import { ApiError, found } from '../../../core/errors.js';
import { placeNow } from '../../../world/place.js';
import type { World } from '../../../world/world.js';
import { stackNameOf } from '../address/address.js';
import { fillFailure } from '../logs/log-templates.js';
import { type ContainerRecord, findContainer, saveIntervention, saveReads } from '../store.js';
import { isDeleting } from './deletion.js';
import { readFailure, requireMode } from './failures.js';
import { type ContainerState, containerAt, openRuns } from './lifecycle.js';
import type { Failure, Intervention, Status } from './phases.js';
import { scheduleRefund } from './refunds.js';
import { type Deployment, type Segment, segmentAt, timelineOf } from './timeline.js';

export interface InterventionRequest {
  kind: 'fail' | 'crash' | 'stop' | 'recover' | 'skip';
  /** For `fail`: the failure mode; default stack-rollback before it runs, oom-later after. */
  mode?: string | undefined;
  /** For `skip`: the status to jump to; default the next one. */
  status?: Status | undefined;
  /** For `crash`: the exit code of its process. */
  exitCode?: number | undefined;
}

/** So many interventions a deployment takes: its timeline contains all of them. */
const mostInterventions = 1_000;

/**
 * Intervenes in a container now.
 *
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR (unknown mode) or CONFLICT (impossible in its state)
 */
export function intervene(world: World, id: string, request: InterventionRequest): ContainerRecord {
  return world.db.transaction(() => {
    const record = found(findContainer(world.db, id), 'Container not found');
    const now = world.clock.now();
    const state = containerAt(record.deployments, now);
    if (isDeleting(record)) refuse(request, 'it is being deleted');
    refuseNonsense(request, state, now);
    const deployments = targets(request, state, now);
    for (const { interventions } of deployments)
      if (interventions.length >= mostInterventions)
        refuse(
          request,
          `its deployment has had ${mostInterventions.toLocaleString('en')} interventions, the most that one takes; deploy it anew`,
        );
    const failure = request.kind === 'fail' ? selectFailure(request, state) : undefined;
    for (const deployment of deployments) {
      const intervention: Intervention = { ...placeNow(world, now), kind: request.kind };
      if (request.status !== undefined) intervention.status = request.status;
      if (request.exitCode !== undefined) intervention.exitCode = request.exitCode;
      if (failure !== undefined) intervention.failure = filled(world, record, deployment, failure);
      append(world, record, deployment, intervention);
    }
    return findContainer(world.db, id) ?? record;
  });
}

/** Counts a client's GET of a container, where reads advance deployments. */
export function countRead(world: World, record: ContainerRecord, now: number): ContainerRecord {
  const { deployment } = containerAt(record.deployments, now).run;
  if (deployment.plan.progression !== 'reads' || isDeleting(record)) return record;
  const reads = deployment.reads + 1;
  const movesOn = reads % deployment.plan.readsPerStage === 0 && hasNextStage(deployment, now);
  return world.db.transaction(() => {
    if (movesOn) append(world, record, { ...deployment, reads }, { ...placeNow(world, now), kind: 'advance' });
    else saveReads(world.db, { ...deployment, reads });
    return findContainer(world.db, record.id) ?? record;
  });
}

function append(world: World, record: ContainerRecord, deployment: Deployment, intervention: Intervention): void {
  const interventions = [...deployment.interventions, intervention];
  saveIntervention(world.db, deployment, intervention);
  scheduleRefund(world, { ...deployment, interventions });
  world.bus.emit(`container:${record.id}`);
}

function hasNextStage(deployment: Deployment, now: number): boolean {
  const interventions: Intervention[] = [...deployment.interventions, { at: now, kind: 'advance' }];
  const statusAt = (timeline: Segment[]) => segmentAt(timeline, now).phase.status;
  return statusAt(timelineOf({ ...deployment, interventions })) !== statusAt(deployment.timeline);
}

// Stopping stops every run; a crash ends the process that runs; all others affect the run that gives the status.
function targets(request: InterventionRequest, state: ContainerState, now: number): Deployment[] {
  if (request.kind === 'stop')
    return openRuns(state, now)
      .filter(({ timeline }) => segmentAt(timeline, now).phase.status !== 'stopped')
      .map(({ deployment }) => deployment);
  const target = request.kind === 'crash' ? state.serving : state.run;
  return target === undefined ? [] : [target.deployment];
}

function selectFailure(request: InterventionRequest, state: ContainerState): Failure {
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

function refuse({ kind }: InterventionRequest, why: string): never {
  throw new ApiError('CONFLICT', { message: `Cannot ${kind} this container: ${why}` });
}

function refuseNonsense(request: InterventionRequest, state: ContainerState, now: number): void {
  const { kind, status } = request;
  if (kind === 'crash' && state.serving === undefined) refuse(request, `it does not run (${state.status})`);
  if (kind === 'stop' && state.status === 'stopped') refuse(request, 'it is stopped already');
  if (kind === 'fail' && state.status === 'failed') refuse(request, 'it has failed already');
  if (kind === 'recover' && state.status !== 'failed' && state.status !== 'stopped') {
    refuse(request, `it is ${state.status}; only a failed or stopped one recovers`);
  }
  if (status === 'deleting') refuse(request, 'that is what its DELETE does');
  if (kind === 'skip' && status === undefined && !hasNextStage(state.run.deployment, now)) {
    refuse(request, `it is ${state.status}, and no further stage is planned; name a status to go to`);
  }
}
