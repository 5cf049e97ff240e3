// Containers as responses of today's server show them.

import { toCredits } from '../../../../core/money.js';
import { iso, isoOrNull } from '../../../../http/wire.js';
import { billedFor } from '../../../credits/store.js';
import { type ContainerState, containerAt } from '../../lifecycle/lifecycle.js';
import type { Refusal } from '../../lifecycle/phases.js';
import type { ContainerRecord } from '../../store.js';
import { changedAt, presentBilling, styleOf, urlOf, type View } from '../present.js';
import { ofEachLeftOut } from './schema.js';

const billingStatus = { active: 'active', shutdown_pending: 'warning', suspended: 'suspended' } as const;

/** A container as today's server shows it. */
export function presentTodays(record: ContainerRecord, view: View) {
  const { world, now } = view;
  const state = containerAt(record.deployments, now);
  const { spec } = state.run.deployment;
  const url = urlOf(record, state, view);
  const billing = presentBilling(world, record, state, now);
  const { total } = billedFor(world.db, record.id);
  return {
    id: record.id,
    name: record.name,
    project_name: record.project_name,
    description: record.description,
    load_balancer_url: url,
    public_hostname: url !== null && styleOf(world, record) === 'subdomain' ? new URL(url).hostname : null,
    status: state.status,
    image_tag: spec.ecr_image_uri,
    desired_count: spec.desired_count,
    cpu: spec.cpu,
    memory: spec.memory,
    port: spec.port,
    health_check_path: spec.health_check_path,
    last_deployed_at: isoOrNull(state.lastDeployedAt),
    // The platform looks at a container until it is healthy.
    last_health_check: isoOrNull(state.lastDeployedAt),
    error_message: errorOf(state),
    billing_status: billingStatus[billing?.billing_status ?? 'active'],
    last_billed_at: billing?.last_billed_at ?? null,
    next_billing_at: billing?.next_billing_at ?? null,
    shutdown_warning_sent_at: billing?.shutdown_warning_sent_at ?? null,
    scheduled_shutdown_at: billing?.scheduled_shutdown_at ?? null,
    total_billed: toCredits(total).toFixed(2),
    created_at: iso(record.created_at),
    updated_at: iso(changedAt(record, state)),
  };
}

/** A container as its creation shows it: the platform leaves out what clients have just sent. */
export function presentCreated(record: ContainerRecord, view: View) {
  return { ...presentTodays(record, view), ...ofEachLeftOut(null) };
}

/** A container after a change. */
export function presentChanged(record: ContainerRecord, view: View) {
  const state = containerAt(record.deployments, view.now);
  return {
    id: record.id,
    name: record.name,
    projectName: record.project_name,
    status: state.status,
    publicUrl: urlOf(record, state, view),
    image: state.run.deployment.spec.ecr_image_uri,
    createdAt: iso(record.created_at),
    updatedAt: iso(changedAt(record, state)),
    errorMessage: errorOf(state),
    metadata: {},
  };
}

// The platform says no more of a container that has ended by itself; the control plane does.
function errorOf({ error, status, runs, run }: ContainerState): string | null {
  if (error === null || status === 'stopped') return error;
  const { plan, spec } = (runs.at(-1) ?? run).deployment;
  return plan.refusal === undefined ? 'Container is exited' : refusalText(plan.refusal, spec.ecr_image_uri);
}

/** What a request says that could not start its container. */
export function refusalText(refusal: Refusal, image: string): string {
  if (refusal === 'no_capacity') return 'No node has the capacity for this container';
  return refusal === 'image_pull_failed' ? `Failed to pull ${image}` : 'Failed to create the container';
}
