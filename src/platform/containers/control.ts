// Control operations of containers: show them, and make them fail, stop, recover or skip ahead.

import * as z from 'zod';
import type { FailureMode } from '../../config/names.js';
import { listed, operation } from '../../control/operation.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { imageConfig, platformText } from '../registry/manifest.js';
import { namedContainer } from './access.js';
import { type Inspection, inspect, inspection } from './inspection.js';
import { presentHistory } from './lifecycle/history.js';
import { type InterventionRequest, intervene } from './lifecycle/interventions.js';
import { containerAt } from './lifecycle/lifecycle.js';
import { type Status, statuses } from './lifecycle/phases.js';
import type { Plan } from './lifecycle/plan.js';
import { type ContainerRecord, listContainers } from './store.js';
import type { Spec } from './wire/schema.js';

export const container = z.lazy(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    project_name: z.string(),
    organizationId: z.string(),
    status: z.enum(statuses),
    since: z.string(),
    error: z.string().nullable(),
    mode: z.string().nullable().describe('The failure mode of its latest deployment, or null'),
    progression: z.string(),
    nextTransitionAt: z.string().nullable(),
    statusHistory: z
      .array(z.object({ status: z.enum(statuses), at: z.string() }))
      .describe('The last 1,000 changes of status, oldest first'),
    image: z.object({
      uri: z.string(),
      digest: z
        .string()
        .nullable()
        .describe(
          'Digest of the image that runs: of an index, the one for the container’s processor; null: the image is in another registry and is not checked',
        ),
      platform: z.string().nullable(),
      size: z.int().nullable().describe('The total size of a pull, in bytes'),
      config: imageConfig.nullable().describe('Entry point, user, exposed ports and labels'),
    }),
  }),
);

export type ControlledContainer = z.output<typeof container>;

const named = z.lazy(() => z.object({ id: z.string().describe('The container’s id or project_name') }));

export const containerOperations = {
  /** Lists all containers of the world, newest first. */
  list: operation({
    id: 'control.containers.list',
    route: 'GET /containers',
    summary: 'List all containers of the world',
    output: listed('containers', container),
    command: {
      line: 'container list',
      columns: 'id project_name status since error mode? nextTransitionAt?',
      examples: [['container list', 'containers of all organizations']],
    },
    run({ world }): ControlledContainer[] {
      const now = world.clock.now();
      world.settle(now);
      return listContainers(world.db).map((record) => view(world, record, now));
    },
  }),
  /**
   * Returns a container.
   *
   * @param id its id or its project_name
   * @throws ApiError NOT_FOUND
   */
  get: operation({
    id: 'control.containers.get',
    route: 'GET /containers/{id}',
    summary: 'Show a container',
    params: named,
    output: container,
    errors: ['NOT_FOUND'],
    command: {
      line: 'container show <id>',
      prints: 'container-details',
      examples: [['container show my-app', 'with its image and the history of its status']],
    },
    run: ({ world }, id: string): ControlledContainer => showContainer(world, id),
  }),
  /**
   * Returns a container in detail: each deployment beside its plan, the last log lines, health, and metrics over time,
   * including future ones.
   *
   * @param id its id or its project_name
   * @param options.tail the number of log lines, 200 without it
   * @throws ApiError NOT_FOUND
   */
  inspect: operation({
    id: 'control.containers.inspect',
    route: 'GET /containers/{id}/inspect',
    summary: 'Show a container from the inside: deployments against their plan, log, health, metrics over time',
    params: named,
    query: z.lazy(() =>
      z.object({ tail: z.int().min(1).max(1_000).optional().describe('Number of log lines; 200 by default') }),
    ),
    errors: ['NOT_FOUND'],
    output: inspection,
    command: {
      line: 'container inspect <id>',
      examples: [['container inspect my-app --tail 20', 'deployments against their plan, log, health and metrics']],
    },
    run: ({ world }, id: string, { tail = 200 }: { tail?: number | undefined } = {}): Inspection => {
      const now = world.clock.now();
      world.settle(now);
      return inspect(world, namedContainer(world, id), now, tail);
    },
  }),
  /** Makes a container fail now, in a failure mode. */
  fail: operation({
    id: 'control.containers.fail',
    route: 'POST /containers/{id}/fail',
    summary: 'Make a container fail now, in a failure mode',
    params: named,
    body: z.lazy(() =>
      z.object({
        mode: z.string().optional().describe('Failure mode; by default one that suits the container’s status'),
      }),
    ),
    bodyOptional: true,
    output: container,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'container fail <id>',
      valueIs: 'mode',
      prints: 'container',
      examples: [['container fail my-app --mode oom-later', '`cloudemu failures` lists the modes']],
    },
    run: ({ world }, id: string, options: { mode?: FailureMode | undefined } = {}): ControlledContainer =>
      changeContainer(world, id, { kind: 'fail', ...options }),
  }),
  /** Crashes a container now. */
  crash: operation({
    id: 'control.containers.crash',
    route: 'POST /containers/{id}/crash',
    summary: 'Crash a container now',
    params: named,
    output: container,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'container crash <id>',
      prints: 'container',
      examples: [['container crash my-app', 'its process exits with code 1']],
    },
    run: ({ world }, id: string): ControlledContainer => changeContainer(world, id, { kind: 'crash' }),
  }),
  /** Stops a container, as a request of a client would. */
  stop: operation({
    id: 'control.containers.stop',
    route: 'POST /containers/{id}/stop',
    summary: 'Stop a container',
    params: named,
    output: container,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'container stop <id>',
      prints: 'container',
      examples: [['container stop my-app', 'stops it without an error']],
    },
    run: ({ world }, id: string): ControlledContainer => changeContainer(world, id, { kind: 'stop' }),
  }),
  /** Makes a failed or stopped container run again. */
  recover: operation({
    id: 'control.containers.recover',
    route: 'POST /containers/{id}/recover',
    summary: 'Run a failed or stopped container again',
    params: named,
    output: container,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'container recover <id>',
      prints: 'container',
      examples: [['container recover my-app', 'runs it again']],
    },
    run: ({ world }, id: string): ControlledContainer => changeContainer(world, id, { kind: 'recover' }),
  }),
  /** Moves a container to its next stage, or to a status. */
  skip: operation({
    id: 'control.containers.skip',
    route: 'POST /containers/{id}/skip',
    summary: 'Move a container to the next stage, or to a status',
    params: named,
    body: z.lazy(() =>
      z.object({ status: z.enum(statuses).optional().describe('Target status; by default the next one') }),
    ),
    bodyOptional: true,
    output: container,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'container skip <id>',
      valueIs: 'status',
      prints: 'container',
      examples: [['container skip my-app --status running', 'it runs now instead of in some minutes']],
    },
    run: ({ world }, id: string, options: { status?: Status | undefined } = {}): ControlledContainer =>
      changeContainer(world, id, { kind: 'skip', ...options }),
  }),
};

/**
 * The container of an id or a project_name.
 *
 * @throws ApiError NOT_FOUND
 */
export function showContainer(world: World, name: string): ControlledContainer {
  world.settle(world.clock.now());
  return view(world, namedContainer(world, name));
}

/**
 * Intervenes in the container of an id or a project_name.
 *
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR (unknown mode) or CONFLICT (impossible in its state)
 */
export function changeContainer(world: World, name: string, request: InterventionRequest): ControlledContainer {
  world.settle(world.clock.now());
  const record = intervene(world, namedContainer(world, name).id, request);
  world.settle(world.clock.now());
  return view(world, record);
}

function view(world: World, record: ContainerRecord, now = world.clock.now()): ControlledContainer {
  const state = containerAt(record.deployments, now);
  const { plan, spec } = state.run.deployment;
  return {
    id: record.id,
    name: record.name,
    project_name: record.project_name,
    organizationId: record.organization_id,
    status: state.status,
    since: iso(state.since),
    error: state.error,
    mode: record.deployments.at(-1)?.plan.mode ?? null,
    progression: plan.progression,
    nextTransitionAt: isoOrNull(state.nextAt),
    statusHistory: presentHistory(world.db, record, now),
    image: imageOf(spec, plan),
  };
}

function imageOf(spec: Spec, plan: Plan): ControlledContainer['image'] {
  const { digest = null, bytes = null, config = null } = plan.image ?? {};
  const platform = config === null ? null : platformText(config);
  return { uri: spec.ecr_image_uri, digest, platform, size: bytes, config };
}
