// Containers as responses show them.

import type { Config } from '../../../config/schema.js';
import { lastInstant } from '../../../core/instant.js';
import { toCredits } from '../../../core/money.js';
import { mask } from '../../../core/secrets.js';
import { cached } from '../../../db/cached-reads.js';
import { type JsonAnswer, kept } from '../../../http/response.js';
import { iso, isoOrNull } from '../../../http/wire.js';
import type { World } from '../../../world/world.js';
import { billedFor } from '../../credits/store.js';
import { addressOf, stackNameOf } from '../address/address.js';
import { hasAddress, isByPath } from '../address/open-addresses.js';
import { parseImage } from '../image.js';
import { gracesOf, nextMidnight } from '../lifecycle/billing.js';
import { openGrace } from '../lifecycle/grace.js';
import type { Health } from '../lifecycle/health.js';
import { presentHistory } from '../lifecycle/history.js';
import { type ContainerState, containerAt, nextProgressAt, progressOf } from '../lifecycle/lifecycle.js';
import type { Metrics } from '../lifecycle/metrics.js';
import { isStage } from '../lifecycle/phases.js';
import { outcomeOf, segmentAt } from '../lifecycle/timeline.js';
import { type LogLine, linesAt, nextLineAt } from '../logs/logs.js';
import type { ContainerRecord } from '../store.js';

/** The values that the presentation of a container depends on in addition to its record. */
export interface View {
  world: World;
  now: number;
  baseUrl: string;
  /** Show the values of environment variables. */
  reveal?: boolean;
}

/** A container as lists show it. */
export function presentContainer(record: ContainerRecord, { world, now, baseUrl, reveal }: View, at?: ContainerState) {
  const state = at ?? containerAt(record.deployments, now);
  const { spec } = state.run.deployment;
  const variables = spec.environment_vars;
  const url = urlOf(record, state, { world, baseUrl });
  const stackName = stackNameOf(world, record);
  return {
    id: record.id,
    name: record.name,
    project_name: record.project_name,
    description: record.description,
    status: state.status,
    url,
    load_balancer_url: url,
    ecr_image_uri: spec.ecr_image_uri,
    port: spec.port,
    cpu: spec.cpu,
    memory: spec.memory,
    desired_count: spec.desired_count,
    architecture: spec.architecture,
    health_check_path: spec.health_check_path,
    environment_vars: reveal ? variables : Object.fromEntries(Object.keys(variables).map((name) => [name, mask])),
    error_message: state.error,
    organization_id: record.organization_id,
    user_id: record.user_id,
    api_key_id: record.api_key_id,
    stackName,
    cloudformation_stack_name: stackName,
    is_update: record.deployments.length > 1 ? 'true' : 'false',
    last_deployed_at: isoOrNull(state.lastDeployedAt),
    created_at: iso(record.created_at),
    updated_at: iso(changedAt(record, state)),
    ...presentBilling(world, record, state, now),
  };
}

/** The address of a container; null before it has one. */
export function urlOf(
  record: ContainerRecord,
  state: ContainerState,
  { world, baseUrl }: Pick<View, 'world' | 'baseUrl'>,
) {
  return hasAddress(state) ? addressOf(world, record, baseUrl, styleOf(world, record)) : null;
}

export function changedAt({ deployments }: ContainerRecord, { since }: ContainerState): number {
  return Math.max(since, deployments.at(-1)?.startedAt ?? 0);
}

/** How a container is reached. */
export function styleOf(world: World, record: ContainerRecord) {
  return isByPath(world, record) ? 'path' : world.config.containers.urlStyle;
}

/** A container as the details endpoint shows it. */
export function presentDetails(record: ContainerRecord, view: View, state = containerAt(record.deployments, view.now)) {
  return {
    ...presentContainer(record, view, state),
    deployment_log: deploymentLog(record, state, view),
    exit_code: state.segment.phase.exitCode ?? null,
    progress: progressOf(state, view.now),
    statusHistory: presentHistory(view.world.db, record, view.now),
    nextTransitionAt: isoOrNull(state.nextAt),
  };
}

/** A response with the instants from and until which it is the same, unless a container or its billing is written. */
interface Slot {
  answer?: JsonAnswer;
  config?: Config;
  from: number;
  until: number;
}

const slots = cached(['containers', 'deployments', 'ledger'], (_db, _key: string): Slot => ({ from: 0, until: 0 }));

/** A response that was kept and is still the same: clients poll. */
export function keptAnswer({ world, now }: View, key: string): JsonAnswer | undefined {
  const { answer, config, from, until } = slots(world.db, key);
  return config === world.config && from <= now && now < until ? answer : undefined;
}

export function keepAnswer(
  { world, now }: View,
  key: string,
  until: number,
  body: Record<string, unknown>,
): JsonAnswer {
  const answer = kept(body);
  Object.assign(slots(world.db, key), { answer, config: world.config, from: now, until });
  return answer;
}

/** When a container looks different in a list, unless it is written before. */
export function sameUntil(record: ContainerRecord, { world, now }: View): number {
  let until = billedUntil(world, record, now);
  for (const deployment of record.deployments) {
    // The deployment changed after the request began, and the response shows it as it was.
    if ((deployment.interventions.at(-1)?.at ?? now) > now) return now;
    for (const { at } of deployment.timeline) if (at > now) until = Math.min(until, at);
  }
  return until;
}

/** The response with a container's details. */
export function answerDetails(record: ContainerRecord, view: View): JsonAnswer {
  const key = `${record.id} ${view.baseUrl} ${view.reveal ?? false}`;
  const known = keptAnswer(view, key);
  if (known !== undefined) return known;
  const state = containerAt(record.deployments, view.now);
  const until = Math.min(sameUntil(record, view), detailsUntil(record, state, view));
  return keepAnswer(view, key, until, { success: true, data: presentDetails(record, view, state) });
}

// During a deployment the log grows and progress is made.
function detailsUntil(record: ContainerRecord, state: ContainerState, { world, now }: View): number {
  // The log is that of the latest deployment; the status, and so the progress, may be that of an earlier one.
  const nextProgress = nextProgressAt(state, now);
  const run = state.runs.at(-1);
  if (run === undefined || (outcomeOf(run.timeline)?.at ?? Infinity) <= now) return nextProgress;
  const context = { random: world.random, stackName: stackNameOf(world, record) };
  return Math.min(nextLineAt({ ...state, runs: [run] }, now, context) ?? Infinity, nextProgress);
}

// The platform's own lines of the latest deployment, up to its end.
function deploymentLog(record: ContainerRecord, state: ContainerState, { world, now }: View): string {
  const run = state.runs.at(-1);
  if (run === undefined) return '';
  const until = Math.min(outcomeOf(run.timeline)?.at ?? Infinity, now);
  const context = { random: world.random, stackName: stackNameOf(world, record) };
  const lines = linesAt({ ...state, runs: [run] }, until, context, { since: run.deployment.startedAt });
  return lines.map((line) => line.message).join('\n');
}

export function presentLogs(record: ContainerRecord, lines: LogLine[], state: ContainerState, filters: object) {
  const logs = lines.map((line) => ({ timestamp: iso(line.at), level: line.level, message: line.message }));
  return {
    success: true,
    logs,
    data: {
      container: mention(record, state),
      logs,
      total: logs.length,
      hasLogs: logs.length > 0,
      ...(logs.length === 0 && { message: 'No logs in this window' }),
      filters,
    },
  };
}

export function presentMetrics(
  record: ContainerRecord,
  metrics: Metrics,
  state: ContainerState,
  now: number,
  period: number,
) {
  const { cpu, memory, network } = metrics;
  return {
    success: true,
    cpu,
    memory,
    network,
    data: {
      container: mention(record, state),
      metrics: {
        cpu_utilization: percent(cpu),
        memory_utilization: percent(memory),
        network_rx_bytes: network.rx,
        network_tx_bytes: network.tx,
        task_count: metrics.tasks,
        healthy_task_count: metrics.healthyTasks,
        timestamp: iso(now),
      },
      period_minutes: period,
    },
  };
}

export function presentHealth(record: ContainerRecord, health: Health, state: ContainerState, now: number) {
  const healthy = health.status === 'healthy';
  return {
    success: true,
    status: health.status,
    checks: health.checks,
    ...(health.error !== null && { message: health.error }),
    data: {
      containerId: record.id,
      healthy,
      statusCode: health.code,
      responseTime: health.code === null ? null : health.ms,
      error: health.error,
      checkedAt: iso(now),
      containerStatus: state.status,
      lastHealthCheck: iso(now),
    },
  };
}

export function presentDeployments(record: ContainerRecord, state: ContainerState, view: View) {
  const deployments = state.runs.map(({ deployment, timeline }) => {
    const ended = outcomeOf(timeline);
    // A container that was moved back to a stage is in progress again.
    const isUnderWay = isStage(segmentAt(timeline, view.now).phase.status);
    const outcome = ended !== undefined && ended.at <= view.now && !isUnderWay ? ended : undefined;
    const { spec } = deployment;
    return {
      id: deployment.id,
      status: outcome?.result ?? 'pending',
      cost: toCredits(deployment.cost).toFixed(2),
      error: outcome?.error ?? null,
      metadata: {
        container_id: record.id,
        container_name: record.name,
        desired_count: spec.desired_count,
        cpu: spec.cpu,
        memory: spec.memory,
        port: spec.port,
        image_tag: parseImage(spec.ecr_image_uri)?.tag ?? null,
        ecr_image_uri: spec.ecr_image_uri,
      },
      deployed_at: iso(deployment.startedAt),
      duration_ms: outcome === undefined ? null : outcome.at - deployment.startedAt,
    };
  });
  const { url } = presentContainer(record, view, state);
  return {
    success: true,
    data: {
      container: { id: record.id, name: record.name, current_status: state.status, load_balancer_url: url },
      deployments: deployments.reverse(),
      total: record.deployments.at(-1)?.number ?? 0,
    },
  };
}

function mention(record: ContainerRecord, state: ContainerState) {
  return { id: record.id, name: record.name, status: state.status };
}

function percent({ usage, limit }: { usage: number; limit: number }): number {
  return limit === 0 ? 0 : Math.round((usage / limit) * 1_000) / 10;
}

// The billing of a container, where containers are billed by the day.

/** How a container is billed, and when it is shut down for lack of credits; undefined: it is not billed. */
export function presentBilling(world: World, record: ContainerRecord, state: ContainerState, now: number) {
  const graces = gracesOf(record);
  if (!world.config.billing.daily && graces.length === 0) return undefined;
  const pending = openGrace(graces, now);
  const status: 'active' | 'suspended' | 'shutdown_pending' =
    pending === undefined ? (state.segment.phase.billing ?? 'active') : 'shutdown_pending';
  const grace = status === 'suspended' ? graces.at(-1) : pending;
  const { total, last } = billedFor(world.db, record.id);
  const next = nextMidnight(now);
  const goesOn = world.config.billing.daily && state.serving !== undefined && next <= lastInstant;
  return {
    billing_status: status,
    total_billed: toCredits(total).toFixed(2),
    last_billed_at: isoOrNull(last),
    next_billing_at: goesOn ? iso(next) : null,
    shutdown_warning_sent_at: isoOrNull(grace?.at),
    scheduled_shutdown_at: isoOrNull(grace?.until),
  };
}

/** Until when the billing of a container looks the same, unless something is written. */
function billedUntil(world: World, record: ContainerRecord, now: number): number {
  if (gracesOf(record).length > 0) return now;
  return world.config.billing.daily ? nextMidnight(now) : Infinity;
}
