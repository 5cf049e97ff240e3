// Controls of containers: show them, and make them fail, stop, recover or skip ahead.

import type { FailureMode } from '../../config/names.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { type ImageConfig, platformText } from '../registry/manifest.js';
import { failureModes, readFailure } from './failures.js';
import { type Inspection, inspect } from './inspection.js';
import { type InterventionRequest, intervene } from './interventions.js';
import { namedContainer } from './named-container.js';
import type { Status } from './phases.js';
import { stateOf } from './state.js';
import { type ContainerRecord, listContainers } from './store.js';

export interface ControlledContainer {
  id: string;
  name: string;
  project_name: string;
  organizationId: string;
  status: Status;
  since: string;
  error: string | null;
  /** The failure mode of its latest deployment, or null. */
  mode: string | null;
  progression: string;
  nextTransitionAt: string | null;
  statusHistory: { status: Status; at: string }[];
  image: ContainerImage;
}

/** The image of a container's latest deployment. */
export interface ContainerImage {
  uri: string;
  /** The digest of the image that runs; of an index, the one for the container's processor; null: stored elsewhere. */
  digest: string | null;
  platform: string | null;
  /** The total size of a pull, in bytes. */
  size: number | null;
  /** Entry point, user, exposed ports and labels. */
  config: ImageConfig | null;
}

export interface FailureDescription {
  mode: FailureMode;
  title: string;
  stage: string;
  message: string | null;
  exitCode: number | null;
  refund: boolean;
  remedy: string;
  triggers: { imageTag: string; environment: string; header: string };
}

export type ContainerControls = ReturnType<typeof createContainerControls>;

/** The container controls of a world. */
export function createContainerControls(world: World) {
  const act = (name: string, request: InterventionRequest): ControlledContainer => {
    world.settle(world.clock.now());
    const record = intervene(world, namedContainer(world, name).id, request);
    world.settle(world.clock.now());
    return view(world, record);
  };
  return {
    /** List all containers of the world, newest first. */
    list(): ControlledContainer[] {
      world.settle(world.clock.now());
      return listContainers(world.db).map((record) => view(world, record));
    },
    /**
     * One container.
     *
     * @param id its id or its project_name
     * @throws ApiError NOT_FOUND
     */
    get(id: string): ControlledContainer {
      world.settle(world.clock.now());
      return view(world, namedContainer(world, id));
    },
    /**
     * A container from the inside: each deployment against its plan, the last log lines, health, and metrics over time,
     * those to come included.
     *
     * @param id its id or its project_name
     * @param options.tail the number of log lines, 200 without it
     * @throws ApiError NOT_FOUND
     */
    inspect(id: string, { tail = 200 }: { tail?: number | undefined } = {}): Inspection {
      const now = world.clock.now();
      world.settle(now);
      return inspect(world, namedContainer(world, id), now, tail);
    },
    /** Makes it fail now, in a failure mode. */
    fail: (id: string, options: { mode?: FailureMode | undefined } = {}): ControlledContainer =>
      act(id, { kind: 'fail', ...options }),
    /** Ends its process now. */
    crash: (id: string): ControlledContainer => act(id, { kind: 'crash' }),
    /** Stops it, as a client's request would. */
    stop: (id: string): ControlledContainer => act(id, { kind: 'stop' }),
    /** Makes a failed or stopped one run again. */
    recover: (id: string): ControlledContainer => act(id, { kind: 'recover' }),
    /** Jumps to the next stage, or to a status. */
    skip: (id: string, options: { status?: Status | undefined } = {}): ControlledContainer =>
      act(id, { kind: 'skip', ...options }),
  };
}

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

function view(world: World, record: ContainerRecord): ControlledContainer {
  const state = stateOf(world, record, world.clock.now());
  const plan = record.deployments.at(-1)?.plan;
  return {
    id: record.id,
    name: record.name,
    project_name: record.project_name,
    organizationId: record.organization_id,
    status: state.status,
    since: iso(state.since),
    error: state.error,
    mode: plan?.mode ?? null,
    progression: plan?.progression ?? 'clock',
    nextTransitionAt: isoOrNull(state.nextAt),
    statusHistory: state.history.map(({ status, at }) => ({ status, at: iso(at) })),
    image: imageOf(record),
  };
}

function imageOf({ deployments }: ContainerRecord): ContainerImage {
  const { spec, plan } = deployments.at(-1) ?? {};
  const { digest = null, bytes = null, config = null } = plan?.image ?? {};
  const platform = config === null ? null : platformText(config);
  return { uri: spec?.ecr_image_uri ?? '', digest, platform, size: bytes, config };
}
